import { type Issue, warning } from '../../api/issue.ts';
import { doNotDisrupt } from '../../engine/node-pools/do-not-disrupt.ts';
import { parseGoDuration } from '../../engine/nodes/cluster/go-duration.ts';

/** Where kinds of Kubernetes have the metadata of their pods. */
const podMetadata: Readonly<Record<string, readonly string[]>> = {
  Pod: [],
  PodTemplate: ['template'],
  ReplicationController: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Deployment: ['spec', 'template'],
  ReplicaSet: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Annotations for Karpenter on pods that it ignores: someone believes these pods to be protected. */
export function ignoredProtection({ kind, ...manifest }: { readonly kind?: unknown }): Issue[] {
  const place = typeof kind === 'string' && Object.hasOwn(podMetadata, kind) ? podMetadata[kind] : undefined;
  if (place === undefined) return [];
  const path = [...place, 'metadata', 'annotations'];
  const annotations = path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[key],
    manifest,
  );
  if (typeof annotations !== 'object') return [];
  return Object.entries(annotations ?? {}).flatMap(([key, value]) => {
    if (key === doNotDisrupt && typeof value === 'string' && !isRead(value))
      return [
        warning(
          'invalid-value',
          [...path, key],
          `"${value}" protects no pod`,
          'write "true", or a positive duration from the start of the pod such as 1h30m',
        ),
      ];
    if (!key.startsWith('karpenter.sh/') || key === doNotDisrupt) return [];
    return [warning('unknown-annotation', [...path, key], `nothing reads ${key} of a pod`, `write ${doNotDisrupt}`)];
  });
}

/** `false` says what it does. */
const isRead = (value: string): boolean => value === 'true' || value === 'false' || (parseGoDuration(value) ?? 0) > 0;
