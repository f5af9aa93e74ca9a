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
 * Whether an override may change what a selector names: a ClusterResourceOverride changes a namespaced object only through its
 * Namespace, a ResourceOverride only objects of its own namespace (KubeFleet overrider.go). True if the scope of the kind is unknown.
 */
export function isInScope(
  { kind }: Override,
  selector: OverrideSelector,
  { resources }: Pick<Fleet, 'resources'>,
): boolean {
  const scope = scopeOfKind(compileHub(resources), selector.group, selector.kind);
  return scope === undefined || (scope === 'Cluster') === (kind === 'ClusterResourceOverride');
}

/** Warnings about selectors that the kind of their override can never match, with the kind that can. */
export const misscopedSelectors = (fleet: Fleet): Problem[] =>
  fleet.overrides.flatMap((override) =>
    selectorsOf(override).flatMap((selector): Problem[] =>
      isInScope(override, selector, fleet)
        ? []
        : [
            fieldWarning(
              fleet,
              { kind: override.kind, ...override.metadata },
              { code: 'override-scope', path: `${selector.path}.kind`, ...warningOf(override, selector, fleet) },
            ),
          ],
    ),
  );

function warningOf(
  { kind, metadata }: Override,
  selector: OverrideSelector,
  { resources }: Fleet,
): { readonly why: string; readonly fix: string } {
  if (kind === 'ResourceOverride')
    return {
      why: `${selector.kind} is cluster-scoped, and a ResourceOverride changes only objects in its namespace, ${metadata.namespace ?? ''}`,
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
    why: `${selector.kind} is namespaced, and a ClusterResourceOverride changes such objects only through their Namespace, all of them at once`,
    fix: `write a ResourceOverride in ${where}`,
  };
}
