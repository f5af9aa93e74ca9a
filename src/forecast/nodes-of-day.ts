import type { Timestamp } from '../api/meta.ts';
import { freezeOf } from '../engine/freeze/freeze.ts';
import { formatInstant, type Instant, parseInstant } from '../engine/kernel/instant.ts';
import { sameValue } from '../engine/kernel/same-value.ts';
import { isNodePool } from '../engine/node-pools/pool.ts';
import { fleetBudgetChange } from '../engine/nodes/fleet-limits.ts';
import { memberOutcomes, planOf } from '../engine/nodes/nodes-outcome.ts';
import type { PlannedMember } from '../engine/nodes/reused-plan.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedNodes } from '../engine/plan-document.ts';

/** What may become of nodes at an instant, without a change and with it, if they are then as they are now. */
export interface NodesAt {
  readonly at: Timestamp;
  readonly isNow: boolean;
  readonly before: readonly LeavingNodes[];
  readonly after: readonly LeavingNodes[];
}

export type LeavingNodes = Pick<PlannedNodes, 'clusterName' | 'mode' | 'commands'>;

/** Now, and where the change touches what plans of nodes read, when budgets of pools or of the fleet change next, or freezes. */
export function nodesOfDay(before: PlanResult, after: PlanResult): readonly NodesAt[] {
  const { input } = after.contents.world;
  const now = { at: input.now, isNow: true, before: before.plan.nodes, after: after.plan.nodes };
  if (sameValue(disruptionIn(before), disruptionIn(after))) return [now];
  const found: NodesAt[] = [now];
  const start = parseInstant(input.now)!;
  let [was, is] = [before.nodes, after.nodes];
  for (let last = start; found.length <= mostInstants; ) {
    const at = Math.min(
      ...[...was, ...is].flatMap(changesOf),
      ...[before, after].flatMap((of) => fleetChanges(of, last)),
    );
    if (at > start + dayMs) break;
    was = plannedAt(before, at);
    is = plannedAt(after, at);
    found.push({
      at: formatInstant(at),
      isNow: false,
      before: leavingAt(before, was, at),
      after: leavingAt(after, is, at),
    });
    last = at;
  }
  return found;
}

const changesOf = ({ plan }: PlannedMember): Instant[] =>
  (plan?.poolsWith(new Set()) ?? []).flatMap(({ changesAt }) => parseInstant(changesAt ?? '') ?? []);

/** When a budget of the fleet or a freeze begins or ends next, where they keep nodes: in mode execute. */
function fleetChanges({ nodes, contents: { world } }: PlanResult, after: Instant): Instant[] {
  if (nodes.every(({ member }) => member.mode !== 'execute')) return [];
  const { fleet } = world.input;
  const pause = freezeOf(fleet, formatInstant(after));
  const pauseChange = pause.kind === 'paused' ? pause.until : pause.pausesAt;
  return [
    ...(fleet.config?.spec.nodeDisruption?.budgets ?? []).flatMap((budget) => fleetBudgetChange(budget, after) ?? []),
    ...[parseInstant(pauseChange ?? '') ?? []].flat(),
  ];
}

const plannedAt = ({ nodes, contents: { world } }: PlanResult, at: Instant): readonly PlannedMember[] =>
  nodes.map(({ member }) => ({ member, plan: planOf(member, world, at) }));

/** Within the limits of the fleet and its freezes at that instant. */
function leavingAt({ contents: { world } }: PlanResult, planned: readonly PlannedMember[], at: Instant) {
  const then = { ...world, pause: freezeOf(world.input.fleet, formatInstant(at)) };
  return memberOutcomes(planned, then, at).map(({ section }): LeavingNodes => section);
}

const dayMs = 86_400_000;
const mostInstants = 4;

const disruptionIn = ({ contents: { world } }: PlanResult) => {
  const { resources, overrides, config } = world.input.fleet;
  const pools = resources.flatMap(({ manifest }) => (isNodePool(manifest) ? [manifest] : []));
  return [pools, overrides, config?.spec.nodeDisruption];
};
