import type { Pool } from '../../node-pools/pool.ts';
import { type Amounts, minus, sum } from '../../node-pools/resources.ts';
import { byPlacement, type Pod } from '../cluster/pod.ts';
import type { LaunchPool } from '../launch/launchables.ts';
import type { ClusterState } from './cluster-state.ts';
import { isReliable } from './landing-order.ts';
import { domainOfNew, emptyNode, type NewNode, withPod } from './new-node.ts';
import type { PodClass } from './pod-class.ts';

/** Where each pod would run. `landed`: indexes of nodes, and names of new ones. */
export type Simulated =
  | {
      readonly ok: true;
      readonly landed: ReadonlyMap<Pod, number | NewNode['hostname']>;
      readonly newNodes: readonly NewNode[];
    }
  | {
      readonly ok: false;
      readonly pod: Pod | undefined;
      readonly why: 'no-place' | 'too-many-new' | 'not-initialized' | 'pool-limit';
    };

/** Why a simulation ended, as a sentence. */
export function failureText({ pod, why }: Extract<Simulated, { ok: false }>): string {
  const which = pod ? `pod ${pod.key}` : 'a pod';
  if (why === 'pool-limit') return `${which} needs a new node, which the limits of the pools do not allow`;
  if (why === 'not-initialized') return `${which} would run on a node that is not initialized yet`;
  return `there is no place for ${which}`;
}

export interface Placing {
  readonly state: ClusterState;
  readonly classOf: (pod: Pod) => PodClass;
  readonly pools: readonly LaunchPool[];
  /** They may stay without a place. */
  readonly pending: ReadonlySet<Pod>;
  /** Pods of nodes that go by this very command. */
  readonly fresh: ReadonlySet<Pod>;
  /** Nodes that were busy a moment ago: what runs undisturbed is not moved there. Undefined = it may be. */
  readonly inWindow: Uint8Array | undefined;
  /** What is left of the limits of a pool. */
  readonly roomOf: (pool: Pool) => Amounts | undefined;
  readonly mostNew: number;
  readonly launchesNothing: boolean;
  readonly order: Int32Array;
  /** Nodes that are launched already, for pods that are simulated along. */
  readonly arriving: readonly number[];
}

/** Places pods one after the other; those that found no place are tried again as long as others find theirs. */
export function placePods(pods: readonly Pod[], of: Placing): Simulated {
  const { state, classOf, pending, fresh } = of;
  const landed = new Map<Pod, number | string>();
  const launcher = openLauncher(of);
  let waiting = [...pods].sort(byPlacement);
  for (let progress = true; progress && waiting.length > 0; ) {
    progress = false;
    const left: Pod[] = [];
    for (const pod of waiting) {
      const cls = classOf(pod);
      const at = landingPlace(pod, cls, of);
      if (at >= 0) {
        const node = state.nodes[at]!;
        if (fresh.has(pod) && !isReliable(node)) return { ok: false, pod, why: 'not-initialized' };
        state.place(cls, at);
        landed.set(pod, at);
        progress = true;
        continue;
      }
      const hostname = launcher.add(pod, cls);
      if (hostname !== undefined) {
        landed.set(pod, hostname);
        progress = true;
      } else if (pending.has(pod) ? launcher.isTooMany() && !of.launchesNothing : state.topologyOf(cls).isFree)
        return { ok: false, pod, why: launcher.whyNot() };
      else left.push(pod);
    }
    waiting = left;
  }
  const stuck = waiting.find((pod) => !pending.has(pod));
  return stuck === undefined
    ? { ok: true, landed, newNodes: launcher.nodes() }
    : { ok: false, pod: stuck, why: launcher.whyNot() };
}

/** The first node that takes the pod; −1 = none does. */
function landingPlace(pod: Pod, cls: PodClass, { state, fresh, inWindow, order, arriving }: Placing): number {
  const avoided = fresh.has(pod) && !pod.isStarting ? inWindow : undefined;
  for (const at of order)
    if (state.isPresent(at) && avoided?.[at] !== 1 && state.obstacleTo(cls, at) === undefined) return at;
  if (!fresh.has(pod)) for (const at of arriving) if (state.obstacleTo(cls, at) === undefined) return at;
  return -1;
}

/** New nodes, each filled before the next is opened: those with the fewest pods first. */
function openLauncher({ state, pools, roomOf, mostNew }: Placing) {
  let nodes: readonly NewNode[] = [];
  let isLimited = false;
  let isTooMany = false;
  const took = (node: NewNode, cls: PodClass): string => {
    state.countOnNew(cls, (key) => domainOfNew(node, key));
    return node.hostname;
  };
  const open = (from: LaunchPool, pod: Pod, cls: PodClass): NewNode | undefined => {
    const room = roomOf(from.pool);
    const own = nodes.filter((node) => node.from === from);
    const left = room && minus(room, sum(own.flatMap((node) => [largestOf(node), asOne])));
    const opened = withPod(emptyNode(from, `new node ${nodes.length + 1}`, left), pod, cls, state);
    if (opened === undefined && left !== undefined)
      isLimited ||= withPod(emptyNode(from, 'any', undefined), pod, cls, state) !== undefined;
    return opened;
  };
  return {
    nodes: () => nodes,
    /** The last pod that got no place would have got one on a further node. */
    isTooMany: () => isTooMany,
    /** The name of the new node that takes the pod; undefined = none does. */
    add(pod: Pod, cls: PodClass): string | undefined {
      const fewest = [...nodes.keys()].sort((a, b) => nodes[a]!.pods.length - nodes[b]!.pods.length || a - b);
      for (const at of fewest) {
        const grown = withPod(nodes[at]!, pod, cls, state);
        if (grown === undefined) continue;
        nodes = nodes.with(at, grown);
        return took(grown, cls);
      }
      for (const from of pools) {
        const opened = open(from, pod, cls);
        if (opened === undefined) continue;
        isTooMany = nodes.length >= mostNew;
        if (isTooMany) return undefined;
        nodes = [...nodes, opened];
        return took(opened, cls);
      }
      return undefined;
    },
    whyNot: () => (isTooMany ? ('too-many-new' as const) : isLimited ? ('pool-limit' as const) : ('no-place' as const)),
  };
}

export const asOne: Amounts = new Map([['nodes', 1]]);

/** The most that any of its options has: what a pool's limit is charged with until one is chosen. */
export function largestOf({ options }: NewNode): Amounts {
  const most = new Map<string, number>();
  for (const { type } of options)
    for (const [name, amount] of type.capacity) most.set(name, Math.max(most.get(name) ?? 0, amount));
  return most;
}
