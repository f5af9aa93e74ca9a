import type { Manifest } from '../../api/meta.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInScope } from '../../engine/selection/scope.ts';
import type { Placed } from './finding.ts';

type Scope = 'Cluster' | 'Namespaced';

/** Kinds of the repo's own CustomResourceDefinitions, by `group/kind`. */
export type CrdScopes = ReadonlyMap<string, Scope>;

/** The scopes of kinds that CRDs among the documents define. */
export function crdScopes(documents: readonly Placed[]): CrdScopes {
  const scopes = new Map<string, Scope>();
  for (const { value } of documents) {
    const { kind, spec } = value as {
      kind?: unknown;
      spec?: { group?: unknown; scope?: unknown; names?: { kind?: unknown } | null } | null;
    };
    if (kind !== 'CustomResourceDefinition') continue;
    if (spec?.scope === 'Cluster' || spec?.scope === 'Namespaced')
      scopes.set(`${spec.group}/${spec.names?.kind}`, spec.scope);
  }
  return scopes;
}

/** Scope of an object's kind, by the built-in table, then by the repo's CRDs; undefined for unknown kinds. */
export function scopeOf({ apiVersion, kind }: Manifest, crds: CrdScopes): Scope | undefined {
  const { group } = groupVersionOf(apiVersion);
  return builtInScope(group, kind) ?? crds.get(`${group}/${kind}`);
}
