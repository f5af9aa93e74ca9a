import type { Manifest } from '../api/meta.ts';
import type { ClusterObservation } from '../api/observation.ts';
import { isFields } from '../engine/kernel/fields.ts';
import { parseInstant } from '../engine/kernel/instant.ts';

type Restarts = NonNullable<ClusterObservation['restarts']>;

/** A container of a pod ended and was started again, the last time at an instant. */
export interface RestartedPod {
  readonly workload: Pick<Restarts[number], 'kind' | 'namespace' | 'name'>;
  readonly at: string;
}

/** Workloads listed for one member, those that restarted last: an approver reads only a few. */
const mostWorkloads = 100;
/** Characters, as Kubernetes validates names. */
const longestName = 253;

/** Undefined for a pod without restarts, or without a controller. A pod of a ReplicaSet counts as one of its Deployment. */
export function restartedPod({ metadata, ...pod }: Manifest): RestartedPod | undefined {
  const status = pod['status'];
  const containers = isFields(status) ? status['containerStatuses'] : undefined;
  const at = (Array.isArray(containers) ? containers : [])
    .flatMap((container) => lastEnd(container) ?? [])
    .sort()
    .at(-1);
  const owner = controllerOf(metadata.ownerReferences);
  if (at === undefined || owner === undefined) return undefined;
  const hash = metadata.labels?.['pod-template-hash'];
  const isOfDeployment = owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`);
  const [kind, name] = isOfDeployment
    ? ['Deployment', owner.name.slice(0, -hash.length - 1)]
    : [owner.kind, owner.name];
  const { namespace = 'default' } = metadata;
  if ([kind, namespace, name].some(({ length }) => length > longestName)) return undefined;
  return { workload: { kind, namespace, name }, at };
}

function controllerOf(owners: unknown): { readonly kind: string; readonly name: string } | undefined {
  for (const owner of Array.isArray(owners) ? owners : []) {
    if (!isFields(owner) || owner['controller'] !== true) continue;
    const { kind, name } = owner;
    if (typeof kind === 'string' && typeof name === 'string') return { kind, name };
  }
  return undefined;
}

function lastEnd(container: unknown): string | undefined {
  const at = ['lastState', 'terminated', 'finishedAt'].reduce(
    (value: unknown, key) => (isFields(value) ? value[key] : undefined),
    container,
  );
  const ms = typeof at === 'string' ? parseInstant(at) : undefined;
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** By workload, the last first. */
export function restartsOf(pods: readonly RestartedPod[]): Restarts {
  const workloads = Map.groupBy(pods, ({ workload: { kind, namespace, name } }) => `${kind} ${namespace}/${name}`);
  return [...workloads.values()]
    .map((of) => ({
      ...of[0]!.workload,
      pods: of.length,
      at: of.map(({ at }) => at).reduce((last, at) => (at > last ? at : last)),
    }))
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, mostWorkloads);
}
