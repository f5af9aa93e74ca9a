import type { Manifest } from '../../../api/meta.ts';
import { memoize } from '../../kernel/memoize.ts';
import { allowsLabels } from '../../node-pools/requirements.ts';
import { type Amounts, minus, sum } from '../../node-pools/resources.ts';
import { type Taint, tolerates } from '../../node-pools/taints.ts';
import type { LandingNode } from '../cluster/cluster-nodes.ts';
import { daemonOverhead } from '../launch/launchables.ts';
import { hostnameLabel } from '../launch/market.ts';
import { occupancy, type Shortage } from './occupancy.ts';
import type { PodClass } from './pod-class.ts';
import type { PodClasses } from './pod-classes.ts';
import {
  type ClassTopology,
  conflictIn,
  count,
  type DomainsOf,
  type TopologyConflict,
  type TopologyGroup,
} from './topology.ts';

/** Why a pod may not run on a node. `node`: its labels, its taints, or where volumes of the pod are. */
export type Obstacle = Shortage | 'node' | TopologyConflict;

/** The nodes of a cluster while pods are moved between them in thought. Everything done after a mark can be undone. */
export interface ClusterState {
  readonly nodes: readonly LandingNode[];
  readonly isPresent: (node: number) => boolean;
  /** Takes a node away, with everything on it. */
  readonly remove: (node: number) => void;
  /** What keeps a pod of the class from running there, as things stand; undefined = nothing. */
  readonly obstacleTo: (cls: PodClass, node: number) => Obstacle | undefined;
  readonly place: (cls: PodClass, node: number) => void;
  /** A pod on a node that does not exist yet, in the domains that are known of it. */
  readonly countOnNew: (cls: PodClass, domainAt: (topologyKey: string) => string | undefined) => void;
  readonly mayRunIn: (cls: PodClass, domainAt: (topologyKey: string) => string | undefined) => boolean;
  readonly topologyOf: (cls: PodClass) => ClassTopology;
  readonly domainsOf: DomainsOf;
  readonly mark: () => number;
  readonly rollback: (mark: number) => void;
}

export interface StateInput extends PodClasses {
  readonly nodes: readonly LandingNode[];
  /** DaemonSets for which nodes keep room: their pods come to a node whatever else runs there. */
  readonly daemons: readonly Manifest[];
  /** Some pool has such a taint: then pods put up with it anywhere (core relaxes it). */
  readonly toleratesPreference: boolean;
  /** Domains of a group in which nodes that it counts could be launched; undefined = no node is ever added. */
  readonly launchableDomains: ((group: TopologyGroup) => ReadonlySet<string>) | undefined;
}

export function clusterState(input: StateInput): ClusterState {
  const { nodes, classOf, resources, topologies, volumes } = input;
  const present = new Uint8Array(nodes.length).fill(1);
  const taints = nodes.map(blockingTaints);
  const reserved = nodes.map((node, at) => forDaemons(node, taints[at]!, input.daemons));
  const { use, shortageOf } = occupancy(nodes, { resources, volumes, reserved });
  const undo: (() => void)[] = [];
  const { isCompatible, countsNode, domainsOf, changed } = suitability({ ...input, taints }, present);

  nodes.forEach((node, at) => {
    node.pods.forEach((pod) => {
      if (!pod.isTerminal) use(classOf(pod), at, 1);
    });
    if (node.isDeleting || node.isMarked) return;
    for (const pod of node.pods) if (!pod.isTerminal && !pod.isTerminating) tally(classOf(pod), at, 1);
  });

  function tally(cls: PodClass, at: number, by: 1 | -1): void {
    for (const group of topologies.of(cls).counted) {
      const domain = domainOf(nodes[at]!, group.topologyKey);
      if (domain !== undefined && countsNode(group, at)) count(group, domain, by);
    }
  }

  const tallyOnNew = (cls: PodClass, domainAt: (key: string) => string | undefined, by: 1 | -1): void => {
    for (const group of topologies.of(cls).counted) {
      const domain = domainAt(group.topologyKey);
      if (domain !== undefined) count(group, domain, by);
    }
  };

  const state: ClusterState = {
    nodes,
    isPresent: (at) => present[at] === 1,
    remove(at) {
      present[at] = 0;
      changed();
      const node = nodes[at]!;
      const isCounted = !(node.isDeleting || node.isMarked);
      const those = isCounted ? node.pods.filter((pod) => !pod.isTerminal && !pod.isTerminating).map(classOf) : [];
      const own = those.filter((cls) => topologies.of(cls).counted.length > 0);
      for (const cls of own) tally(cls, at, -1);
      undo.push(() => {
        present[at] = 1;
        changed();
        for (const cls of own) tally(cls, at, 1);
      });
    },
    obstacleTo(cls, at) {
      const shortage = shortageOf(cls, at);
      if (shortage !== undefined) return shortage;
      if (!isCompatible(cls, at)) return 'node';
      const topology = topologies.of(cls);
      return topology.isFree ? undefined : conflictIn(topology, (key) => domainOf(nodes[at]!, key), domainsOf);
    },
    place(cls, at) {
      use(cls, at, 1);
      tally(cls, at, 1);
      undo.push(() => {
        use(cls, at, -1);
        tally(cls, at, -1);
      });
    },
    countOnNew(cls, domainAt) {
      if (topologies.of(cls).counted.length === 0) return;
      tallyOnNew(cls, domainAt, 1);
      undo.push(() => tallyOnNew(cls, domainAt, -1));
    },
    mayRunIn: (cls, domainAt) => conflictIn(topologies.of(cls), domainAt, domainsOf) === undefined,
    topologyOf: topologies.of,
    domainsOf,
    mark: () => undo.length,
    rollback(mark) {
      while (undo.length > mark) undo.pop()!();
    },
  };
  return state;
}

/** Which nodes suit which pods, whatever runs there. `changed`: other nodes are present than before. */
function suitability(input: StateInput & { readonly taints: readonly (readonly Taint[])[] }, present: Uint8Array) {
  const { nodes, taints, launchableDomains } = input;
  const launchable = launchableDomains && memoize(launchableDomains);
  const compatible = new Map<number, Int8Array>();
  const eligible = new Map<TopologyGroup, ReadonlyMap<string, readonly number[]>>();
  const existing = new Map<TopologyGroup, ReadonlySet<string>>();

  function countsNode({ nodesOf }: TopologyGroup, at: number): boolean {
    if (nodesOf === undefined) return true;
    const { cls, affinity, taints: honorsTaints } = nodesOf;
    return (!affinity || matchesNode(cls, nodes[at]!)) && (!honorsTaints || toleratesAll(cls, taints[at]!, scheduler));
  }

  function nodesByDomain(group: TopologyGroup): ReadonlyMap<string, readonly number[]> {
    const known = eligible.get(group);
    if (known) return known;
    const found = new Map<string, number[]>();
    nodes.forEach((node, at) => {
      const domain = domainOf(node, group.topologyKey);
      if (domain === undefined || !countsNode(group, at)) return;
      const there = found.get(domain);
      if (there) there.push(at);
      else found.set(domain, [at]);
    });
    eligible.set(group, found);
    return found;
  }

  /** A domain whose nodes all went away counts only where another could be launched there. */
  function domainsOf({ group }: ClassTopology['spread'][number]): ReturnType<DomainsOf> {
    if (launchable !== undefined && group.topologyKey === hostnameLabel) return undefined;
    const known = existing.get(group);
    if (known) return known;
    const found = new Set(launchable?.(group));
    for (const [domain, there] of nodesByDomain(group)) if (there.some((at) => present[at] === 1)) found.add(domain);
    existing.set(group, found);
    return found;
  }

  function isCompatible(cls: PodClass, at: number): boolean {
    let known = compatible.get(cls.id);
    if (known === undefined) {
      known = new Int8Array(nodes.length);
      compatible.set(cls.id, known);
    }
    if (known[at] === 0) known[at] = matchesNode(cls, nodes[at]!) && toleratesAll(cls, taints[at]!, input) ? 1 : 2;
    return known[at] === 1;
  }

  return { isCompatible, countsNode, domainsOf, changed: () => existing.clear() };
}

export const domainOf = ({ labels, name }: LandingNode, topologyKey: string): string | undefined =>
  topologyKey === hostnameLabel ? (labels[hostnameLabel] ?? name) : labels[topologyKey];

export const matchesNode = ({ constraints, nodeNames }: PodClass, { labels, name }: LandingNode): boolean =>
  (nodeNames === undefined || nodeNames.has(name)) &&
  constraints.every((alternatives) => alternatives.some((requirements) => allowsLabels(requirements, labels)));

/** Decides what a spread constraint counts: a preference excludes no node there, other than where Karpenter lets pods land. */
const scheduler = { toleratesPreference: true };

const toleratesAll = (
  { tolerations }: PodClass,
  taints: readonly Taint[],
  { toleratesPreference }: Pick<StateInput, 'toleratesPreference'>,
): boolean =>
  taints.every(
    (taint) => (taint.effect === 'PreferNoSchedule' && toleratesPreference) || tolerates(tolerations, taint),
  );

/** What pods of DaemonSets that are not there yet will take of a node (core `existingnode.go`). */
function forDaemons({ labels, pods }: LandingNode, taints: readonly Taint[], daemons: readonly Manifest[]): Amounts {
  const there = pods.filter(({ isOfDaemonSet, isTerminal }) => isOfDaemonSet && !isTerminal);
  return minus(daemonOverhead(daemons, labels, taints), sum(there.map(({ requests }) => requests)));
}

const unschedulable: Taint = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' };
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', value: '', effect: 'NoSchedule' };
/** Taints that a node loses by itself once it is initialized. */
const passing: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
]);

/** Those of the node, and those that follow from its state. A node that is not initialized will lose its startup taints. */
function blockingTaints({ manifest, taints, pool, claim, isInitialized, isReady }: LandingNode): readonly Taint[] {
  const isOff = (manifest['spec'] as { readonly unschedulable?: unknown } | undefined)?.unschedulable === true;
  const cordon = isOff ? [unschedulable] : [];
  if (claim !== undefined && !isInitialized) {
    const startup = new Set(pool?.template.startupTaints.map(({ key, effect }) => `${key} ${effect}`));
    return [...taints.filter(({ key, effect }) => !passing.has(key) && !startup.has(`${key} ${effect}`)), ...cordon];
  }
  return [...taints, ...cordon, ...(isReady ? [] : [notReady])];
}
