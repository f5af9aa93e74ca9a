import type { ClusterName, Condition, Manifest, Timestamp } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import { refOf } from '../../api/placement.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import { someOf } from '../kernel/some-of.ts';
import { placementLabel, placementLabelValue } from '../overrides/ownership.ts';
import type { Hold } from '../plan-document.ts';
import { leavingSteps, type PlacementWork } from '../working.ts';

/** A removal that takes longer is told (KubeFleet work applier, deletion-wait-time). */
const patienceMs = 300_000;

/**
 * Objects of bindings on their way out that the member has marked as deleted for five minutes and that are still there,
 * with what they wait for; and the instants at which others become such.
 */
export function stuckRemovals(context: {
  readonly works: readonly Pick<PlacementWork, 'placement' | 'bindings'>[];
  readonly observationOf: (cluster: ClusterName) => ClusterObservation | undefined;
  readonly now: Timestamp;
  readonly digest: (text: string) => string;
}): { readonly holds: Hold[]; readonly wakes: Timestamp[] } {
  const holds: Hold[] = [];
  const wakes: Timestamp[] = [];
  const now = parseInstant(context.now) ?? 0;
  for (const { placement, bindings } of context.works) {
    const ref = refOf(placement);
    for (const { binding } of leavingSteps(bindings)) {
      const observation = context.observationOf(binding.targetCluster);
      if (!observation?.reachable) continue;
      const label = placementLabelValue(ref, context.digest);
      const stuck: Manifest[] = [];
      for (const object of observation.objects) {
        const since = parseInstant(object.metadata.deletionTimestamp ?? '');
        if (since === undefined || object.metadata.labels?.[placementLabel] !== label) continue;
        if (now - since >= patienceMs) stuck.push(object);
        else wakes.push(formatInstant(since + patienceMs));
      }
      if (stuck.length > 0)
        holds.push({
          subject: { ...ref, clusterName: binding.targetCluster },
          reason: 'RemovalPending',
          message: `on ${binding.targetCluster} ${told(stuck)}`,
        });
    }
  }
  return { holds, wakes };
}

function told(stuck: readonly Manifest[]): string {
  const said = stuck.map((object) => {
    const { name, namespace, deletionTimestamp } = object.metadata;
    const waits = waitsFor(object);
    return `${object.kind} ${namespace ? `${namespace}/` : ''}${name} is being removed since ${deletionTimestamp}${waits === '' ? '' : ` and waits for ${waits}`}`;
  });
  return someOf(said, 3, '; ');
}

/** Its finalizers; a namespace says itself what is left in it. */
function waitsFor(object: Manifest): string {
  const { conditions = [] } = (object['status'] ?? {}) as { conditions?: readonly Condition[] };
  const left =
    object.kind === 'Namespace' ? conditions.filter(({ type, status }) => isLeft.has(type) && status === 'True') : [];
  return [...(object.metadata.finalizers ?? []), ...left.map(({ message = '' }) => message)].join(', ');
}

const isLeft: ReadonlySet<string> = new Set([
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
  'NamespaceContentRemaining',
  'NamespaceFinalizersRemaining',
]);
