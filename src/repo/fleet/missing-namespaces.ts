import type { ClusterName } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Plan } from '../../engine/plan-document.ts';
import { isReservedNamespace } from '../../engine/selection/placeable.ts';
import { placementTargets } from '../../engine/target-kinds.ts';
import { fieldWarning } from './field-warning.ts';

/** Clusters named in one warning. */
const mostNamed = 3;

/**
 * Warnings about ResourcePlacements on clusters where no placement brings their namespace: each object fails there unless the cluster
 * has the namespace by other means. `plan`: that of the whole fleet, rolled out at once.
 */
export function missingNamespaces(plan: Plan, fleet: Fleet): Problem[] {
  const targets = placementTargets(plan.targets).filter(({ remove }) => !remove);
  const brought = new Set(
    targets.flatMap(({ clusterName, objects }) =>
      objects.flatMap(({ apiVersion, kind, name }) =>
        apiVersion === 'v1' && kind === 'Namespace' ? `${clusterName} ${name}` : [],
      ),
    ),
  );
  const lacking = Map.groupBy(
    targets.filter(
      ({ placement: { namespace }, clusterName }) =>
        namespace !== undefined && !isReservedNamespace(namespace) && !brought.has(`${clusterName} ${namespace}`),
    ),
    ({ placement }) => `${placement.namespace}/${placement.name}`,
  );
  return [...lacking.values()].map((of) => {
    const { placement } = of[0]!;
    const clusters = of.map(({ clusterName }): ClusterName => clusterName).sort();
    return fieldWarning(fleet, placement, {
      code: 'namespace-not-placed',
      path: 'metadata.namespace',
      why: `no placement brings the namespace ${placement.namespace} to ${listUpTo(clusters, mostNamed)}`,
      fix: 'add a ClusterResourcePlacement of the namespace for these clusters, unless they have it by other means',
    });
  });
}
