import type { Condition, Manifest, ObjectRef } from '../api/meta.ts';
import type { Change } from './watch/store.ts';

/** What a CustomResourceDefinition defines. */
interface Definition {
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
    kind,
    plural: typeof plural === 'string' ? plural : undefined,
    apiVersions: named.map(apiVersionOf),
    served: served.map(apiVersionOf),
  };
}

type Version = { readonly name?: unknown; readonly served?: unknown } | null;

/** Whether a manifest is the CRD that serves the kind of an object, in its version. */
export function defines(manifest: Manifest, { apiVersion, kind }: ObjectRef): boolean {
  const definition = definitionIn(manifest);
  return definition?.kind === kind && definition.served.includes(apiVersion);
}

/** The group-versions that a change of a CustomResourceDefinition affects; undefined for other changes. */
export function servedBy({ object, how }: Change): ReadonlySet<string> | undefined {
  const definition = definitionIn(object);
  if (definition === undefined) return undefined;
  return how === 'set' && progressOf(object) !== 'established' ? undefined : new Set(definition.apiVersions);
}

/** How far a CustomResourceDefinition on the member is. `refused`: its names are taken, so waiting is of no use. */
export function progressOf(definition: Manifest | undefined): 'pending' | 'refused' | 'established' {
  const { conditions = [] } = (definition?.['status'] ?? {}) as { readonly conditions?: readonly Condition[] };
  const has = (type: string, status: string) => conditions.some((one) => one.type === type && one.status === status);
  if (has('Established', 'True')) return 'established';
  return has('NamesAccepted', 'False') ? 'refused' : 'pending';
}
