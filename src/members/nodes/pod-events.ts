import type { Manifest } from '../../api/meta.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { conditionAt, listAt, numberAt, textAt } from '../../engine/node-pools/read-fields.ts';

/** When pods were last bound to nodes, ended or began to end there. Pods that are gone are remembered by their node. */
export interface PodEvents {
  gone(pod: Manifest): void;
  /** By node, of these pods and of those that are gone. */
  of(pods: readonly Manifest[], nodes: readonly Manifest[]): Readonly<Record<string, string>>;
}

export function podEvents(): PodEvents {
  const past = new Map<string, number>();

  function note(events: Map<string, number>, pod: Manifest): void {
    const node = textAt(pod, 'spec', 'nodeName');
    const at = eventOf(pod);
    if (node !== undefined && at !== undefined) events.set(node, Math.max(at, events.get(node) ?? at));
  }

  return {
    gone: (pod) => note(past, pod),
    of(pods, nodes) {
      const names = new Set(nodes.map(({ metadata }) => metadata.name));
      for (const name of past.keys()) if (!names.has(name)) past.delete(name);
      const events = new Map(past);
      for (const pod of pods) note(events, pod);
      return Object.fromEntries([...events].map(([node, at]) => [node, formatInstant(at)]));
    },
  };
}

/** Milliseconds; undefined for pods of DaemonSets, whose events do not count, and for those that were never bound. */
function eventOf(pod: Manifest): number | undefined {
  const isOfDaemonSet = listAt(pod, 'metadata', 'ownerReferences').some(
    (owner) => textAt(owner, 'kind') === 'DaemonSet',
  );
  if (isOfDaemonSet) return undefined;
  const { deletionTimestamp } = pod.metadata;
  const graceMs = (numberAt(pod, 'metadata', 'deletionGracePeriodSeconds') ?? 0) * 1000;
  const deleted = typeof deletionTimestamp === 'string' ? parseInstant(deletionTimestamp) : undefined;
  const scheduled = conditionAt(pod, 'PodScheduled');
  const times = [
    scheduled?.['status'] === 'True' ? parseInstant(textAt(scheduled, 'lastTransitionTime') ?? '') : undefined,
    // The timestamp is the end of the grace period.
    deleted === undefined ? undefined : deleted - graceMs,
    ...listAt(pod, 'status', 'containerStatuses').map((status) =>
      parseInstant(textAt(status, 'state', 'terminated', 'finishedAt') ?? ''),
    ),
  ].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}
