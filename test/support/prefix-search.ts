import { attempt, type Found, openSearch } from '../../src/engine/nodes/methods/attempt.ts';
import { removeEmpty } from '../../src/engine/nodes/methods/emptiness.ts';
import { isFree, type PlanState, planState } from '../../src/engine/nodes/methods/plan-state.ts';
import { priceOf } from '../../src/engine/nodes/methods/price-rules.ts';
import { openSpending } from '../../src/engine/nodes/methods/spending.ts';
import type { ClusterPlan } from '../../src/engine/nodes/plan-cluster.ts';
import { openScheduling } from '../../src/engine/nodes/simulate/scheduling.ts';

/**
 * What Karpenter's own search would save with its next commands, per hour: all empty nodes, then the longest valid prefix of the candidates
 * by bisection, or else the first single node that may go (core `multinodeconsolidation.go`, `singlenodeconsolidation.go`). The rules of
 * a valid command and the simulation are ours.
 */
export function prefixSaving({ state: planned, cluster }: ClusterPlan): number {
  const { market, pools, launch, now, gates, driftOf, coolDownOf } = planned;
  const scheduling = openScheduling({ cluster, pools: launch, now, underWay: new Map(), staying: new Set() });
  const state = planState({ cluster, market, pools, launch, scheduling, coming: [], now, gates, driftOf, coolDownOf });
  removeEmpty(state);
  const empty = state.drafts.flatMap(({ nodes }) => nodes.map((at) => cluster.nodes[at]!));
  return (priceOf(empty) ?? 0) + (nextCommand(state)?.saving ?? 0);
}

function nextCommand(state: PlanState): Found | undefined {
  const search = openSearch(state);
  const { bears } = openSpending(state, 'Underutilized');
  const list: number[] = [];
  for (const at of search.candidates) if (isFree(state, at) && bears([...list, at])) list.push(at);
  let best: Found | undefined;
  let [low, high] = [2, Math.min(list.length, 101)];
  while (low <= high) {
    const length = (low + high) >> 1;
    const found = attempt(list.slice(0, length), search);
    if (found) best = found;
    if (found) low = length + 1;
    else high = length - 1;
  }
  if (best) return best;
  for (const at of search.candidates) {
    const found = isFree(state, at) && bears([at]) ? attempt([at], search) : undefined;
    if (found) return found;
  }
  return undefined;
}
