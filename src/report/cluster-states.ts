import { type MemberCluster, memberAgentOf } from '../api/member-cluster.ts';
import type { ClusterName } from '../api/meta.ts';
import type { ScopeStatus, UpgradeState } from '../api/upgrade-status.ts';
import { conditionIs, isFulfilled } from '../engine/kernel/condition.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlannedBinding, PlannedPlacement } from '../engine/plan-document.ts';
import { allMembers, isInFlight, isTerminal } from '../engine/upgrade/tree.ts';
import { recordedObjects } from '../repo/record/recorded-objects.ts';
import { isCordoned } from './clusters.ts';
import type { InEffect } from './in-effect.ts';
import { boundClusters, isBeingRemoved, isRequired } from './tally.ts';

/** How a cluster is. */
export interface ClusterState {
  readonly name: string;
  readonly member: MemberCluster | undefined;
  readonly responds: boolean;
  readonly isHealthy: boolean;
  readonly isCordoned: boolean;
  /** How its last upgrade is; undefined = it succeeded, or there was none. */
  readonly upgrade: 'in progress' | 'failed' | undefined;
  /** It responds, and has all that placements and cluster update runs bring to it, and nothing that is to be removed. */
  readonly isAsDesired: boolean;
}

/** All clusters of a fleet, those that need attention first, then those where something is under way, each by name. */
export function clusterStates(
  inEffect: Pick<InEffect, 'placements' | 'record'>,
  unreachable: ReadonlyMap<ClusterName, unknown>,
): readonly ClusterState[] {
  const members = recordedObjects('clusters', inEffect);
  const late = new Set(inEffect.placements.flatMap(lateClusters));
  const upgrades = lastUpgrades(inEffect);
  const states = clusterNames(inEffect.placements, members.keys()).map((name): ClusterState => {
    const member = members.get(name)?.value;
    const responds = !unreachable.has(name as ClusterName);
    const isHealthy = !conditionIs(memberAgentOf(member?.status)?.conditions, 'Healthy', 'False');
    const cordoned = member !== undefined && isCordoned(member);
    const upgrade = upgradeText[upgrades.get(name)?.state ?? 'NotStarted'];
    return {
      name,
      member,
      responds,
      isHealthy,
      isCordoned: cordoned,
      upgrade,
      isAsDesired: responds && upgrade === undefined && !late.has(name as ClusterName),
    };
  });
  const rank = (state: ClusterState): number => (needsAttention(state) ? 0 : state.isAsDesired ? 2 : 1);
  const ranks = Map.groupBy(states, rank);
  return [0, 1, 2].flatMap((each) => ranks.get(each) ?? []);
}

/** It is not well, which does not end by itself. */
export const needsAttention = ({ responds, isHealthy, upgrade }: ClusterState): boolean =>
  !responds || !isHealthy || upgrade === 'failed';

const upgradeText: Partial<Readonly<Record<UpgradeState, ClusterState['upgrade']>>> = {
  Running: 'in progress',
  Failed: 'failed',
};

/** Of each cluster the entry in the cluster update run that did something with it last. */
function lastUpgrades(inEffect: Pick<InEffect, 'record'>): ReadonlyMap<string, ScopeStatus> {
  const last = new Map<string, ScopeStatus>();
  for (const { value } of recordedObjects('upgrades', inEffect).values())
    for (const { name, status } of value.status ? allMembers(value.status) : [])
      if ((isInFlight({ status }) || isTerminal({ status })) && sinceOf(status) >= sinceOf(last.get(name)))
        last.set(name, status);
  return last;
}

const sinceOf = (status: ScopeStatus | undefined): number =>
  parseInstant(status?.completedTime ?? status?.startTime ?? '') ?? 0;

/**
 * By name. The longest list of decisions also names clusters that run nothing; without placements only the record does. A cluster that left
 * is not among them, although its bindings may stay until the next update run.
 */
function clusterNames(placements: InEffect['placements'], recorded: Iterable<string>): string[] {
  const looked = placements.reduce<PlannedPlacement['decisions']>(
    (most, { decisions }) => (decisions.length > most.length ? decisions : most),
    [],
  );
  const names = new Set<string>([...recorded, ...looked.map(({ clusterName }) => clusterName)]);
  for (const placement of placements)
    boundClusters(placement).forEach((name, at) => {
      const binding = placement.bindings[at]!;
      if (!names.has(name) && isHeld(binding) && isRequired(binding)) names.add(name);
    });
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
