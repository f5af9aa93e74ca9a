import type { Manifest } from '../../../api/meta.ts';
import { at, listAt } from '../../../engine/kernel/at.ts';
import type { Obstacle } from '../../../engine/nodes/simulate/cluster-state.ts';
import { openPodFit } from '../../../engine/nodes/simulate/pod-fit.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import { claimsOf } from './pods.ts';

/** What depends on other pods of a node or on volumes, in the scheduler's words. */
const words: Readonly<Record<Obstacle, string>> = {
  resources: 'Insufficient resources',
  'host-ports': "node(s) didn't have free ports for the requested pod ports",
  volumes: 'node(s) exceed max volume count',
  // The scheduler has looked at labels and taints before.
  node: 'node(s) had volume node affinity conflict',
  affinity: "node(s) didn't match pod affinity rules",
  'anti-affinity': "node(s) didn't match pod anti-affinity rules",
  spread: "node(s) didn't match pod topology spread constraints",
};

/** What the neighbours of a pod decide while some pods are scheduled. */
export interface Neighbours {
  /** Why a node is refused; undefined = it is not. */
  readonly refusal: (pod: Stored, node: Stored) => string | undefined;
  readonly bind: (pod: Stored, node: string) => void;
}

const kinds = [
  '/persistentvolumeclaims',
  '/persistentvolumes',
  '/namespaces',
  'storage.k8s.io/storageclasses',
  'storage.k8s.io/csinodes',
];

export function neighboursOf({ store }: Cluster): Neighbours {
  const fit = openPodFit({
    nodes: store.list('/nodes').map(asManifest),
    pods: store.list('/pods').map(asManifest),
    extras: kinds.flatMap((key) => store.list(key).map(asManifest)),
  });
  return {
    refusal(pod, node) {
      const obstacle = fit.obstacleTo(asManifest(pod), node.metadata.name);
      return obstacle && words[obstacle];
    },
    bind: (pod, node) => fit.bind(asManifest(pod), node),
  };
}

const asManifest = (object: Stored): Manifest => object as unknown as Manifest;

/** Whether other pods or volumes decide where the pod may run. */
export const dependsOnNeighbours = (pod: Stored): boolean =>
  keepsOthersAway(pod) ||
  listAt(pod, 'spec', 'affinity', 'podAffinity', required).length > 0 ||
  listAt(pod, 'spec', 'topologySpreadConstraints').length > 0 ||
  claimsOf(pod).length > 0 ||
  listAt(pod, 'spec', 'containers').some((container) =>
    listAt(container, 'ports').some((port) => at(port, 'hostPort')),
  );

/** Whether the pod decides where others may run. */
export const keepsOthersAway = (pod: Stored): boolean =>
  listAt(pod, 'spec', 'affinity', 'podAntiAffinity', required).length > 0;

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
