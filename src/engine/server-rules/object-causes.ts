import { at, textAt } from '../kernel/at.ts';
import type { Fields } from '../kernel/fields.ts';
import { admissionCauses } from './admission-causes.ts';
import { autoscalerCauses } from './autoscaler-causes.ts';
import { type Cause, forbiddenField, invalidField, type RuledKind, requiredField } from './cause.ts';
import { choiceCauses } from './choices.ts';
import { configMapCauses, secretCauses } from './config-causes.ts';
import { definitionCauses } from './definition-causes.ts';
import { ingressCauses } from './ingress-causes.ts';
import { selectorCauses } from './label-causes.ts';
import { networkPolicyCauses, serviceCauses } from './network-causes.ts';
import { negativeCause, percentCauses } from './number-causes.ts';
import { bindingCauses, ruleCauses } from './rights-causes.ts';
import { claimCauses, limitRangeCauses, volumeObjectCauses } from './storage-causes.ts';
import { cronJobCauses, jobCauses, podObjectCauses, stayingCauses } from './workload-causes.ts';

/** Validation errors of an object by the rules of its kind, besides its schema and metadata. */
export function objectCauses(object: Fields, { group, kind }: RuledKind): Cause[] {
  const key = `${group}/${kind}`;
  return [...choiceCauses(object, key), ...negativeCauses(object, key), ...(byKind[key]?.(object) ?? [])];
}

const jobCounts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];

/** Numbers of a spec that may not be negative. */
const counts: Readonly<Record<string, readonly string[]>> = {
  'apps/Deployment': ['replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'],
  'apps/ReplicaSet': ['replicas', 'minReadySeconds'],
  'apps/StatefulSet': ['replicas', 'minReadySeconds'],
  'apps/DaemonSet': ['minReadySeconds', 'revisionHistoryLimit'],
  'batch/Job': jobCounts,
  'batch/CronJob': [
    'startingDeadlineSeconds',
    'successfulJobsHistoryLimit',
    'failedJobsHistoryLimit',
    ...jobCounts.map((name) => `jobTemplate.spec.${name}`),
  ],
};

const negativeCauses = (object: Fields, key: string): Cause[] =>
  (counts[key] ?? []).flatMap((field) => negativeCause(at(object, 'spec', ...field.split('.')), `spec.${field}`));

const isGiven = (value: unknown, field: string): boolean => (at(value, field) ?? null) !== null;

function budgetCauses({ spec }: Fields): Cause[] {
  return [
    ...['minAvailable', 'maxUnavailable'].flatMap((name) => percentCauses(at(spec, name), `spec.${name}`, 100)),
    ...(isGiven(spec, 'minAvailable') && isGiven(spec, 'maxUnavailable')
      ? [invalidField('spec', spec, 'minAvailable and maxUnavailable cannot be both set', 'keep one of them')]
      : []),
    ...selectorCauses(at(spec, 'selector'), 'spec.selector'),
  ];
}

/** The most that users may give; Kubernetes keeps what is above for its own classes, `system-node-critical`. */
const highestPriority = 1_000_000_000;

function priorityCauses(priority: Fields): Cause[] {
  const value = priority['value'];
  const isOwn = textAt(priority, 'metadata', 'name').startsWith('system-');
  if (typeof value !== 'number' || value <= highestPriority || isOwn) return [];
  const why = `maximum allowed value of a user defined priority is ${highestPriority}`;
  return [{ ...forbiddenField('value', why), fix: 'write a smaller one' }];
}

const byKind: Readonly<Record<string, (object: Fields) => Cause[]>> = {
  '/ConfigMap': configMapCauses,
  '/Secret': secretCauses,
  'rbac.authorization.k8s.io/Role': ruleCauses('Role'),
  'rbac.authorization.k8s.io/ClusterRole': ruleCauses('ClusterRole'),
  'rbac.authorization.k8s.io/RoleBinding': bindingCauses('RoleBinding'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingCauses('ClusterRoleBinding'),
  '/Pod': podObjectCauses,
  'apps/Deployment': stayingCauses('Deployment'),
  'apps/ReplicaSet': stayingCauses('ReplicaSet'),
  'apps/StatefulSet': stayingCauses('StatefulSet'),
  'apps/DaemonSet': stayingCauses('DaemonSet'),
  'batch/Job': jobCauses,
  'batch/CronJob': cronJobCauses,
  '/Service': serviceCauses,
  '/PersistentVolumeClaim': ({ spec }) => claimCauses(spec, 'spec'),
  '/PersistentVolume': volumeObjectCauses,
  '/LimitRange': limitRangeCauses,
  'networking.k8s.io/Ingress': ingressCauses,
  'networking.k8s.io/NetworkPolicy': networkPolicyCauses,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': admissionCauses,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': admissionCauses,
  'policy/PodDisruptionBudget': budgetCauses,
  'scheduling.k8s.io/PriorityClass': priorityCauses,
  'autoscaling/HorizontalPodAutoscaler': autoscalerCauses,
  'discovery.k8s.io/EndpointSlice': (slice) => (isGiven(slice, 'addressType') ? [] : [requiredField('addressType')]),
  'apiextensions.k8s.io/CustomResourceDefinition': definitionCauses,
};
