import { groupVersionOf } from './group-version.ts';

/**
 * The wave in which an object is applied to a member. Waves are applied one after the other, smallest first, and removed in reverse.
 * A wave does not wait for readiness, apart from CRDs of its kinds. Kinds that are not in the table, and known kinds in other groups, come
 * last (KubeFleet workapplier waves.go).
 */
export function waveOf(object: { readonly apiVersion: string; readonly kind: string }): number {
  if (!groups.has(groupVersionOf(object.apiVersion).group)) return lastWave;
  return waves.get(object.kind) ?? lastWave;
}

/** KubeFleet's number for "everything else". */
export const lastWave = 999;

const groups: ReadonlySet<string> = new Set([
  '',
  'networking.k8s.io',
  'scheduling.k8s.io',
  'policy',
  'storage.k8s.io',
  'apiextensions.k8s.io',
  'rbac.authorization.k8s.io',
  'apps',
  'autoscaling',
  'apiregistration.k8s.io',
  'admissionregistration.k8s.io',
  'batch',
]);

const kindsByWave: readonly string[] = [
  'Namespace PriorityClass',
  'NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ServiceAccount Secret ConfigMap StorageClass PersistentVolume PersistentVolumeClaim CustomResourceDefinition IngressClass',
  'ClusterRole Role',
  'ClusterRoleBinding RoleBinding',
  'Service DaemonSet Pod ReplicationController ReplicaSet Deployment HorizontalPodAutoscaler StatefulSet Job CronJob Ingress',
  'APIService ValidatingWebhookConfiguration MutatingWebhookConfiguration',
];
const waves: ReadonlyMap<string, number> = new Map(
  kindsByWave.flatMap((kinds, wave) => kinds.split(' ').map((kind): [string, number] => [kind, wave])),
);
