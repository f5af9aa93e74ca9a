import type { DisruptionMethod } from '../../../api/nodes/node-plan.ts';
import type { Instant } from '../../kernel/instant.ts';
import type { Labels } from '../../kernel/selector.ts';
import { type DisruptionReason, limitOf, remainingOf } from '../../node-pools/budgets.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { type Blocker, type BlockerContext, blockerOf, blockerOfForced } from '../candidates/blockers.ts';
import type { Drift } from '../candidates/drift.ts';
import type { ClusterNode, ClusterNodes } from '../cluster/cluster-nodes.ts';
import type { Pod } from '../cluster/pod.ts';
import { addsDisruption, poolCounts } from '../cluster/pool-counts.ts';
import type { Launchable, LaunchPool } from '../launch/launchables.ts';
import type { Market } from '../launch/market.ts';
import type { Launched, Scheduling } from '../simulate/scheduling.ts';

/** Nodes that go together, and what comes instead, before it has a name. */
export interface Draft {
  readonly method: DisruptionMethod;
  readonly reason: DisruptionReason;
  /** Indexes of nodes. */
  readonly nodes: readonly number[];
  readonly replacements: readonly DraftReplacement[];
  /** By pod: the index of a node or of a replacement; undefined = no place is held. */
  readonly moves: readonly {
    readonly pod: Pod;
    readonly to: { readonly node: number } | { readonly replacement: number } | undefined;
  }[];
}

export interface DraftReplacement {
  readonly pool: string;
  readonly chosen: Launchable;
  /** Cheapest first. */
  readonly options: readonly string[];
  /** That do not follow from its type: the pool leaves a choice. */
  readonly labels: Labels;
}

/** What the methods of one plan share: each sees what those before it took. */
export interface PlanState {
  readonly cluster: ClusterNodes;
  readonly market: Market;
  readonly pools: ReadonlyMap<string, Pool>;
  readonly launch: readonly LaunchPool[];
  readonly scheduling: Scheduling;
  /** Replacements of commands under way that are not there yet. */
  readonly coming: readonly Launched[];
  readonly now: Instant;
  readonly gates: { readonly SpotToSpotConsolidation: boolean };
  readonly driftOf: (at: number) => Drift | undefined;
  readonly coolDownOf: (node: ClusterNode) => Instant | undefined;
  readonly blockers: (at: number) => Blocker | undefined;
  readonly forcedBlockers: (at: number) => Blocker | undefined;
  /** How many more nodes of a pool may go for a reason. `later`: names of nodes on their way out that do not count. */
  readonly remaining: (pool: Pool, reason: DisruptionReason, later?: ReadonlySet<string>) => number;
  readonly isTaken: (at: number) => boolean;
  readonly take: (draft: Draft) => void;
  readonly drafts: readonly Draft[];
  /** Wanted nodes that a budget keeps, by pool and reason. */
  readonly overBudget: Map<string, Set<number>>;
  /** Nodes that are to be replaced, as drifted ones are, and cannot go now: why. */
  readonly unplaced: Map<number, { readonly why: 'NoPlaceForPods' | 'PoolLimit'; readonly message: string }>;
}

export function planState(
  of: Pick<
    PlanState,
    'cluster' | 'market' | 'pools' | 'launch' | 'scheduling' | 'coming' | 'now' | 'gates' | 'driftOf' | 'coolDownOf'
  >,
): PlanState {
  const { cluster, scheduling, now } = of;
  const context: BlockerContext = { ...cluster, classOf: scheduling.classOf, now };
  const drafts: Draft[] = [];
  const taken = new Set<number>();
  const cache = new Map<number, Blocker | undefined>();
  const forced = new Map<number, Blocker | undefined>();
  const blocker = (of: Map<number, Blocker | undefined>, at: number, find: typeof blockerOf): Blocker | undefined => {
    if (!of.has(at)) of.set(at, find(cluster.nodes[at]!, context));
    return of.get(at);
  };
  const counts = new Map<string, ReturnType<typeof poolCounts>>();
  const countsOf = (pool: string) => {
    const known = counts.get(pool) ?? poolCounts(cluster.nodes, pool);
    counts.set(pool, known);
    return known;
  };
  return {
    ...of,
    blockers: (at) => blocker(cache, at, blockerOf),
    forcedBlockers: (at) => blocker(forced, at, blockerOfForced),
    remaining(pool, reason, later) {
      const { total, disrupting } = countsOf(pool.name);
      const apart = later && cluster.nodes.filter(({ name }) => later.has(name));
      const before = apart ? disrupting - poolCounts(apart, pool.name).disrupting : disrupting;
      let own = 0;
      for (const at of taken) {
        const node = cluster.nodes[at]!;
        if (node.poolName === pool.name && addsDisruption(node)) own++;
      }
      return remainingOf(limitOf(pool.budgets, reason, total, now), before + own);
    },
    isTaken: (at) => taken.has(at),
    take(draft) {
      drafts.push(draft);
      for (const at of draft.nodes) taken.add(at);
    },
    drafts,
    overBudget: new Map(),
    unplaced: new Map(),
  };
}

/** Notes that a node would go for the reason if the budget of its pool let it. */
export function noteOverBudget({ overBudget }: Pick<PlanState, 'overBudget'>, pool: string, at: number): void {
  const nodes = overBudget.get(pool) ?? new Set<number>();
  nodes.add(at);
  overBudget.set(pool, nodes);
}

/** Notes that a node which is to be replaced is to take in pods of others first, if so it is. */
export function noteTakesIn({ unplaced, scheduling, cluster }: PlanState, at: number): void {
  if (!scheduling.hasTakenIn(at)) return;
  const message = `node ${cluster.nodes[at]!.name} is to take in pods of other nodes: it may go once they are there`;
  unplaced.set(at, { why: 'NoPlaceForPods', message });
}

/** Not blocked, not cooling down, not part of another command, and not about to take in pods. */
export const isFree = (state: PlanState, at: number): boolean =>
  !state.isTaken(at) && !state.scheduling.hasTakenIn(at) && state.coolDownOf(state.cluster.nodes[at]!) === undefined;

export const isConsolidatable = ({ consolidatableAt, pool }: ClusterNode, now: Instant): boolean =>
  pool !== undefined && pool.replicas === undefined && consolidatableAt !== undefined && consolidatableAt <= now;

/** By saving for each unit of disruption, the greatest first (core: SavingsRatio); an unknown price counts as 0. */
export const bySavings =
  (nodes: readonly ClusterNode[]) =>
  (a: number, b: number): number =>
    ratioOf(nodes[b]!) - ratioOf(nodes[a]!) || (nodes[a]!.name < nodes[b]!.name ? -1 : 1);

const ratioOf = ({ price = 0, disruptionCost }: ClusterNode): number => price / disruptionCost;
