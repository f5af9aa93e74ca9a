import type { Condition, Manifest } from '../../api/meta.ts';
import { type Fields, isFields } from '../kernel/fields.ts';
import { shortList } from '../kernel/short-list.ts';
import { groupVersionOf } from '../selection/group-version.ts';

export interface Availability {
  readonly verdict: 'Available' | 'NotTrackable' | 'NotAvailableYet' | 'Failed';
  /** Empty when available. */
  readonly message: string;
}

/**
 * Whether an applied object is available, by its live state. Kinds and rules of KubeFleet's availability tracker
 * (pkg/controllers/workapplier/availability_tracker.go), widened to CronJob, PVC, Ingress, HPA, Pod, Job and custom
 * resources by kstatus rules (docs/compatibility.md). A kind without a rule is NotTrackable. `apiVersion` is that of the
 * manifest; the member may show the object in another version.
 */
export function availabilityOf(live: Manifest, apiVersion: string): Availability {
  const exactly = `${apiVersion} ${live.kind}`;
  if (dataKinds.has(exactly)) return available;
  const rule = ruleOf(tracked, exactly) ?? ruleOf(widened, `${groupVersionOf(apiVersion).group}/${live.kind}`);
  return rule ? rule(live) : customResource(live);
}

const available: Availability = { verdict: 'Available', message: '' };
const untrackable: Availability = {
  verdict: 'NotTrackable',
  message: 'the availability of such an object cannot be tracked',
};
const notYet = (message: string): Availability => ({ verdict: 'NotAvailableYet', message });
const failed = (message: string): Availability => ({ verdict: 'Failed', message });

/** Objects that are available as soon as they are there, by the exact version as in KubeFleet. */
const dataKinds: ReadonlySet<string> = new Set([
  'v1 Namespace',
  'v1 Secret',
  'v1 ConfigMap',
  'v1 ServiceAccount',
  'v1 LimitRange',
  'v1 ResourceQuota',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  'networking.k8s.io/v1 NetworkPolicy',
  'networking.k8s.io/v1 IngressClass',
  'storage.k8s.io/v1 CSIDriver',
  'storage.k8s.io/v1 CSINode',
  'storage.k8s.io/v1 StorageClass',
  'storage.k8s.io/v1 CSIStorageCapacity',
  'scheduling.k8s.io/v1 PriorityClass',
  'apps/v1 ControllerRevision',
]);

const part = (live: Manifest, name: 'spec' | 'status'): Fields => (live[name] ?? {}) as Fields;
const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise);
/** A custom resource may have `conditions` of any shape: a value that is not a list of conditions counts as none. */
function conditionOf(live: Manifest, type: string): Condition | undefined {
  const all = part(live, 'status')['conditions'];
  return Array.isArray(all) ? all.find((condition) => isFields(condition) && condition['type'] === type) : undefined;
}
const isTrue = (live: Manifest, type: string): boolean => conditionOf(live, type)?.status === 'True';

const isObserved = (live: Manifest): boolean =>
  live.metadata.generation === undefined || part(live, 'status')['observedGeneration'] === live.metadata.generation;

type Rule = (live: Manifest) => Availability;
type Rules = Readonly<Record<string, Rule>>;
const ruleOf = (rules: Rules, kind: string): Rule | undefined => (Object.hasOwn(rules, kind) ? rules[kind] : undefined);

/** KubeFleet's rules, by exact version and kind. */
const tracked: Rules = {
  'apps/v1 Deployment': deployment,
  'apps/v1 StatefulSet': statefulSet,
  'apps/v1 DaemonSet': daemonSet,
  'v1 Service': service,
  'apiextensions.k8s.io/v1 CustomResourceDefinition': (live) =>
    isTrue(live, 'Established') && isTrue(live, 'NamesAccepted') ? available : notYet('not established yet'),
  'policy/v1 PodDisruptionBudget': disruptionBudget,
};

/** Our rules, by group and kind as in kstatus. */
const widened: Rules = {
  'batch/Job': job,
  'batch/CronJob': settledKind,
  '/PersistentVolumeClaim': (live) =>
    part(live, 'status')['phase'] === 'Bound' && !live.metadata.deletionTimestamp ? available : notYet('not bound yet'),
  '/Pod': pod,
  'networking.k8s.io/Ingress': settledKind,
  'autoscaling/HorizontalPodAutoscaler': settledKind,
};

/** Kinds for which kstatus requires only that their controller has seen the change, where it reports that at all. */
function settledKind(live: Manifest): Availability {
  if (live.metadata.deletionTimestamp) return notYet('it is being deleted');
  const reports = part(live, 'status')['observedGeneration'] !== undefined;
  return reports && !isObserved(live) ? notYet('its controller has not seen the change yet') : available;
}

/** Names the wanted count only: with the present count the status would change, and be committed, with every pod. */
const notAllOf = (wanted: number): string =>
  wanted === 1
    ? 'its replica is not updated and available yet'
    : `not all ${wanted} replicas are updated and available yet`;

function deployment(live: Manifest): Availability {
  const { updatedReplicas, availableReplicas, unavailableReplicas } = part(live, 'status');
  const wanted = count(part(live, 'spec')['replicas'], 1);
  if (!isObserved(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(availableReplicas) === wanted && count(updatedReplicas) === wanted && count(unavailableReplicas) === 0;
  if (done) return available;
  const waits = notAllOf(wanted);
  const progress = conditionOf(live, 'Progressing');
  const late = progress?.status === 'False' && progress.reason === 'ProgressDeadlineExceeded';
  return notYet(late ? `${waits}; its progress deadline has passed: ${progress.message ?? ''}` : waits);
}

function statefulSet(live: Manifest): Availability {
  const { availableReplicas, currentReplicas, updatedReplicas, currentRevision, updateRevision } = part(live, 'status');
  const wanted = count(part(live, 'spec')['replicas'], 1);
  if (!isObserved(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(availableReplicas) === wanted &&
    count(currentReplicas) === count(updatedReplicas) &&
    currentRevision === updateRevision;
  return done ? available : notYet(notAllOf(wanted));
}

function daemonSet(live: Manifest): Availability {
  const { numberAvailable, desiredNumberScheduled, currentNumberScheduled, updatedNumberScheduled } = part(
    live,
    'status',
  );
  if (!isObserved(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(numberAvailable) === count(desiredNumberScheduled) &&
    count(currentNumberScheduled) === count(updatedNumberScheduled);
  return done ? available : notYet('not all pods are updated and available yet');
}

function service(live: Manifest): Availability {
  const spec = part(live, 'spec') as { type?: string; clusterIP?: string; clusterIPs?: readonly string[] };
  switch (spec.type ?? 'ClusterIP') {
    case 'ClusterIP':
    case 'NodePort':
      return (spec.clusterIPs?.[0] ?? spec.clusterIP) ? available : notYet('no cluster IP yet');
    case 'LoadBalancer': {
      const balancer = (part(live, 'status')['loadBalancer'] ?? {}) as {
        ingress?: readonly { ip?: string; hostname?: string }[];
      };
      const first = balancer.ingress?.[0];
      return first?.ip || first?.hostname ? available : notYet('no load balancer address yet');
    }
    default:
      return untrackable;
  }
}

function disruptionBudget(live: Manifest): Availability {
  const { disruptionsAllowed } = part(live, 'status');
  const allowed = conditionOf(live, 'DisruptionAllowed');
  if (!isObserved(live) || !allowed) return notYet('its controller has not seen the change yet');
  const agrees =
    count(disruptionsAllowed) > 0
      ? allowed.status === 'True' && allowed.reason === 'SufficientPods'
      : allowed.status === 'False' && allowed.reason === 'InsufficientPods';
  return agrees ? available : notYet('its condition and its count do not agree yet');
}

function job(live: Manifest): Availability {
  if (isTrue(live, 'Failed')) return failed(`the job failed: ${conditionOf(live, 'Failed')?.message ?? ''}`);
  return isTrue(live, 'Complete') ? available : notYet('the job is not complete yet');
}

function pod(live: Manifest): Availability {
  const { phase, initContainerStatuses, containerStatuses } = part(live, 'status');
  if (live.metadata.deletionTimestamp) return notYet('the pod is being deleted');
  if (phase === 'Failed') return failed('the pod failed');
  if (phase === 'Succeeded') return available;
  if (isTrue(live, 'Ready')) return available;
  const crashing = [...containersIn(initContainerStatuses), ...containersIn(containerStatuses)].filter(
    ({ state }) => state?.waiting?.reason === 'CrashLoopBackOff',
  );
  return crashing.length > 0
    ? failed(`in CrashLoopBackOff: ${crashing.map(({ name }) => name).join(', ')}`)
    : becauseOf(notYet('the pod is not ready yet'), podCause([live]));
}

/** Why it is not available, where its pods show that. */
export const becauseOf = (availability: Availability, cause: string | undefined): Availability =>
  availability.verdict === 'NotAvailableYet' && cause !== undefined
    ? notYet(`${availability.message}: ${cause}`)
    : availability;

/** `ImagePullBackOff nginx:1.27`, what pods that are not ready wait for; undefined where nothing shows it. */
export function podCause(pods: readonly Manifest[]): string | undefined {
  const causes = pods
    .filter((live) => !live.metadata.deletionTimestamp && !isTrue(live, 'Ready'))
    .flatMap((live) => {
      const { initContainerStatuses, containerStatuses } = part(live, 'status');
      const isUnschedulable = conditionOf(live, 'PodScheduled')?.reason === 'Unschedulable';
      return [
        ...(isUnschedulable ? ['Unschedulable'] : []),
        ...waitingFor([...containersIn(initContainerStatuses), ...containersIn(containerStatuses)]),
      ];
    });
  return causes.length === 0 ? undefined : shortList([...new Set(causes)].sort());
}

/** Starting containers wait as well. */
const waitingFor = (containers: readonly ContainerStatus[]): string[] =>
  containers.flatMap(({ state, image }) => {
    // A kubelet alternates between the two while it retries, and each change of the message would be a status commit.
    const reason = state?.waiting?.reason === 'ErrImagePull' ? 'ImagePullBackOff' : state?.waiting?.reason;
    if (typeof reason !== 'string' || starting.has(reason)) return [];
    return typeof image === 'string' ? `${reason} ${image}` : reason;
  });

const starting: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

interface ContainerStatus {
  readonly name: string;
  readonly image?: unknown;
  readonly state?: { readonly waiting?: { readonly reason?: string } };
}
const containersIn = (statuses: unknown): readonly ContainerStatus[] =>
  Array.isArray(statuses) ? statuses.filter((status): status is ContainerStatus => isFields(status)) : [];

/**
 * A custom resource reports it the way most controllers do: observedGeneration, of the status or of the condition,
 * and a Ready or Available condition. Ready counts first; Stalled and Reconciling are from kstatus.
 */
function customResource(live: Manifest): Availability {
  const verdict = conditionOf(live, 'Ready') ?? conditionOf(live, 'Available');
  const observed = part(live, 'status')['observedGeneration'] ?? verdict?.observedGeneration;
  if (typeof observed !== 'number' || verdict === undefined) return untrackable;
  const { generation, deletionTimestamp } = live.metadata;
  if (deletionTimestamp) return notYet('it is being deleted');
  if (generation !== undefined && observed !== generation) return notYet('its controller has not seen the change yet');
  if (isTrue(live, 'Stalled'))
    return failed(`its controller has given up: ${conditionOf(live, 'Stalled')?.reason ?? ''}`);
  if (isTrue(live, 'Reconciling')) return notYet('its controller is at work');
  return verdict.status === 'True'
    ? available
    : notYet(`${verdict.type} is ${verdict.status}: ${verdict.reason ?? ''}`);
}
