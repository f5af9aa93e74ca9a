import type { Manifest } from '../../../api/meta.ts';
import { isTrueAt } from '../../node-pools/read-fields.ts';
import { taintsAt } from '../../node-pools/taints.ts';
import { type LandingNode, roomOf } from '../cluster/cluster-nodes.ts';
import { type Pod, readPod } from '../cluster/pod.ts';
import { clusterState, type Obstacle } from './cluster-state.ts';
import { classifyPods } from './pod-classes.ts';

/** Which pods may run on which nodes of a cluster, next to those that run there. */
export interface PodFit {
  /** What keeps the pod from the node; undefined = nothing. */
  readonly obstacleTo: (pod: Manifest, node: string) => Obstacle | undefined;
  readonly bind: (pod: Manifest, node: string) => void;
}

/** By the rules of the simulation, for a cluster to which no node is added: what a scheduler that binds pods asks. */
export function openPodFit({
  nodes,
  pods,
  extras,
}: Readonly<Record<'nodes' | 'pods' | 'extras', readonly Manifest[]>>): PodFit {
  const read = pods.map(readPod);
  const byKey = new Map(read.map((pod) => [pod.key, pod]));
  const podsOf = Map.groupBy(read, ({ node }) => node);
  const classes = classifyPods({ pods: read, extras });
  const state = clusterState({
    ...classes,
    nodes: nodes.map((node) => plainNode(node, podsOf.get(node.metadata.name) ?? [])),
    daemons: [],
    toleratesPreference: true,
    launchableDomains: undefined,
  });
  const indexes = new Map(nodes.map(({ metadata }, at) => [metadata.name, at]));
  const classOf = (pod: Manifest) => classes.classOf(byKey.get(readPod(pod).key)!);
  return {
    obstacleTo: (pod, node) => state.obstacleTo(classOf(pod), indexes.get(node)!),
    bind: (pod, node) => state.place(classOf(pod), indexes.get(node)!),
  };
}

const plainNode = (manifest: Manifest, pods: readonly Pod[]): LandingNode => ({
  name: manifest.metadata.name,
  manifest,
  labels: manifest.metadata.labels ?? {},
  taints: taintsAt(manifest, 'spec', 'taints'),
  allocatable: roomOf(manifest),
  claim: undefined,
  pool: undefined,
  isInitialized: true,
  isReady: isTrueAt(manifest, 'Ready'),
  isDeleting: false,
  isMarked: false,
  pods,
});
