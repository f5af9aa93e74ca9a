import { conditions, kindSchema, labelSelector, objectReference, typedReference } from './meta.ts';
import { toleration } from './pod.ts';
import {
  all,
  any,
  bool,
  bytes,
  def,
  int,
  intOrString,
  list,
  listBy,
  map,
  microTime,
  obj,
  quantity,
  type Schema,
  setOf,
  str,
} from './schema.ts';

const named = (
  group: string,
  kind: string,
  fields: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema => kindSchema(`io.k8s.api.${group}.v1.${kind}`, fields, { required });

const serviceBackend = obj({ name: str, port: obj({ name: str, number: int }) }, { required: ['name'] });
const backend = obj({ service: serviceBackend, resource: typedReference });
export const ingress = named('networking', 'Ingress', {
  spec: obj({
    ingressClassName: str,
    defaultBackend: backend,
    tls: list(obj({ hosts: list(str), secretName: str })),
    rules: list(
      obj({
        host: str,
        http: obj({
          paths: list(obj({ path: str, pathType: str, backend }, { required: ['pathType', 'backend'] })),
        }),
      }),
    ),
  }),
  status: obj({ loadBalancer: obj({ ingress: list(obj({ ip: str, hostname: str, ports: any })) }) }),
});
export const ingressClass = named('networking', 'IngressClass', {
  spec: obj({ controller: str, parameters: obj({ apiGroup: str, kind: str, name: str, scope: str, namespace: str }) }),
});

const policyPorts = list(obj({ protocol: def(str, 'TCP'), port: intOrString, endPort: int }));
const peers = list(
  obj({
    podSelector: labelSelector,
    namespaceSelector: labelSelector,
    ipBlock: obj({ cidr: str, except: list(str) }, { required: ['cidr'] }),
  }),
);
export const networkPolicy = named('networking', 'NetworkPolicy', {
  spec: obj({
    podSelector: labelSelector,
    policyTypes: list(str),
    ingress: list(obj({ ports: policyPorts, from: peers })),
    egress: list(obj({ ports: policyPorts, to: peers })),
  }),
});

const policyRules = list(
  obj(
    {
      verbs: list(str),
      apiGroups: list(str),
      resources: list(str),
      resourceNames: list(str),
      nonResourceURLs: list(str),
    },
    { required: ['verbs'] },
  ),
);
const subjects = list(
  obj({ kind: str, apiGroup: str, name: str, namespace: str }, { atomic: true, required: ['kind', 'name'] }),
);
const roleRef = obj({ apiGroup: str, kind: str, name: str }, { atomic: true, required: ['kind', 'name'] });
export const role = named('rbac', 'Role', { rules: policyRules });
export const clusterRole = named('rbac', 'ClusterRole', {
  rules: policyRules,
  aggregationRule: obj({ clusterRoleSelectors: list(labelSelector) }),
});
export const roleBinding = named('rbac', 'RoleBinding', { subjects, roleRef }, ['roleRef']);
export const clusterRoleBinding = named('rbac', 'ClusterRoleBinding', { subjects, roleRef }, ['roleRef']);

export const storageClass = named(
  'storage',
  'StorageClass',
  {
    provisioner: str,
    parameters: map(str),
    reclaimPolicy: def(str, 'Delete'),
    mountOptions: list(str),
    allowVolumeExpansion: bool,
    volumeBindingMode: def(str, 'Immediate'),
    allowedTopologies: list(
      obj({ matchLabelExpressions: list(obj({ key: str, values: list(str) })) }, { atomic: true }),
    ),
  },
  ['provisioner'],
);
export const volumeAttachment = named('storage', 'VolumeAttachment', {
  spec: obj({ attacher: str, source: obj({ persistentVolumeName: str, inlineVolumeSpec: any }), nodeName: str }),
  status: obj({ attached: bool, attachmentMetadata: map(str), attachError: any, detachError: any }),
});
export const csiDriver = named('storage', 'CSIDriver', { spec: any });
export const csiNode = named('storage', 'CSINode', { spec: any });

export const priorityClass = named(
  'scheduling',
  'PriorityClass',
  {
    value: int,
    globalDefault: bool,
    description: str,
    preemptionPolicy: def(str, 'PreemptLowerPriority'),
  },
  ['value'],
);

export const lease = named('coordination', 'Lease', {
  spec: obj({
    holderIdentity: str,
    leaseDurationSeconds: int,
    acquireTime: microTime,
    renewTime: microTime,
    leaseTransitions: int,
    strategy: str,
    preferredHolder: str,
  }),
});

export const endpointSlice = named('discovery', 'EndpointSlice', {
  addressType: str,
  endpoints: list(
    obj({
      addresses: setOf(str),
      conditions: obj({ ready: bool, serving: bool, terminating: bool }),
      hostname: str,
      targetRef: objectReference,
      deprecatedTopology: map(str),
      nodeName: str,
      zone: str,
      hints: any,
    }),
  ),
  ports: list(obj({ name: str, protocol: str, port: int, appProtocol: str })),
});

const clientConfig = obj({
  url: str,
  service: obj({ namespace: str, name: str, path: str, port: def(int, 443) }),
  caBundle: bytes,
});
const webhookRules = list(
  obj({
    operations: list(str),
    apiGroups: list(str),
    apiVersions: list(str),
    resources: list(str),
    scope: def(str, '*'),
  }),
);
const webhook = (more: Readonly<Record<string, Schema>>) =>
  obj(
    {
      name: str,
      clientConfig,
      rules: webhookRules,
      failurePolicy: def(str, 'Fail'),
      matchPolicy: def(str, 'Equivalent'),
      namespaceSelector: def(labelSelector, {}),
      objectSelector: def(labelSelector, {}),
      sideEffects: str,
      timeoutSeconds: def(int, 10),
      admissionReviewVersions: list(str),
      matchConditions: listBy(['name'], obj({ name: str, expression: str })),
      ...more,
    },
    { required: ['name'] },
  );
export const validatingWebhook = named('admissionregistration', 'ValidatingWebhookConfiguration', {
  webhooks: listBy(['name'], webhook({})),
});
export const mutatingWebhook = named('admissionregistration', 'MutatingWebhookConfiguration', {
  webhooks: listBy(['name'], webhook({ reinvocationPolicy: def(str, 'Never') })),
});

export const runtimeClass = kindSchema('io.k8s.api.node.v1.RuntimeClass', {
  handler: str,
  overhead: obj({ podFixed: map(quantity) }),
  scheduling: obj({ nodeSelector: map(str, { atomic: true }), tolerations: list(toleration) }),
});

const crdNames = obj({
  plural: str,
  singular: str,
  shortNames: list(str),
  kind: str,
  listKind: str,
  categories: list(str),
});
/** The schema inside a CRD is itself free-form: it is checked when the CRD is compiled. */
export const customResourceDefinition: Schema = kindSchema(
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  {
    spec: obj(
      {
        group: str,
        names: crdNames,
        scope: str,
        versions: list(
          obj(
            {
              name: str,
              ...all(bool, 'served storage deprecated'),
              deprecationWarning: str,
              schema: obj({ openAPIV3Schema: any }),
              subresources: obj({
                status: obj({}, { open: true }),
                scale: obj({ specReplicasPath: str, statusReplicasPath: str, labelSelectorPath: str }),
              }),
              additionalPrinterColumns: list(
                obj({ name: str, type: str, format: str, description: str, priority: int, jsonPath: str }),
              ),
              selectableFields: list(obj({ jsonPath: str })),
            },
            { required: ['name', 'served', 'storage'] },
          ),
        ),
        conversion: obj({
          strategy: str,
          webhook: obj({ clientConfig, conversionReviewVersions: list(str) }),
        }),
        preserveUnknownFields: bool,
      },
      { required: ['group', 'names', 'scope', 'versions'] },
    ),
    status: obj({ conditions, acceptedNames: crdNames, storedVersions: list(str) }),
  },
  { required: ['spec'] },
);

export const apiService = kindSchema('io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService', {
  spec: obj({
    service: obj({ namespace: str, name: str, port: int }),
    group: str,
    version: str,
    insecureSkipTLSVerify: bool,
    caBundle: bytes,
    groupPriorityMinimum: int,
    versionPriority: int,
  }),
  status: obj({ conditions }),
});
