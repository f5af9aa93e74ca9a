import { failureText, type Simulated } from '../simulate/place-pods.ts';
import { chooseFrom } from './choose.ts';
import { type Draft, isFree, noteOverBudget, noteTakesIn, type PlanState } from './plan-state.ts';

/** Lets so many nodes go one by one, each once all of its pods have a place: on nodes that stay, or on so many new ones. */
export function replaceOneByOne(
  candidates: readonly number[],
  {
    method,
    reason,
    mostNew,
    most,
  }: Pick<Draft, 'method' | 'reason'> & { readonly mostNew: number; readonly most: number },
  state: PlanState,
): void {
  const { cluster, scheduling } = state;
  const before = state.drafts.length;
  /** For which a pod that is simulated along had no place: it may have one once others have moved. */
  const again: number[] = [];
  for (const at of candidates) {
    if (state.drafts.length - before >= most) return;
    if (state.launch.length === 0) {
      state.unplaced.set(at, { why: 'NoPlaceForPods', message: nothingLaunches });
      continue;
    }
    const node = cluster.nodes[at]!;
    const pool = node.pool!;
    if (!isFree(state, at)) {
      noteTakesIn(state, at);
      continue;
    }
    if (state.remaining(pool, reason) === 0) {
      noteOverBudget(state, pool.name, at);
      continue;
    }
    const found = scheduling.simulate({
      leaving: [at],
      isConsolidation: false,
      mostNew,
      launchesNothing: mostNew === 0,
    });
    if (!found.ok) {
      if (found.pod !== undefined && found.pod.node !== node.name) again.push(at);
      if (mostNew === 0) continue;
      const why = found.why === 'pool-limit' ? 'PoolLimit' : 'NoPlaceForPods';
      state.unplaced.set(at, { why, message: failureText(found) });
      continue;
    }
    scheduling.commit([at], found);
    state.take(draftOf([at], found, { method, reason }, state));
    state.unplaced.delete(at);
  }
  const taken = state.drafts.length - before;
  if (taken > 0 && again.length > 0) replaceOneByOne(again, { method, reason, mostNew, most: most - taken }, state);
}

/** Karpenter has no simulation then. */
const nothingLaunches = 'no NodePool can launch nodes (not ready, being deleted or static): only empty nodes go';

/** What a simulation found, with the cheapest option of each new node. `replacements`: where they are chosen already. */
export function draftOf(
  nodes: readonly number[],
  { landed, newNodes }: Extract<Simulated, { ok: true }>,
  { method, reason }: Pick<Draft, 'method' | 'reason'>,
  { cluster }: Pick<PlanState, 'cluster'>,
  replacements = newNodes.map((node) => chooseFrom(node, node.options)),
): Draft {
  const indexes = new Map(newNodes.map(({ hostname }, index) => [hostname, index]));
  const moves = nodes.flatMap((at) =>
    cluster.nodes[at]!.pods.filter(({ isReschedulable }) => isReschedulable).map((pod) => {
      const target = landed.get(pod);
      if (target === undefined) return { pod, to: undefined };
      return { pod, to: typeof target === 'number' ? { node: target } : { replacement: indexes.get(target)! } };
    }),
  );
  return { method, reason, nodes, replacements, moves };
}
