import type { Condition, Manifest } from '../../api/meta.ts';
import { groupVersionOf } from '../selection/group-version.ts';

export interface Availability {
  readonly verdict: 'Available' | 'NotTrackable' | 'NotAvailableYet' | 'Failed';
  /** Empty when available. */
  readonly message: string;
}

/**
 * Whether an applied object is available, by its live state. Kinds and rules of KubeFleet's availability tracker
 * (pkg/controllers/workapplier/availability_tracker.go), widened to CronJob, PVC, Ingress, HPA, Pod, Job and custom
 * resources by kstatus rules (docs/compatibility.md). What has no rule is NotTrackable.
 */
export function availabilityOf(live: Manifest): Availability {
  const { group } = groupVersionOf(live.apiVersion);
  const rule = rules[`${group}/${live.kind}`];
  if (rule) return rule(live);
  if (dataKinds.has(`${group}/${live.kind}`)) return available;
  return customResource(live);
}

const available: Availability = { verdict: 'Available', message: '' };
const untrackable: Availability = {
  verdict: 'NotTrackable',
  message: 'nothing tells when such an object is available',
};
const notYet = (message: string): Availability => ({ verdict: 'NotAvailableYet', message });
const failed = (message: string): Availability => ({ verdict: 'Failed', message });

/** Objects that are available as soon as they are there. */
const dataKinds: ReadonlySet<string> = new Set([
  '/Namespace',
  '/Secret',
  '/ConfigMap',
  '/ServiceAccount',
  '/LimitRange',
  '/ResourceQuota',
  'rbac.authorization.k8s.io/Role',
  'rbac.authorization.k8s.io/ClusterRole',
  'rbac.authorization.k8s.io/RoleBinding',
  'rbac.authorization.k8s.io/ClusterRoleBinding',
  'networking.k8s.io/NetworkPolicy',
  'networking.k8s.io/IngressClass',
  'storage.k8s.io/CSIDriver',
  'storage.k8s.io/CSINode',
  'storage.k8s.io/StorageClass',
  'storage.k8s.io/CSIStorageCapacity',
  'scheduling.k8s.io/PriorityClass',
  'apps/ControllerRevision',
]);

type Fields = Readonly<Record<string, unknown>>;
const part = (live: Manifest, name: 'spec' | 'status'): Fields => (live[name] ?? {}) as Fields;
const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise);
const conditionOf = (live: Manifest, type: string): Condition | undefined =>
  ((part(live, 'status')['conditions'] ?? []) as readonly Condition[]).find((condition) => condition.type === type);
const isTrue = (live: Manifest, type: string): boolean => conditionOf(live, type)?.status === 'True';

const seen = (live: Manifest): boolean =>
  live.metadata.generation === undefined || part(live, 'status')['observedGeneration'] === live.metadata.generation;

const rules: Readonly<Record<string, (live: Manifest) => Availability>> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  '/Service': service,
  'apiextensions.k8s.io/CustomResourceDefinition': (live) =>
    isTrue(live, 'Established') && isTrue(live, 'NamesAccepted') ? available : notYet('not established yet'),
  'policy/PodDisruptionBudget': disruptionBudget,
  'batch/Job': job,
  'batch/CronJob': () => available,
  '/PersistentVolumeClaim': (live) => (part(live, 'status')['phase'] === 'Bound' ? available : notYet('not bound yet')),
  '/Pod': pod,
  'networking.k8s.io/Ingress': (live) => {
    const balancer = (part(live, 'status')['loadBalancer'] ?? {}) as { ingress?: readonly unknown[] };
    return balancer.ingress?.length ? available : notYet('no address yet');
  },
  'autoscaling/HorizontalPodAutoscaler': (live) => {
    const active = conditionOf(live, 'ScalingActive');
    if (active === undefined) return notYet('no metrics yet');
    return active.status === 'False' && active.reason !== 'ScalingDisabled'
      ? notYet(`scaling is not active: ${active.reason}`)
      : available;
  },
};

function deployment(live: Manifest): Availability {
  const { updatedReplicas, availableReplicas, unavailableReplicas } = part(live, 'status');
  const wanted = count(part(live, 'spec')['replicas'], 1);
  if (!seen(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(availableReplicas) === wanted && count(updatedReplicas) === wanted && count(unavailableReplicas) === 0;
  return done
    ? available
    : notYet(`${count(availableReplicas)} of ${wanted} replicas are available, ${count(updatedReplicas)} updated`);
}

function statefulSet(live: Manifest): Availability {
  const { availableReplicas, currentReplicas, updatedReplicas, currentRevision, updateRevision } = part(live, 'status');
  const wanted = count(part(live, 'spec')['replicas'], 1);
  if (!seen(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(availableReplicas) === wanted &&
    count(currentReplicas) === count(updatedReplicas) &&
    currentRevision === updateRevision;
  return done
    ? available
    : notYet(`${count(availableReplicas)} of ${wanted} replicas are available, ${count(updatedReplicas)} updated`);
}

function daemonSet(live: Manifest): Availability {
  const { numberAvailable, desiredNumberScheduled, currentNumberScheduled, updatedNumberScheduled } = part(
    live,
    'status',
  );
  if (!seen(live)) return notYet('its controller has not seen the change yet');
  const done =
    count(numberAvailable) === count(desiredNumberScheduled) &&
    count(currentNumberScheduled) === count(updatedNumberScheduled);
  return done
    ? available
    : notYet(
        `${count(numberAvailable)} of ${count(desiredNumberScheduled)} pods are available, ${count(updatedNumberScheduled)} updated`,
      );
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
  const { observedGeneration, disruptionsAllowed } = part(live, 'status');
  const allowed = conditionOf(live, 'DisruptionAllowed');
  if (observedGeneration !== live.metadata.generation || !allowed)
    return notYet('its controller has not seen the change yet');
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
  const phase = part(live, 'status')['phase'];
  if (phase === 'Failed') return failed('the pod failed');
  return phase === 'Succeeded' || isTrue(live, 'Ready') ? available : notYet('the pod is not ready yet');
}

/** A custom resource says it itself, in the way most controllers do: observedGeneration and a Ready or Available condition. */
function customResource(live: Manifest): Availability {
  const { observedGeneration } = part(live, 'status');
  const verdict = conditionOf(live, 'Ready') ?? conditionOf(live, 'Available');
  if (observedGeneration === undefined || verdict === undefined) return untrackable;
  if (!seen(live)) return notYet('its controller has not seen the change yet');
  return verdict.status === 'True' ? available : notYet(`${verdict.type} is ${verdict.status}: ${verdict.reason}`);
}
