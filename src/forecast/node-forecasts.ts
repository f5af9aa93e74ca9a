import type { ClusterName, Timestamp } from '../api/meta.ts';
import type { DisruptionMode } from '../api/nodes/disruption-modes.ts';
import type { BlockedNode, DisruptionMethod, NodeCommand } from '../api/nodes/node-plan.ts';
import type { Hold, HoldReason } from '../engine/plan-document.ts';
import type { NodeSpan } from './simulated-nodes.ts';
import type { ForecastRun, ForecastStep } from './steps.ts';

/** Which nodes of a cluster go when, and which stay, and why. */
export interface NodeForecast {
  readonly clusterName: ClusterName;
  /** Other than `execute`: what could go, whoever removes it. */
  readonly mode: DisruptionMode;
  /** False: its nodes are not known, and nothing is forecast for them. */
  readonly isObserved: boolean;
  /** Of prices; absent = no PriceList applies. */
  readonly currency?: string;
  /** In order of their start. */
  readonly commands: readonly NodeCommandSpan[];
  /** What keeps nodes that would go. */
  readonly waits: readonly NodeWait[];
  /** Nodes that may not go at the end of the forecast. */
  readonly blocked: readonly BlockedNode[];
}

export interface NodeCommandSpan {
  readonly method: DisruptionMethod;
  readonly from: Timestamp;
  /** Its nodes are gone. Absent: not by the horizon. */
  readonly to?: Timestamp;
  readonly nodes: NodeCommand['nodes'];
  readonly replacements: NodeCommand['replacements'];
  /** Per hour; absent where it is not meant to save anything, or prices are not known. */
  readonly saving?: number;
}

export interface NodeWait {
  readonly reason: HoldReason;
  /** The NodePool; absent: it keeps all nodes of the cluster. */
  readonly pool?: string;
  readonly from: Timestamp;
  /** Absent: it lasts until the horizon, or longer. */
  readonly to?: Timestamp;
  /** As it reads when it begins. */
  readonly message: string;
}

/** Members whose nodes the plans look at, by name. */
export function nodeForecasts({ steps, nodes: spans }: Pick<ForecastRun, 'steps' | 'nodes'>): readonly NodeForecast[] {
  const [first, last] = [steps[0]!.result, steps.at(-1)!.result];
  const markets = new Map(first.nodes.map(({ member, plan }) => [member.name, { member, plan }]));
  const waits = waitsOf(steps);
  return last.plan.nodes.map(({ clusterName, mode, blocked }): NodeForecast => {
    const of = markets.get(clusterName);
    const currency = of?.member.market.currency;
    return {
      clusterName,
      mode,
      isObserved: of?.plan !== undefined,
      ...(currency === undefined ? {} : { currency }),
      commands: spans.filter((span) => span.clusterName === clusterName).map(commandSpan),
      waits: waits.get(clusterName) ?? [],
      blocked,
    };
  });
}

function commandSpan({ command, from, to }: NodeSpan): NodeCommandSpan {
  const { method, reason, nodes, replacements, priceBefore, priceAfter } = command;
  const saves = (reason === 'Empty' || reason === 'Underutilized') && priceBefore !== undefined;
  return {
    method,
    from,
    ...(to === undefined ? {} : { to }),
    nodes,
    replacements,
    ...(saves ? { saving: Number((priceBefore - priceAfter).toFixed(9)) } : {}),
  };
}

/** Reasons of holds that keep nodes. */
const keeping: ReadonlySet<HoldReason> = new Set([
  'NodeBudget',
  'NoLauncher',
  'CommandRolledBack',
  'FleetNodeBudget',
  'NodeWave',
  'Freeze',
  'ClusterUpgrading',
]);

/** From when until when something keeps the nodes of each cluster. */
function waitsOf(steps: readonly ForecastStep[]): ReadonlyMap<string, readonly NodeWait[]> {
  const found = new Map<string, NodeWait[]>();
  const open = new Map<string, { readonly list: NodeWait[]; readonly at: number }>();
  for (const { now, result } of steps) {
    const planned = new Set<string>(result.plan.nodes.map(({ clusterName }) => clusterName));
    const held = new Map(
      result.plan.holds.flatMap((hold): [string, Hold][] => {
        const cluster = clusterOf(hold);
        if (cluster === undefined || !planned.has(cluster) || !keeping.has(hold.reason)) return [];
        return [[`${cluster} ${hold.subject.kind} ${hold.subject.name} ${hold.reason}`, hold]];
      }),
    );
    for (const [key, { list, at }] of open)
      if (!held.has(key)) {
        list[at] = { ...list[at]!, to: now };
        open.delete(key);
      }
    for (const [key, hold] of held) {
      if (open.has(key)) continue;
      const cluster = clusterOf(hold)!;
      const list = found.get(cluster) ?? [];
      found.set(cluster, list);
      const { subject, reason, message } = hold;
      const pool = subject.kind === 'NodePool' ? { pool: subject.name } : {};
      open.set(key, { list, at: list.push({ reason, ...pool, from: now, message }) - 1 });
    }
  }
  return found;
}

const clusterOf = ({ subject: { kind, name, clusterName } }: Hold): string | undefined =>
  kind === 'NodePool' ? clusterName : kind === 'MemberCluster' ? name : undefined;
