import type { Manifest } from '../../api/meta.ts';
import { definitionIn } from '../../engine/selection/custom-definition.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { builtInScope } from '../../engine/selection/scope.ts';
import type { Placed } from './finding.ts';

type Scope = 'Cluster' | 'Namespaced';

interface CrdKind {
  readonly scope: Scope | undefined;
  /** Group-versions that are served; undefined where the CRD is invalid. */
  readonly served: readonly string[] | undefined;
}

/** Kinds of the repo's own CustomResourceDefinitions, by `group/kind`. */
export type CrdKinds = ReadonlyMap<string, CrdKind>;

/** The kinds that CRDs among the documents define. */
export function crdKinds(documents: readonly Placed[]): CrdKinds {
  const kinds = new Map<string, CrdKind>();
  for (const { value } of documents) {
    const { kind, spec } = value as {
      kind?: unknown;
      spec?: { group?: unknown; scope?: unknown; names?: { kind?: unknown } | null } | null;
    };
    if (kind !== 'CustomResourceDefinition') continue;
    kinds.set(`${spec?.group}/${spec?.names?.kind}`, {
      scope: spec?.scope === 'Cluster' || spec?.scope === 'Namespaced' ? spec.scope : undefined,
      served: definitionIn(value as Manifest)?.served,
    });
  }
  return kinds;
}

/** Scope of an object's kind, by the built-in table, then by the repo's CRDs; undefined for unknown kinds. */
export function scopeOf({ apiVersion, kind }: Manifest, crds: CrdKinds): Scope | undefined {
  const { group } = groupVersionOf(apiVersion);
  return builtInScope(group, kind) ?? crds.get(`${group}/${kind}`)?.scope;
}

/** Where the CRD of the repo does not serve the version of an object: the group-versions that it serves. */
export function servedInstead({ apiVersion, kind }: Manifest, crds: CrdKinds): readonly string[] | undefined {
  const { group } = groupVersionOf(apiVersion);
  const served = builtInScope(group, kind) === undefined ? crds.get(`${group}/${kind}`)?.served : undefined;
  return served?.includes(apiVersion) ? undefined : served;
}
