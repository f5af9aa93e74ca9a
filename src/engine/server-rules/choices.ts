import type { Fields } from '../kernel/fields.ts';
import { isFields } from '../kernel/fields.ts';
import { type Cause, unsupportedField } from './cause.ts';
import { podSpecs } from './pod-specs.ts';

export const protocols = ['TCP', 'UDP', 'SCTP'] as const;
export const serviceTypes = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'] as const;
export const pullPolicies = ['Always', 'IfNotPresent', 'Never'] as const;
export const restartPolicies = ['Always', 'OnFailure', 'Never'] as const;
export const strategies = ['Recreate', 'RollingUpdate'] as const;

/** Values of fields by their paths, `[]` behind lists. After `+`: newer versions of Kubernetes may know more. */
type Choices = Readonly<Record<string, readonly string[]>>;

const updates = ['RollingUpdate', 'OnDelete'];
const accessModes = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod', '+'];
const volumeModes = ['Filesystem', 'Block'];
const near = ['Local', 'Cluster'];

const containerChoices: Choices = {
  imagePullPolicy: pullPolicies,
  terminationMessagePolicy: ['File', 'FallbackToLogsOnError'],
  'ports[].protocol': protocols,
  'volumeMounts[].mountPropagation': ['None', 'HostToContainer', 'Bidirectional'],
};

/** Below the spec of a pod. */
const podChoices: Choices = {
  dnsPolicy: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
  preemptionPolicy: ['Never', 'PreemptLowerPriority'],
  'tolerations[].operator': ['Exists', 'Equal', 'Lt', 'Gt', '+'],
  'tolerations[].effect': ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
  'topologySpreadConstraints[].whenUnsatisfiable': ['DoNotSchedule', 'ScheduleAnyway'],
  ...Object.fromEntries(
    ['containers', 'initContainers'].flatMap((list) =>
      Object.entries(containerChoices).map(([path, values]) => [`${list}[].${path}`, values]),
    ),
  ),
};

const webhook: Choices = {
  'webhooks[].sideEffects': ['None', 'NoneOnDryRun'],
  'webhooks[].failurePolicy': ['Ignore', 'Fail'],
  'webhooks[].matchPolicy': ['Exact', 'Equivalent'],
  'webhooks[].rules[].operations[]': ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  'webhooks[].rules[].scope': ['*', 'Cluster', 'Namespaced'],
};
const binding: Choices = { 'subjects[].kind': ['ServiceAccount', 'User', 'Group'] };
const jobChoices = (spec: string): Choices => ({
  [`${spec}.completionMode`]: ['NonIndexed', 'Indexed', '+'],
  [`${spec}.podReplacementPolicy`]: ['Failed', 'TerminatingOrFailed', '+'],
});

/** Kubernetes API reference, and validation.go of each kind. */
const byKind: Readonly<Record<string, Choices>> = {
  '/Pod': { 'spec.restartPolicy': restartPolicies },
  'apps/Deployment': { 'spec.strategy.type': strategies },
  'apps/StatefulSet': {
    'spec.podManagementPolicy': ['OrderedReady', 'Parallel', '+'],
    'spec.updateStrategy.type': [...updates, '+'],
    'spec.persistentVolumeClaimRetentionPolicy.whenDeleted': ['Retain', 'Delete'],
    'spec.persistentVolumeClaimRetentionPolicy.whenScaled': ['Retain', 'Delete'],
  },
  'apps/DaemonSet': { 'spec.updateStrategy.type': [...updates, '+'] },
  'batch/Job': jobChoices('spec'),
  'batch/CronJob': {
    'spec.concurrencyPolicy': ['Allow', 'Forbid', 'Replace'],
    ...jobChoices('spec.jobTemplate.spec'),
  },
  '/Service': {
    'spec.type': serviceTypes,
    'spec.sessionAffinity': ['ClientIP', 'None'],
    'spec.externalTrafficPolicy': near,
    'spec.internalTrafficPolicy': near,
    'spec.ipFamilyPolicy': ['SingleStack', 'PreferDualStack', 'RequireDualStack'],
    'spec.ipFamilies[]': ['IPv4', 'IPv6'],
    'spec.ports[].protocol': protocols,
  },
  '/PersistentVolumeClaim': { 'spec.accessModes[]': accessModes, 'spec.volumeMode': volumeModes },
  '/PersistentVolume': {
    'spec.accessModes[]': accessModes,
    'spec.volumeMode': volumeModes,
    'spec.persistentVolumeReclaimPolicy': ['Delete', 'Recycle', 'Retain'],
  },
  'networking.k8s.io/Ingress': {
    'spec.rules[].http.paths[].pathType': ['Exact', 'Prefix', 'ImplementationSpecific'],
  },
  'networking.k8s.io/NetworkPolicy': {
    'spec.policyTypes[]': ['Ingress', 'Egress'],
    'spec.ingress[].ports[].protocol': protocols,
    'spec.egress[].ports[].protocol': protocols,
  },
  'autoscaling/HorizontalPodAutoscaler': {
    'spec.metrics[].type': ['ContainerResource', 'External', 'Object', 'Pods', 'Resource', '+'],
  },
  'discovery.k8s.io/EndpointSlice': { addressType: ['IPv4', 'IPv6', 'FQDN'] },
  'policy/PodDisruptionBudget': { 'spec.unhealthyPodEvictionPolicy': ['AlwaysAllow', 'IfHealthyBudget', '+'] },
  'rbac.authorization.k8s.io/RoleBinding': binding,
  'rbac.authorization.k8s.io/ClusterRoleBinding': binding,
  'storage.k8s.io/StorageClass': {
    reclaimPolicy: ['Delete', 'Retain'],
    volumeBindingMode: ['Immediate', 'WaitForFirstConsumer'],
  },
  'scheduling.k8s.io/PriorityClass': { preemptionPolicy: ['Never', 'PreemptLowerPriority'] },
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhook,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': {
    ...webhook,
    'webhooks[].reinvocationPolicy': ['Never', 'IfNeeded'],
  },
  'apiextensions.k8s.io/CustomResourceDefinition': {
    'spec.scope': ['Cluster', 'Namespaced'],
    'spec.conversion.strategy': ['None', 'Webhook'],
  },
};

/** Pods of these stay; those of jobs end. */
const staying = ['apps/Deployment', 'apps/ReplicaSet', 'apps/StatefulSet', 'apps/DaemonSet'];

interface Row {
  readonly steps: readonly string[];
  readonly values: readonly string[];
  readonly mayGrow: boolean;
}

const rowsOf = (choices: Choices, prefix = ''): Row[] =>
  Object.entries(choices).map(([path, values]) => ({
    steps: `${prefix}${path}`.replaceAll('[]', '.[]').split('.'),
    values: values.filter((value) => value !== '+'),
    mayGrow: values.includes('+'),
  }));

const rows: ReadonlyMap<string, readonly Row[]> = new Map(
  [...new Set([...Object.keys(byKind), ...Object.keys(podSpecs)])].map((key) => {
    const spec = podSpecs[key];
    const ofPods = spec === undefined ? [] : rowsOf(podChoices, `${spec}.`);
    const restart = staying.includes(key) ? rowsOf({ [`${spec}.restartPolicy`]: ['Always'] }) : [];
    return [key, [...rowsOf(byKind[key] ?? {}), ...restart, ...ofPods]] as const;
  }),
);

/** Values that are none of those that their field takes. Servers have a default for most that are absent or empty. */
export const choiceCauses = (object: Fields, key: string): Cause[] =>
  (rows.get(key) ?? []).flatMap((row) => walk(object, row, { from: 0, field: '' }));

function walk(value: unknown, row: Row, place: { readonly from: number; readonly field: string }): Cause[] {
  const { from, field } = place;
  const step = row.steps[from];
  if (step === undefined) {
    if (typeof value !== 'string' || value === '' || row.values.includes(value)) return [];
    return [{ ...unsupportedField(field, value, row.values), ...(!row.mayGrow && { choices: row.values }) }];
  }
  if (step !== '[]') {
    if (!isFields(value) || value[step] === undefined) return [];
    return walk(value[step], row, { from: from + 1, field: field === '' ? step : `${field}.${step}` });
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, at) => walk(item, row, { from: from + 1, field: `${field}[${at}]` }));
}
