import type { Manifest } from '../../api/meta.ts';

/** A version of an API that Kubernetes serves no longer. */
export interface RemovedApi {
  /** `group/version`. */
  readonly apiVersion: string;
  /** Absent = all kinds of it. */
  readonly kinds?: readonly string[];
  /** The minor of 1.x from which it is not served. */
  readonly removedIn: number;
  /** What to write, and the minor that has it; absent = there is no successor. */
  readonly successor?: { readonly apiVersion: string; readonly since: number };
}

/** Kubernetes' deprecated API migration guide, https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
const removedApis: readonly RemovedApi[] = [
  row('flowcontrol.apiserver.k8s.io/v1beta3', 32, ['flowcontrol.apiserver.k8s.io/v1', 29]),
  row('flowcontrol.apiserver.k8s.io/v1beta2', 29, ['flowcontrol.apiserver.k8s.io/v1beta3', 26]),
  row('storage.k8s.io/v1beta1', 27, ['storage.k8s.io/v1', 24], 'CSIStorageCapacity'),
  row('flowcontrol.apiserver.k8s.io/v1beta1', 26, ['flowcontrol.apiserver.k8s.io/v1beta2', 23]),
  row('autoscaling/v2beta2', 26, ['autoscaling/v2', 23]),
  row('batch/v1beta1', 25, ['batch/v1', 21], 'CronJob'),
  row('discovery.k8s.io/v1beta1', 25, ['discovery.k8s.io/v1', 21], 'EndpointSlice'),
  row('events.k8s.io/v1beta1', 25, ['events.k8s.io/v1', 19], 'Event'),
  row('autoscaling/v2beta1', 25, ['autoscaling/v2', 23]),
  row('policy/v1beta1', 25, ['policy/v1', 21], 'PodDisruptionBudget'),
  row('policy/v1beta1', 25, undefined, 'PodSecurityPolicy'),
  row('node.k8s.io/v1beta1', 25, ['node.k8s.io/v1', 20], 'RuntimeClass'),
  row(
    'admissionregistration.k8s.io/v1beta1',
    22,
    ['admissionregistration.k8s.io/v1', 16],
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ),
  row('apiextensions.k8s.io/v1beta1', 22, ['apiextensions.k8s.io/v1', 16]),
  row('apiregistration.k8s.io/v1beta1', 22, ['apiregistration.k8s.io/v1', 10]),
  row('authentication.k8s.io/v1beta1', 22, ['authentication.k8s.io/v1', 6], 'TokenReview'),
  row('authorization.k8s.io/v1beta1', 22, ['authorization.k8s.io/v1', 6]),
  row('certificates.k8s.io/v1beta1', 22, ['certificates.k8s.io/v1', 19], 'CertificateSigningRequest'),
  row('coordination.k8s.io/v1beta1', 22, ['coordination.k8s.io/v1', 14], 'Lease'),
  row('extensions/v1beta1', 22, ['networking.k8s.io/v1', 19], 'Ingress'),
  row('extensions/v1beta1', 16, ['networking.k8s.io/v1', 8], 'NetworkPolicy'),
  row('extensions/v1beta1', 16, undefined, 'PodSecurityPolicy'),
  row('extensions/v1beta1', 16, ['apps/v1', 9], 'DaemonSet', 'Deployment', 'ReplicaSet'),
  row('apps/v1beta1', 16, ['apps/v1', 9]),
  row('apps/v1beta2', 16, ['apps/v1', 9]),
  row('networking.k8s.io/v1beta1', 22, ['networking.k8s.io/v1', 19], 'Ingress', 'IngressClass'),
  row('rbac.authorization.k8s.io/v1beta1', 22, ['rbac.authorization.k8s.io/v1', 8]),
  row('scheduling.k8s.io/v1beta1', 22, ['scheduling.k8s.io/v1', 14], 'PriorityClass'),
  row(
    'storage.k8s.io/v1beta1',
    22,
    ['storage.k8s.io/v1', 19],
    'CSIDriver',
    'CSINode',
    'StorageClass',
    'VolumeAttachment',
  ),
];

function row(
  apiVersion: string,
  removedIn: number,
  successor: readonly [apiVersion: string, since: number] | undefined,
  ...kinds: readonly string[]
): RemovedApi {
  return {
    apiVersion,
    ...(kinds.length > 0 && { kinds }),
    removedIn,
    ...(successor && { successor: { apiVersion: successor[0], since: successor[1] } }),
  };
}

/** The row of the API that an object is written in. */
export const removedApiOf = ({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): RemovedApi | undefined =>
  removedApis.find((api) => api.apiVersion === apiVersion && (api.kinds?.includes(kind) ?? true));

/** Whether no server has it that members may run: objects are applied by server-side apply, which is stable since 1.22. */
export const isGoneEverywhere = (manifest: Pick<Manifest, 'apiVersion' | 'kind'>): boolean =>
  (removedApiOf(manifest)?.removedIn ?? Number.POSITIVE_INFINITY) <= oldestMinor;
const oldestMinor = 22;
