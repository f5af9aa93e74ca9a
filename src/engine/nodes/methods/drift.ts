import type { Pool } from '../../node-pools/pool.ts';
import type { ClusterNode } from '../cluster/cluster-nodes.ts';
import type { Pod } from '../cluster/pod.ts';
import { daemonSetsOf, type LaunchPool, launchPool } from '../launch/launchables.ts';
import { domainOfNew, emptyNode, type NewNode, withPod, withRoomFor } from '../simulate/new-node.ts';
import { chooseFrom } from './choose.ts';
import { replaceOneByOne } from './graceful.ts';
import { type Draft, isFree, noteOverBudget, noteTakesIn, type PlanState } from './plan-state.ts';

/** Drifted nodes that may go, but not more than `most`: those without pods to move first, then the longest drifted. */
export function replaceDrifted(state: PlanState, mostNew: number, most: number): void {
  const due = drifted(state, ({ pool }) => pool!.replicas === undefined);
  replaceOneByOne(due, { method: 'Drift', reason: 'Drifted', mostNew, most }, state);
}

function drifted(state: PlanState, isMeant: (node: ClusterNode) => boolean): readonly number[] {
  const { nodes } = state.cluster;
  return [...nodes.keys()]
    .flatMap((at) => {
      const node = nodes[at]!;
      const drift = state.driftOf(at);
      if (drift === undefined || !isMeant(node) || isBlocked(state, at)) return [];
      const isBare = !node.pods.some(({ isReschedulable }) => isReschedulable);
      return [{ at, since: drift.since, isBare, createdAt: node.claim!.createdAt }];
    })
    .sort(
      (a, b) => Number(b.isBare) - Number(a.isBare) || a.since - b.since || a.createdAt - b.createdAt || a.at - b.at,
    )
    .map(({ at }) => at);
}

/** A drain with a deadline ends what pods have against it. */
export const isBlocked = (state: PlanState, at: number): boolean =>
  (state.cluster.nodes[at]!.claim?.terminationGraceMs === undefined ? state.blockers(at) : state.forcedBlockers(at)) !==
  undefined;

/** Drifted nodes of static pools, but not more than `most`. */
export const replaceDriftedStatic = (state: PlanState, most: number): void =>
  replaceStatic(state, {
    method: 'StaticDrift',
    reason: 'Drifted',
    most,
    dueOf: (pool) => drifted(state, (node) => node.pool === pool),
  });

/**
 * Of static pools each node that is due gets one replacement, without a simulation: as many as budget and surge bear, but not more than
 * `most`.
 * A pool that has more claims than replicas, replacements for nodes of commands under way among them, waits until some are gone.
 */
export function replaceStatic(
  state: PlanState,
  {
    method,
    reason,
    most,
    dueOf,
  }: Pick<Draft, 'method' | 'reason'> & {
    readonly most: number;
    readonly dueOf: (pool: Pool) => readonly number[];
  },
): void {
  const { cluster, market } = state;
  const types = [...(market.types?.values() ?? [])];
  const daemons = daemonSetsOf(cluster.extras);
  const before = state.drafts.length;
  for (const [name, pool] of state.pools) {
    if (pool.replicas === undefined) continue;
    const claims = [...cluster.nodes.flatMap(({ claim }) => claim ?? []), ...cluster.claimsWithoutNode].filter(
      ({ poolName }) => poolName === name,
    );
    const coming = state.coming.filter(({ pool: of }) => of === name).length;
    const running = claims.filter(({ isDeleting, node = '' }) => !isDeleting && !cluster.removing.has(node)).length;
    const due = dueOf(pool);
    if (due.length === 0) continue;
    const room =
      pool.limits?.get('nodes') === undefined ? due.length : pool.limits.get('nodes')! - claims.length - coming;
    const from = launchPool(pool, types, daemons);
    let launched = state.drafts
      .flatMap(({ replacements }) => replacements)
      .filter(({ pool: of }) => of === name).length;
    for (const at of due) {
      if (state.drafts.length - before >= most) return;
      if (!isFree(state, at)) noteTakesIn(state, at);
      else if (running + coming > pool.replicas)
        state.unplaced.set(at, {
          why: 'PoolLimit',
          message: `NodePool ${name} has ${running + coming} nodes with those that are coming, more than its ${pool.replicas} replicas: it is replaced once there are no more`,
        });
      else if (state.remaining(pool, reason) === 0) noteOverBudget(state, name, at);
      else if (launched >= room)
        state.unplaced.set(at, {
          why: 'PoolLimit',
          message: `limits.nodes of NodePool ${name} leaves no room for a replacement`,
        });
      else if (from.launchables.length === 0)
        state.unplaced.set(at, { why: 'NoPlaceForPods', message: `NodePool ${name} can launch nothing` });
      else {
        const { node, landed, moves } = oneForOne(at, from, state);
        const draft = { method, reason, nodes: [at], replacements: [chooseFrom(node, node.options)], moves };
        // A drain with a deadline is not asked for: its pods must have a place.
        if (reason === 'Expired' && draft.moves.some(({ to }) => to === undefined)) {
          const message = `no node that NodePool ${name} can launch holds all of its pods`;
          state.unplaced.set(at, { why: 'NoPlaceForPods', message });
          continue;
        }
        launched++;
        state.take(draft);
        state.scheduling.commit([at], { ok: true, landed, newNodes: [node] });
      }
    }
  }
}

/**
 * One node for one: the cheapest that holds all of its pods, or those of them that fit. Those that other pods keep away count too: they
 * may come later.
 */
function oneForOne(
  at: number,
  from: LaunchPool,
  { cluster, scheduling }: PlanState,
): Pick<Draft, 'moves'> & { readonly node: NewNode; readonly landed: ReadonlyMap<Pod, string> } {
  const { classOf, state } = scheduling;
  const pods = cluster.nodes[at]!.pods.filter(({ isReschedulable }) => isReschedulable);
  const mark = state.mark();
  state.remove(at);
  let node: NewNode = emptyNode(from, 'new node 1', undefined);
  for (const pod of pods) {
    const grown = withPod(node, pod, classOf(pod), state);
    if (grown === undefined) continue;
    node = grown;
    state.countOnNew(classOf(pod), (key) => domainOfNew(grown, key));
  }
  state.rollback(mark);
  const landed = new Map(node.pods.map((pod) => [pod, node.hostname]));
  for (const pod of pods) if (!landed.has(pod)) node = withRoomFor(node, pod, classOf(pod)) ?? node;
  return { node, landed, moves: pods.map((pod) => ({ pod, to: landed.has(pod) ? { replacement: 0 } : undefined })) };
}
