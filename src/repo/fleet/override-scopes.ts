import type { Override } from '../../api/override.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { compileHub, scopeOfKind } from '../../engine/selection/hub.ts';
import { fieldWarning } from './field-warning.ts';

/** A selector of an override. */
export interface OverrideSelector {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  /** Dotted, inside the override. */
  readonly path: string;
}

export function selectorsOf({ spec }: Override): OverrideSelector[] {
  const [list, selectors] =
    'clusterResourceSelectors' in spec
      ? ['clusterResourceSelectors', spec.clusterResourceSelectors]
      : ['resourceSelectors', spec.resourceSelectors];
  return selectors.map(({ group, kind, name }, at) => ({ group, kind, name, path: `spec.${list}.${at}` }));
}

/**
 * Whether an override may reach what a selector names: a ClusterResourceOverride reaches a namespaced object only through its
 * Namespace, a ResourceOverride nothing else than what is in its own (KubeFleet overrider.go). True where nothing tells the
 * scope of a kind.
 */
export function isInScope(
  { kind }: Override,
  selector: OverrideSelector,
  { resources }: Pick<Fleet, 'resources'>,
): boolean {
  const scope = scopeOfKind(compileHub(resources), selector.group, selector.kind);
  return scope === undefined || (scope === 'Cluster') === (kind === 'ClusterResourceOverride');
}

/** Selectors of overrides that select nothing, whatever there is: warnings that name the kind of override that would. */
export const misscopedSelectors = (fleet: Fleet): Problem[] =>
  fleet.overrides.flatMap((override) =>
    selectorsOf(override).flatMap((selector): Problem[] =>
      isInScope(override, selector, fleet)
        ? []
        : [
            fieldWarning(
              fleet,
              { kind: override.kind, ...override.metadata },
              { code: 'override-scope', path: `${selector.path}.kind`, ...told(override, selector, fleet) },
            ),
          ],
    ),
  );

function told(
  { kind, metadata }: Override,
  selector: OverrideSelector,
  { resources }: Fleet,
): { readonly why: string; readonly fix: string } {
  if (kind === 'ResourceOverride')
    return {
      why: `${selector.kind} is cluster-scoped, and a ResourceOverride reaches only what is in its namespace, ${metadata.namespace ?? ''}`,
      fix: 'write a ClusterResourceOverride',
    };
  const namespaces = resources.flatMap(({ manifest }) =>
    manifest.kind === selector.kind &&
    manifest.metadata.name === selector.name &&
    groupVersionOf(manifest.apiVersion).group === selector.group
      ? (manifest.metadata.namespace ?? [])
      : [],
  );
  const where = namespaces.length === 0 ? 'its namespace' : `namespace ${listUpTo(namespaces, 3)}`;
  return {
    why: `${selector.kind} is namespaced, and a ClusterResourceOverride reaches such objects only through their Namespace, all of it at once`,
    fix: `write a ResourceOverride in ${where}`,
  };
}
