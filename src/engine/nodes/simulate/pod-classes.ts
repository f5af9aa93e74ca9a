import type { Manifest } from '../../../api/meta.ts';
import type { Pod } from '../cluster/pod.ts';
import { classText, type PodClass, podClass } from './pod-class.ts';
import { type Topologies, topologiesOf } from './topology.ts';
import { type Volumes, volumesOf } from './volumes.ts';

/** The classes of all pods of a cluster, and what else scheduling reads. */
export interface PodClasses {
  readonly classOf: (pod: Pod) => PodClass;
  /** Names of what pods request. */
  readonly resources: readonly string[];
  readonly topologies: Topologies;
  readonly volumes: Volumes;
}

export function classifyPods({
  pods,
  extras,
}: {
  readonly pods: readonly Pod[];
  /** Objects of volumes and namespaces, among others. */
  readonly extras: readonly Manifest[];
}): PodClasses {
  const resources = [...new Set(pods.flatMap(({ requests }) => [...requests.keys()]))].sort();
  const indexOf = new Map(resources.map((name, at) => [name, at]));
  const volumes = volumesOf(extras);
  const namespaces = new Map(
    extras.flatMap(({ kind, apiVersion, metadata }) =>
      kind === 'Namespace' && apiVersion === 'v1' ? [[metadata.name, metadata.labels ?? {}] as const] : [],
    ),
  );
  const byText = new Map<string, PodClass>();
  const byPod = new Map<Pod, PodClass>();
  for (const pod of pods) {
    const text = classText(pod);
    const known = byText.get(text) ?? podClass(pod, { id: byText.size, volumes, indexOf, namespaces });
    byText.set(text, known);
    byPod.set(pod, known);
  }
  return {
    classOf: (pod) => byPod.get(pod)!,
    resources,
    volumes,
    topologies: topologiesOf([...byText.values()]),
  };
}
