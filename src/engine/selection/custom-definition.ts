import type { Manifest } from '../../api/meta.ts';

/** What a CustomResourceDefinition defines. */
interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string | undefined;
  /** Its group-versions, in the order of the definition. */
  readonly apiVersions: readonly string[];
  /** Those of them that are served. */
  readonly served: readonly string[];
}

/** Undefined for other objects, and for invalid definitions: manifests may contain anything. */
export function definitionIn(object: Manifest): Definition | undefined {
  if (object.kind !== 'CustomResourceDefinition') return undefined;
  const { group, names, versions } = (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const { kind, plural } = (names ?? {}) as { readonly kind?: unknown; readonly plural?: unknown };
  if (typeof group !== 'string' || typeof kind !== 'string' || !Array.isArray(versions)) return undefined;
  const named = (versions as readonly Version[]).filter((version) => typeof version?.name === 'string');
  const apiVersionOf = (version: Version): string => `${group}/${version?.name}`;
  const served = named.filter((version) => version?.served !== false);
  return {
    group,
    kind,
    plural: typeof plural === 'string' ? plural : undefined,
    apiVersions: named.map(apiVersionOf),
    served: served.map(apiVersionOf),
  };
}

type Version = { readonly name?: unknown; readonly served?: unknown } | null;
