/** The definition of a kind of users, whose objects may have any fields: namespaced, in example.com/v1 if nothing else is said. */
export const customDefinition = (
  kind: string,
  {
    group = 'example.com',
    version = 'v1',
    scope = 'Namespaced',
    ...more
  }: {
    readonly group?: string;
    readonly version?: string;
    readonly scope?: string;
    readonly subresources?: object;
  } = {},
) => {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope,
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...more,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
};

/** Where definitions of kinds are created. */
export const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
