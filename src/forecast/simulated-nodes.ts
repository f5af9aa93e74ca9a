import type { ClusterName, Timestamp } from '../api/meta.ts';
import type { DisruptionMode } from '../api/nodes/disruption-modes.ts';
import type { NodeCommand } from '../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { PlanInput } from '../engine/input.ts';
import { formatInstant } from '../engine/kernel/instant.ts';
import { blockRules } from '../engine/nodes/candidates/blockers.ts';
import type { ClusterPlan } from '../engine/nodes/plan-cluster.ts';
import type { PlannedMember } from '../engine/nodes/reused-plan.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedNodes } from '../engine/plan-document.ts';
import type { Assumptions } from './assumptions.ts';
import { type CarriedOut, withLaunched, withMarked, withoutNodes, withReady } from './node-changes.ts';

/** A command in virtual time. */
export interface NodeSpan {
  readonly clusterName: ClusterName;
  readonly mode: DisruptionMode;
  readonly command: NodeCommand;
  readonly from: Timestamp;
  /** Its nodes are gone. Absent: not by the horizon. */
  readonly to?: Timestamp;
}

interface Running {
  readonly at: number;
  phase: NodeCommand['phase'];
}

interface Due {
  readonly at: number;
  readonly cluster: ClusterName;
  readonly change: (observed: ClusterObservation) => ClusterObservation;
}

/**
 * Nodes of a forecast: replacements are ready, and drained nodes gone, each the same time after it was asked for. In mode `execute`
 * gitfleet takes each step of a command; elsewhere every command that is proposed is carried out at once, as Karpenter would.
 */
export function simulatedNodes(
  { observations }: Pick<PlanInput, 'observations'>,
  {
    readyAfterMs,
    silent,
    disruptsNodes = true,
  }: Pick<Assumptions, 'readyAfterMs' | 'disruptsNodes'> & { readonly silent: ReadonlySet<ClusterName> },
) {
  let members: ReadonlyMap<ClusterName, ClusterObservation> = new Map(
    [...((disruptsNodes && observations) || [])].filter(
      ([name, { nodes, pods }]) => nodes && pods && !silent.has(name),
    ),
  );
  let due: readonly Due[] = [];
  const spans: (NodeSpan | undefined)[] = [];
  const running = new Map<ClusterName, Map<string, Running>>();

  function apply(cluster: ClusterName, change: Due['change']): void {
    members = new Map(members).set(cluster, change(members.get(cluster)!));
  }
  function later(at: number, cluster: ClusterName, change: Due['change']): void {
    if (Number.isFinite(at)) due = [...due, { at, cluster, change }];
  }

  function launch({ clusterName }: PlannedNodes, command: NodeCommand, of: PlannedMember, now: number): void {
    apply(clusterName, (seen) => withLaunched(seen, command, { ...of.member, now }));
  }
  function remove(
    planned: PlannedNodes,
    command: NodeCommand,
    { member, plan, now }: PlannedMember & { readonly plan: ClusterPlan; readonly now: number },
  ): void {
    const own = running.get(planned.clusterName)!;
    const { at } = own.get(command.id)!;
    const gone = drainedAt(command, plan, { now, readyAfterMs });
    const leaving: CarriedOut = { ...member, plan, now: gone };
    later(gone, planned.clusterName, (seen) => {
      own.delete(command.id);
      spans[at] = { ...spans[at]!, to: formatInstant(gone) };
      return withoutNodes(withReady(seen, command, gone), command, leaving);
    });
  }

  /** Takes the commands of one cluster from where they are to where the plan wants them. */
  function advance(planned: PlannedNodes, of: PlannedMember & { readonly plan: ClusterPlan }, now: number): void {
    const { clusterName, mode, commands } = planned;
    const own = running.get(clusterName) ?? new Map<string, Running>();
    running.set(clusterName, own);
    const acting = commands.filter(({ phase }) => mode !== 'execute' || phase !== 'Proposed');
    for (const command of acting) {
      const before = own.get(command.id);
      const at = before?.at ?? spans.push({ clusterName, mode, command, from: formatInstant(now) }) - 1;
      const phase = command.phase;
      own.set(command.id, { at, phase });
      if (mode === 'execute') {
        if (phase === 'Launching' && before?.phase !== phase) {
          launch(planned, command, of, now);
          later(now + readyAfterMs, clusterName, (seen) => withReady(seen, command, now + readyAfterMs));
        }
        if (phase === 'Removing' && before?.phase !== phase) remove(planned, command, { ...of, now });
      } else if (before === undefined) {
        apply(clusterName, (seen) => withMarked(seen, command));
        launch(planned, command, of, now);
        // Karpenter keeps a replacement for the pods that it is meant for: it counts from when they are there.
        remove(planned, command, { ...of, now: command.replacements.length > 0 ? now + readyAfterMs : now });
      }
    }
    if (mode !== 'execute') return;
    // Given up at the end of its validation, or by a pod that came to block it.
    const present = new Set(acting.map(({ id }) => id));
    for (const [id, { at }] of own)
      if (!present.has(id)) {
        own.delete(id);
        spans[at] = undefined;
      }
  }

  return {
    /** Of some member. */
    areKnown: members.size > 0,
    /** Instants at which nodes will be ready or gone. */
    look({ plan, nodes }: Pick<PlanResult, 'plan' | 'nodes'>, now: number): number[] {
      if (members.size === 0) return [];
      const byName = new Map(nodes.map((of) => [of.member.name, of]));
      for (const planned of plan.nodes) {
        const of = byName.get(planned.clusterName);
        if (of?.plan && members.has(planned.clusterName)) advance(planned, { ...of, plan: of.plan }, now);
      }
      return [...new Set(due.map(({ at }) => at))];
    },
    /** What members have at an instant; undefined: nothing is known of any node. */
    observationsAt(at: number): PlanInput['nodeObservations'] {
      if (members.size === 0) return undefined;
      for (const { cluster, change } of due.filter((one) => one.at <= at)) apply(cluster, change);
      due = due.filter((one) => one.at > at);
      return members;
    },
    spans: (): readonly NodeSpan[] => spans.filter((span) => span !== undefined),
  };
}

/** When the last of its nodes is drained. What protects a pod holds its drain until it ends, or until the deadline of the drain. */
function drainedAt(
  { nodes }: NodeCommand,
  { cluster, state }: ClusterPlan,
  { now, readyAfterMs }: { readonly now: number; readonly readyAfterMs: number },
): number {
  const context = { ...cluster, classOf: state.scheduling.classOf, now };
  const names = new Set(nodes.map(({ name }) => name));
  const ends = cluster.nodes
    .filter(({ name }) => names.has(name))
    .map((node) => {
      const holds = podRules.flatMap(({ find }) => find(node, context) ?? []);
      const free = Math.max(now + readyAfterMs, ...holds.map(({ until }) => until ?? Number.POSITIVE_INFINITY));
      return Math.min(free, now + (node.claim?.terminationGraceMs ?? Number.POSITIVE_INFINITY));
    });
  return Math.max(now, ...ends);
}

const podRules = blockRules.filter(({ isOfPod }) => isOfPod);
