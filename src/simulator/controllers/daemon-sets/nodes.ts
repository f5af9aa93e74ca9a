import { at, fieldsAt, listAt, textAt } from '../../../engine/kernel/at.ts';
import { tolerates } from '../../../engine/node-pools/taints.ts';
import type { Cluster } from '../../cluster.ts';
import type { Stored } from '../../object.ts';
import type { Fields } from '../../schema/schema.ts';
import { revisionLabel } from '../owners/revisions.ts';
import { matchesNode, taintsOf } from '../pods/node-fit.ts';

/** One node as a DaemonSet sees it. */
export interface NodePods {
  readonly name: string;
  /** The node should have a pod. */
  readonly runs: boolean;
  /** An existing pod may stay. */
  readonly stays: boolean;
  /** Oldest first. */
  readonly pods: readonly Stored[];
  /** Pods of the present template, and older ones. */
  readonly fresh: readonly Stored[];
  readonly old: readonly Stored[];
}

export function nodePodsOf(cluster: Cluster, set: Stored, all: readonly Stored[], hash: string): NodePods[] {
  const byNode = Map.groupBy(all, targetOf);
  return cluster.store.list('/nodes').map((node) => {
    const pods = byNode.get(node.metadata.name) ?? [];
    const fresh = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === hash);
    const old = pods.filter((pod) => !fresh.includes(pod));
    return { name: node.metadata.name, ...belongsOn(set, node), pods, fresh, old };
  });
}

/** Whether a node should run the pods of a DaemonSet (daemon_controller.go, NodeShouldRunDaemonPod). */
export function belongsOn(set: Stored, node: Stored): Pick<NodePods, 'runs' | 'stays'> {
  const spec = fieldsAt(set, 'spec', 'template', 'spec');
  const wanted = textAt(spec, 'nodeName');
  if ((wanted !== '' && wanted !== node.metadata.name) || !matchesNode({ spec }, node))
    return { runs: false, stays: false };
  const tolerations = [...listAt(spec, 'tolerations'), ...daemonTolerations(spec)];
  const repelled = (...effects: readonly string[]) =>
    taintsOf(node).some((taint) => effects.includes(taint.effect) && !tolerates(tolerations, taint));
  return { runs: !repelled('NoSchedule', 'NoExecute'), stays: !repelled('NoExecute') };
}

/** The part of a pod's spec that binds it to one node and lets it run there in any state of the node. */
export function onlyOn(node: string, spec: Fields): Fields {
  const affinity = fieldsAt(spec, 'affinity');
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  return {
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...fieldsAt(affinity, 'nodeAffinity'),
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
      },
    },
    tolerations: [...listAt(spec, 'tolerations'), ...daemonTolerations(spec)],
  };
}

/** Taints that DaemonSets tolerate (daemon/util, AddOrUpdateDaemonPodTolerations). */
const daemonTolerations = (spec: Fields): readonly Fields[] => [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable', 'not-ready', 'unreachable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
  ...(at(spec, 'hostNetwork') === true
    ? [{ key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' }]
    : []),
];

/** The node that a pod is on, or was created for. */
const targetOf = (pod: Stored): string =>
  textAt(pod, 'spec', 'nodeName') ||
  textAt(
    pod,
    ...['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms', 0],
    ...['matchFields', 0, 'values', 0],
  );
