import type { Instant } from '../../kernel/instant.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Pool } from '../../node-pools/pool.ts';
import { fieldsAt } from '../../node-pools/read-fields.ts';
import type { Amounts } from '../../node-pools/resources.ts';
import { amountsOf, minus, sum } from '../../node-pools/resources.ts';
import type { ClusterNode, ClusterNodes, LandingNode } from '../cluster/cluster-nodes.ts';
import { isHeldForEver } from '../cluster/disruption-budgets.ts';
import { type Pod, protectionOf } from '../cluster/pod.ts';
import { daemonSetsOf, type LaunchPool } from '../launch/launchables.ts';
import { type ClusterState, clusterState, type StateInput } from './cluster-state.ts';
import { landingNodes, landingOrder } from './landing-order.ts';
import { domainOfNew, domainsOfNew } from './new-node.ts';
import { asOne, largestOf, placePods, type Simulated } from './place-pods.ts';
import type { PodClass } from './pod-class.ts';
import { classifyPods } from './pod-classes.ts';

/** Where pods would run if nodes went away. */
export interface Scheduling {
  readonly state: ClusterState;
  readonly classOf: (pod: Pod) => PodClass;
  /** Reschedulable pods that get a place elsewhere before their node goes. */
  readonly movable: (node: ClusterNode) => readonly Pod[];
  readonly simulate: (request: Request) => Simulated;
  /** Carries out what a simulation found, for all that is simulated later. */
  readonly commit: (leaving: readonly number[], found: Extract<Simulated, { ok: true }>) => void;
  /** A node that is on its way out whatever is planned: its pods are simulated along from now on. */
  readonly leaves: (node: number) => void;
  /** Undoes everything since the mark, commits among it. */
  readonly mark: () => number;
  readonly rollback: (mark: number) => void;
  readonly hasTakenIn: (node: number) => boolean;
  readonly pools: readonly LaunchPool[];
}

export interface Request {
  /** Indexes of the nodes that go. */
  readonly leaving: readonly number[];
  /** In consolidation no pod lands on a node that was busy a moment ago. */
  readonly isConsolidation: boolean;
  /** How many nodes may be launched; one more fails, for a pending pod too. */
  readonly mostNew: number;
  /** Nobody launches any: a pending pod may stay pending that needs one. */
  readonly launchesNothing?: boolean;
  /** Where pods land, in this order; absent = initialized nodes by name, then the others. */
  readonly order?: Int32Array;
}

/** A node that counts towards the limits of its pool before it is there. */
export interface Launched {
  readonly pool: string;
  readonly capacity: Amounts;
  /** Of a command under way, for its pods and those simulated along; undefined = what it will be is not known. */
  readonly node?: LandingNode | undefined;
}

export interface SchedulingInput {
  readonly cluster: ClusterNodes;
  readonly pools: readonly LaunchPool[];
  readonly now: Instant;
  /** Where pods go that commands under way move: nodes, then those of `coming`; undefined = it is not known what is coming. */
  readonly underWay: ReadonlyMap<Pod, number | undefined>;
  /** Nodes that take in such pods, replacements that are there among them: they stay. */
  readonly staying: ReadonlySet<number>;
  /** Replacements of commands under way that are not there yet. */
  readonly coming?: readonly Launched[];
}

export function openScheduling({ cluster, pools, now, underWay, staying, coming = [] }: SchedulingInput): Scheduling {
  const { nodes } = cluster;
  const { classOf, ...classes } = classifyPods(cluster);
  const landing = landingNodes(cluster);
  const all = [...landing, ...coming.flatMap(({ node }) => node ?? [])];
  const arriving = all.keys().drop(landing.length).toArray();
  const daemons = daemonSetsOf(cluster.extras);
  const state = clusterState({ nodes: all, daemons, classOf, ...classes, ...ofNewNodes(pools) });
  const standard = landingOrder(landing);
  const inWindow = Uint8Array.from(nodes, (node) => (isInWindow(node, now) ? 1 : 0));
  const taken = new Map<number, number>([...staying].map((at) => [at, 1]));
  const launched: Launched[] = [...coming, ...launchedClaims(cluster)];
  const undo: (() => void)[] = [];
  const movable = memoize((node: ClusterNode): readonly Pod[] =>
    node.pods.filter((pod) => pod.isReschedulable && !protectionOf(pod, now) && !isHeldForEver(cluster.budgets, pod)),
  );
  const pending = new Set(cluster.pending);
  const along = openAlong(cluster.pending);
  const leaves = (at: number): void => {
    if (!state.isPresent(at)) return;
    state.remove(at);
    along.add(movable(nodes[at]!).filter((pod) => !underWay.has(pod)));
  };
  nodes.forEach((node, at) => {
    if (node.isDeleting || node.isMarked) leaves(at);
  });
  for (const [pod, at] of underWay) if (at !== undefined) state.place(classOf(pod), at);

  function simulate({
    leaving,
    isConsolidation,
    mostNew,
    launchesNothing = false,
    order = standard,
  }: Request): Simulated {
    const mark = state.mark();
    for (const at of leaving) state.remove(at);
    const own = leaving.flatMap((at) => movable(nodes[at]!));
    const result = placePods([...own, ...along.pods()], {
      state,
      classOf,
      pools,
      pending,
      fresh: new Set(own),
      inWindow: isConsolidation ? inWindow : undefined,
      roomOf: (pool) => roomOf(pool, { nodes, state, launched, leaving }),
      mostNew,
      launchesNothing,
      order,
      arriving,
    });
    state.rollback(mark);
    return result;
  }

  const scheduling: Scheduling = {
    state,
    classOf,
    movable,
    simulate,
    pools,
    hasTakenIn: (at) => (taken.get(at) ?? 0) > 0,
    leaves,
    commit(leaving, { landed, newNodes }) {
      const mark = state.mark();
      for (const at of leaving) state.remove(at);
      const own = new Set(leaving.flatMap((at) => movable(nodes[at]!)));
      const landings: number[] = [];
      const others: Pod[] = [];
      for (const [pod, target] of landed) {
        if (typeof target === 'number') {
          // Others are not bound by that: they may as well land elsewhere.
          if (!own.has(pod)) continue;
          state.place(classOf(pod), target);
          landings.push(target);
        } else {
          if (!own.has(pod)) others.push(pod);
          const node = newNodes.find(({ hostname }) => hostname === target)!;
          // The next simulation names its own new nodes alike.
          const hostname = `${launched.length} ${target}`;
          state.countOnNew(classOf(pod), (key) => domainOfNew({ ...node, hostname }, key));
        }
      }
      for (const at of landings) taken.set(at, (taken.get(at) ?? 0) + 1);
      along.provide(others, true);
      for (const node of newNodes) launched.push({ pool: node.from.pool.name, capacity: largestOf(node) });
      undo.push(() => {
        for (const at of landings) taken.set(at, taken.get(at)! - 1);
        along.provide(others, false);
        launched.length -= newNodes.length;
        state.rollback(mark);
      });
    },
    mark: () => undo.length,
    rollback(mark) {
      while (undo.length > mark) undo.pop()!();
    },
  };
  return scheduling;
}

/** Pods that are simulated along with every command, until one launches a node for them. */
function openAlong(pending: readonly Pod[]) {
  const provided = new Set<Pod>();
  const all = [...pending];
  let left: readonly Pod[] | undefined;
  return {
    pods(): readonly Pod[] {
      left ??= all.filter((pod) => !provided.has(pod));
      return left;
    },
    add(pods: readonly Pod[]): void {
      all.push(...pods);
      left = undefined;
    },
    provide(pods: readonly Pod[], isSo: boolean): void {
      for (const pod of pods) isSo ? provided.add(pod) : provided.delete(pod);
      if (pods.length > 0) left = undefined;
    },
  };
}

/**
 * What the nodes that are there, and those that are launched, leave of the limits of a pool. One that exceeds them as long as the leaving
 * nodes are there launches nothing (core `provisioner.go`).
 */
function roomOf(
  { name, limits }: Pool,
  {
    nodes,
    state,
    launched,
    leaving,
  }: Pick<ClusterNodes, 'nodes'> & {
    readonly state: ClusterState;
    readonly launched: readonly Launched[];
    readonly leaving: readonly number[];
  },
): Amounts | undefined {
  if (limits === undefined) return undefined;
  const charge = (at: number): readonly Amounts[] =>
    nodes[at]!.poolName === name && nodes[at]!.claim !== undefined ? [nodes[at]!.capacity, asOne] : [];
  const ours = launched.flatMap(({ pool, capacity }) => (pool === name ? [capacity, asOne] : []));
  const used = [...nodes.flatMap((_, at) => (state.isPresent(at) ? charge(at) : [])), ...ours];
  const before = sum([...used, ...leaving.flatMap(charge)]);
  const isExceeded = [...limits].some(([resource, most]) => (before.get(resource) ?? 0) > most);
  return isExceeded ? new Map([['nodes', 0]]) : minus(limits, sum(used));
}

const isInWindow = ({ pool, consolidatableAt }: ClusterNode, now: Instant): boolean =>
  pool?.canLaunch === true && consolidatableAt !== undefined && now < consolidatableAt;

/** Claims whose node is not there yet: they count towards the limits of their pools. */
const launchedClaims = ({ claimsWithoutNode }: ClusterNodes): readonly Launched[] =>
  claimsWithoutNode.flatMap(({ poolName, isDeleting, manifest }) =>
    poolName === undefined || isDeleting
      ? []
      : [{ pool: poolName, capacity: amountsOf(fieldsAt(manifest, 'status', 'capacity')) }],
  );

/** What the nodes that pools launch mean for pods: domains, and taints that are preferences. */
function ofNewNodes(pools: readonly LaunchPool[]): Pick<StateInput, 'toleratesPreference' | 'launchableDomains'> {
  const taints = pools.flatMap(({ pool }) => pool.template.taints);
  return {
    toleratesPreference: taints.some(({ effect }) => effect === 'PreferNoSchedule'),
    launchableDomains: (group) => new Set(pools.flatMap((from) => domainsOfNew(from, group))),
  };
}
