import { type MemberCluster, memberAgentOf } from '../api/member-cluster.ts';
import type { ClusterName } from '../api/meta.ts';
import { conditionIs, isFulfilled } from '../engine/kernel/condition.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlannedBinding, PlannedPlacement } from '../engine/plan-document.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import { isCordoned } from './clusters.ts';
import type { InEffect } from './in-effect.ts';
import { isBeingRemoved } from './tally.ts';

/** How a cluster is. */
export interface ClusterState {
  readonly name: string;
  readonly member: MemberCluster | undefined;
  readonly responds: boolean;
  readonly isHealthy: boolean;
  readonly isCordoned: boolean;
  /** It responds, and has all that placements assign to it, and nothing that is to be removed. */
  readonly isAsDesired: boolean;
}

/** All clusters of a fleet, those that need attention first, then those where something is under way, each by name. */
export function clusterStates(
  inEffect: Pick<InEffect, 'placements' | 'record'>,
  unreachable: ReadonlyMap<ClusterName, unknown>,
): readonly ClusterState[] {
  const members = recordedObjects('clusters', inEffect);
  const late = new Set(inEffect.placements.flatMap(lateClusters));
  const states = clusterNames(inEffect.placements, members.keys()).map((name): ClusterState => {
    const member = members.get(name)?.value;
    const responds = !unreachable.has(name as ClusterName);
    const isHealthy = !conditionIs(memberAgentOf(member?.status)?.conditions, 'Healthy', 'False');
    const cordoned = member !== undefined && isCordoned(member);
    return {
      name,
      member,
      responds,
      isHealthy,
      isCordoned: cordoned,
      isAsDesired: responds && !late.has(name as ClusterName),
    };
  });
  const rank = ({ responds, isHealthy, isAsDesired }: ClusterState): number =>
    responds && isHealthy ? (isAsDesired ? 2 : 1) : 0;
  const ranks = Map.groupBy(states, rank);
  return [0, 1, 2].flatMap((each) => ranks.get(each) ?? []);
}

/** By name. The longest list of decisions also names clusters that run nothing; without placements only the record does. */
function clusterNames(placements: InEffect['placements'], recorded: Iterable<string>): string[] {
  const looked = placements.reduce<PlannedPlacement['decisions']>(
    (most, { decisions }) => (decisions.length > most.length ? decisions : most),
    [],
  );
  const names = new Set<string>([...recorded, ...looked.map(({ clusterName }) => clusterName)]);
  for (const { bindings } of placements)
    for (const binding of bindings) if (isHeld(binding)) names.add(binding.clusterName);
  return [...names].sort();
}

/** Whether the cluster has something of the placement, or is to have it. */
export const isHeld = (binding: PlannedBinding): boolean =>
  binding.state !== 'Scheduled' && binding.resourceSnapshotIndex !== undefined && !isBeingRemoved(binding);

/** A plan takes over the placements of the one before of which nothing changed: their bindings are not looked at again. */
const lateClusters = memoize(({ bindings }: PlannedPlacement): readonly ClusterName[] =>
  bindings.flatMap((binding) => {
    const { state, conditions, clusterName } = binding;
    const isDone = state === 'Bound' && isFulfilled(conditions) && !conditionIs(conditions, 'RolloutStarted', 'False');
    return isDone && !isBeingRemoved(binding) ? [] : clusterName;
  }),
);
