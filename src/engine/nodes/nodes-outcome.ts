import type { SectionOutcome } from '../domain.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { by } from '../kernel/ordering.ts';
import { directoryOf, objectDocument } from '../record/documents.ts';
import type { World } from '../world.ts';
import { countedCluster } from './counted-cluster.ts';
import { cutToFleet } from './cut-to-fleet.ts';
import { type FleetLimits, fleetLimits } from './fleet-limits.ts';
import { type MemberOutcome, memberOutcome } from './member-outcome.ts';
import { type DeliveredNodeObjects, type NodeMember, nodeMembers } from './node-members.ts';
import { nodeProblems } from './node-problems.ts';
import { type ClusterPlan, planCluster } from './plan-cluster.ts';
import { type PlannedMember, type PlannedMembers, reusedPlans } from './reused-plan.ts';
import { withoutKept } from './start-commands.ts';

/**
 * Plans what becomes of the nodes of every member: computed alike in all modes, started only in mode execute. `earlier`: with it the
 * result is the same and takes less time.
 */
export function nodesOutcome(
  world: World,
  objects: DeliveredNodeObjects,
  earlier?: PlannedMembers,
): { readonly outcome: SectionOutcome<'nodes'>; readonly planned: readonly PlannedMember[] } {
  const now = parseInstant(world.input.now)!;
  const members = nodeMembers(world, objects);
  const reused = reusedPlans(earlier, world);
  const planned = members.map(
    (member): PlannedMember => ({ member, plan: reused(member, now) ?? planOf(member, world, now) }),
  );
  const done = memberOutcomes(planned, world, now);
  const section = done.map((of) => of.section);
  const targets = done.map(({ section: { clusterName }, target }) => ({ clusterName, nodes: target }));
  const outcome = {
    holds: done.flatMap(({ holds }) => holds),
    wakes: done.flatMap(({ wakes }) => wakes.map(formatInstant)),
    problems: nodeProblems(members, world, now),
    documents: directoryOf(
      'nodes',
      done.flatMap(({ section, document }) =>
        document ? [{ name: section.clusterName, document: objectDocument(document) }] : [],
      ),
      world.input.digest,
    ),
    approvals: [],
    targets: [targets],
    section,
    digested: () => [...section, ...targets],
    // A command that enters a phase.
    starts: section.some(({ commands }) => commands.some(({ since }) => since === world.input.now)),
  };
  return { outcome, planned };
}

/** What becomes of the nodes of every member at an instant, within the limits of the fleet; by name. Pauses are those of `world`. */
export function memberOutcomes(
  planned: readonly PlannedMember[],
  world: World,
  now: Instant,
): readonly MemberOutcome[] {
  const limits = limitsAt(planned, world, now);
  const order = new Map(limits.order.map((name, at) => [name, at]));
  const ordered = [...planned].sort((a, b) => order.get(a.member.name)! - order.get(b.member.name)!);
  // Those that were validated had a place before.
  const validated = ordered.map(({ member, plan }) => ({
    member,
    plan: plan && withoutKept(member, plan, { world, limits }),
  }));
  return validated
    .map(({ member, plan }) => {
      const cut = plan && cutToFleet(member, plan, { world, limits });
      return memberOutcome(member, cut?.plan, { world, limits, now, holds: cut?.holds ?? [] });
    })
    .sort(by(({ section }) => section.clusterName));
}

/** What the fleet allows at an instant, before the commands that begin then. */
export const limitsAt = (planned: readonly PlannedMember[], world: World, now: Instant): FleetLimits =>
  fleetLimits(
    world.input.fleet.config?.spec.nodeDisruption ?? {},
    planned.map(({ member, plan }) => countedCluster(member, plan, world)),
    now,
  );

/** Undefined where its nodes are not known. */
export function planOf(member: NodeMember, world: World, now: Instant): ClusterPlan | undefined {
  const { name: clusterName, mode, observation, pools, classes, market, record, launches } = member;
  if (observation === undefined) return undefined;
  const gates = world.input.fleet.config?.spec.nodeDisruption?.featureGates ?? { SpotToSpotConsolidation: false };
  const { digest } = world.input;
  return planCluster({
    ...{ clusterName, mode, observation, pools, classes, market, record, launches, gates, now, digest },
  });
}
