import type { DisruptionMode } from '../../api/nodes/disruption-modes.ts';
import type { NodeDisruption } from '../../api/nodes/node-disruption.ts';
import type { NodeCommand } from '../../api/nodes/node-plan.ts';
import { formatInstant, type Instant, parseInstant } from '../kernel/instant.ts';
import { scale } from '../kernel/int-or-percent.ts';
import { by } from '../kernel/ordering.ts';
import { type Labels, matchesSelector } from '../kernel/selector.ts';
import type { Hold } from '../plan-document.ts';
import { parseWindow } from '../window/parse-window.ts';
import { allClosedAt, changesAfter, type Window } from '../window/window.ts';

/** A member as the limits above the pools count it. */
export interface CountedCluster {
  readonly name: string;
  readonly mode: DisruptionMode;
  readonly labels: Labels;
  /** N of all pools. */
  readonly nodes: number;
  /** Deleting, marked, or of commands under way. */
  readonly disrupting: number;
  /** The commands among these, with the nodes of them that are there. */
  readonly underWay: readonly Taking[];
  /** A command is under way, or begins in any case. */
  readonly hasCommand: boolean;
  /** An update run upgrades it: a disruption as well, which may replace the very nodes that have drifted. */
  readonly isUpgrading: boolean;
  readonly driftedNodes: number;
  /** False = its nodes are not known: a later wave waits for it. */
  readonly isObserved: boolean;
}

type FleetBudget = NonNullable<NodeDisruption['budgets']>[number];

type Taking = Pick<NodeCommand, 'reason' | 'startedAt' | 'nodes'>;

/** What a budget reads of a command that asks for a place. */
type Asking = Pick<NodeCommand, 'reason' | 'startedAt'> & { readonly nodes: { readonly length: number } };

type Verdict = Pick<Hold, 'reason' | 'message' | 'until'> | undefined;

/** How many more nodes of a cluster a budget of the fleet lets go; `at`: its place in the list. */
interface FleetAllowance {
  readonly at: number;
  readonly nodes: number;
}

export interface FleetLimits {
  /** Order in which clusters get places. */
  readonly order: readonly string[];
  /** Why a command may not begin; undefined = it may, and is counted from now on. */
  readonly admit: (cluster: string, command: NodeCommand) => Verdict;
  /** How many of the nodes of a command budgets let go. */
  readonly most: (cluster: string, command: NodeCommand) => number;
  /** What each active budget that selects a cluster allows there, of its nodes. */
  readonly allowances: (cluster: string) => readonly FleetAllowance[];
  /** A command that was admitted does not begin now. */
  readonly withdraw: (cluster: string, command: NodeCommand) => void;
}

export function fleetLimits(
  { budgets = [], waves = [] }: NodeDisruption,
  clusters: readonly CountedCluster[],
  now: Instant,
): FleetLimits {
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  const starting = new Map<string, readonly NodeCommand[]>();
  const startingOn = (name: string): readonly NodeCommand[] => starting.get(name) ?? [];
  const disrupting = (name: string): number => byName.get(name)!.disrupting + nodesOf(startingOn(name));
  const waveOf = ({ labels }: CountedCluster): number => {
    const at = waves.findIndex((wave) => matchesSelector(wave, labels));
    return at < 0 ? waves.length : at;
  };
  const active = activeBudgets(budgets, clusters, now);

  function overBudget(cluster: CountedCluster, command: Asking, among = active): Verdict {
    for (const { reasons, members, clusters: mostClusters, nodes: mostNodes, until, isInvalid } of among) {
      if (!members.includes(cluster) || (reasons !== undefined && !reasons.includes(command.reason))) continue;
      const hold = (message: string): Verdict => ({
        reason: 'FleetNodeBudget',
        message,
        ...(until === undefined ? {} : { until: formatInstant(until) }),
      });
      if (isInvalid)
        return hold('a fleet budget of nodeDisruption cannot be read, and allows nothing until it is fixed');
      const later = ({ name, underWay }: CountedCluster): number =>
        nodesOf([...underWay, ...startingOn(name)].filter((one) => isBegunAfter(one, command, reasons)));
      const taken = (member: CountedCluster): number => disrupting(member.name) - later(member);
      const busy = members.filter((member) => member.isUpgrading || taken(member) > 0);
      if (mostClusters !== undefined && !busy.includes(cluster)) {
        const limit = scale(mostClusters, members.length, 'up');
        if (busy.length >= limit)
          return hold(
            `a fleet budget allows disruption on ${limit} clusters at a time, and ${busy.length} have one under way`,
          );
      }
      if (mostNodes === undefined) continue;
      const total = members.reduce((sum, { nodes }) => sum + nodes, 0);
      const used = members.reduce((sum, member) => sum + taken(member), 0);
      const limit = scale(mostNodes, total, 'up');
      if (used + command.nodes.length > limit)
        return hold(
          `a fleet budget allows ${limit} nodes at a time: ${used} are disrupted, and the command has ${command.nodes.length}`,
        );
      const most = largestOf(members);
      if (!String(mostNodes).endsWith('%') || most.name === cluster.name) continue;
      const others = scale(mostNodes, total - most.surplus, 'up');
      const usedByOthers = used - taken(most);
      if (usedByOthers + command.nodes.length > others)
        return hold(
          `a fleet budget allows ${others} nodes at a time besides those of ${most.name}: ${usedByOthers} are disrupted, and the command has ${command.nodes.length}`,
        );
    }
    return undefined;
  }

  function beforeItsWave(cluster: CountedCluster, { reason }: NodeCommand): Verdict {
    if (reason !== 'Drifted') return undefined;
    const own = waveOf(cluster);
    const earlier = clusters
      .filter((other) => waveOf(other) < own)
      .find(({ name, driftedNodes, isObserved }) => driftedNodes > 0 || disrupting(name) > 0 || !isObserved);
    return (
      earlier && {
        reason: 'NodeWave',
        message: `drifted nodes of ${cluster.name} wait for an earlier wave: ${unfinished(earlier, disrupting(earlier.name))}`,
      }
    );
  }

  return {
    order: [...clusters]
      .sort(by(({ name }) => name))
      .sort((a, b) => Number(b.hasCommand) - Number(a.hasCommand) || waveOf(a) - waveOf(b))
      .map(({ name }) => name),
    admit(name, command) {
      const cluster = byName.get(name)!;
      const verdict = beforeItsWave(cluster, command) ?? overBudget(cluster, command);
      if (verdict === undefined) starting.set(name, [...startingOn(name), command]);
      return verdict;
    },
    most: (name, { nodes, ...command }) =>
      greatest(nodes.length, (most) => !overBudget(byName.get(name)!, { ...command, nodes: nodes.slice(0, most) })),
    allowances: (name) =>
      active.flatMap((budget): FleetAllowance[] => {
        const { at, reasons, members } = budget;
        const cluster = byName.get(name);
        if (cluster === undefined || !members.includes(cluster) || reasons?.length === 0) return [];
        const asking = { reason: reasons?.[0] ?? 'Drifted' } as const;
        const isAllowed = (length: number): boolean => !overBudget(cluster, { ...asking, nodes: { length } }, [budget]);
        return [{ at, nodes: greatest(cluster.nodes, isAllowed) }];
      }),
    withdraw: (name, { id }) =>
      starting.set(
        name,
        startingOn(name).filter((one) => one.id !== id),
      ),
  };
}

const nodesOf = (commands: readonly Pick<NodeCommand, 'nodes'>[]): number =>
  commands.reduce((sum, { nodes }) => sum + nodes.length, 0);

/** Whether a budget that is for other reasons let it begin after a command, which had its place by then and keeps it. */
const isBegunAfter = (one: Taking, command: Asking, reasons: readonly string[] | undefined): boolean =>
  command.startedAt !== undefined &&
  reasons?.includes(one.reason) === false &&
  (parseInstant(one.startedAt ?? '') ?? Number.POSITIVE_INFINITY) >= (parseInstant(command.startedAt) ?? 0);

/** Budgets whose window is open, with the members that they limit. One that cannot be read is always active. */
function activeBudgets(budgets: readonly FleetBudget[], clusters: readonly CountedCluster[], now: Instant) {
  return budgets.flatMap((budget, at) => {
    const { clusterSelector } = budget;
    const window = windowOf(budget);
    const isInvalid = window === 'invalid';
    if (typeof window === 'object' && window.closesAt(now) === undefined) return [];
    const until = typeof window === 'object' ? allClosedAt([window], now) : undefined;
    const members = clusters.filter(
      ({ labels }) => clusterSelector === undefined || matchesSelector(clusterSelector, labels),
    );
    return [{ ...budget, at, until, isInvalid, members }];
  });
}

/** Undefined = always active. */
function windowOf({ schedule, duration, timeZone }: FleetBudget): Window | 'invalid' | undefined {
  if (schedule === undefined || duration === undefined) return undefined;
  const parsed = parseWindow({ schedule, duration, timeZone });
  return parsed.ok ? parsed.window : 'invalid';
}

/** When time alone makes a budget active or inactive next, after an instant; undefined = never again. */
export function fleetBudgetChange(budget: FleetBudget, after: Instant): Instant | undefined {
  const window = windowOf(budget);
  return typeof window === 'object' ? changesAfter(window, after) : undefined;
}

/** The greatest number up to `most` that is allowed, where every smaller one is too; 0 = none is. */
function greatest(most: number, isAllowed: (number: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isAllowed(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What is left of a wave on one of its members, and who does it. */
function unfinished({ name, mode, driftedNodes, isObserved }: CountedCluster, disrupting: number): string {
  if (!isObserved) return `the nodes of ${name} are not observed`;
  if (driftedNodes === 0) return `${name} has ${disrupting} ${disrupting === 1 ? 'node' : 'nodes'} on the way out`;
  return `${name} has ${driftedNodes} drifted ${driftedNodes === 1 ? 'node' : 'nodes'}${replacedBy[mode]}`;
}

const replacedBy: Readonly<Record<DisruptionMode, string>> = {
  execute: '',
  delegate: ', which Karpenter replaces (mode delegate)',
  plan: ', which nothing replaces in mode plan: annotate it with gitfleet.dev/node-disruption: execute, or replace them',
};

/**
 * The member with most nodes, and how many more it has than the next. A member alone says how many it has: for others it counts with no
 * more than the largest of them has, so that a wrong number gives them little room.
 */
function largestOf(members: readonly CountedCluster[]): CountedCluster & { readonly surplus: number } {
  const [most, next] = [...members].sort((a, b) => b.nodes - a.nodes);
  return { ...most!, surplus: most!.nodes - (next?.nodes ?? 0) };
}
