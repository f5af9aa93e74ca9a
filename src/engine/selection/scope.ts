import { nearest } from '../../api/syntax.ts';

export type Scope = 'Cluster' | 'Namespaced';

/**
 * Scope of a kind that Kubernetes itself serves, in any version; undefined for others. Compared with the API that
 * @kubernetes/client-node 2.0.1 was generated from, which holds all kinds below but PodSecurityPolicy and our envelopes.
 */
export const builtInScope = (group: string, kind: string): Scope | undefined => table.get(group)?.get(kind);

/** Kinds that Kubernetes itself serves in a group; empty for other groups. */
export const builtInKinds = (group: string): readonly string[] => [...(table.get(group)?.keys() ?? [])];

/** Whatever their group. */
export const allBuiltInKinds = (): readonly string[] => [...table.values()].flatMap((kinds) => [...kinds.keys()]);

/** Groups in which Kubernetes itself serves a kind; the core group is "". */
export const builtInGroups = (kind: string): readonly string[] =>
  [...table].flatMap(([group, kinds]) => (kinds.has(kind) ? [group] : []));

/** The group that is meant where a built-in kind has another one; undefined if that may be of others, whose groups have a dot. */
export function groupMeant(group: string, kind: string): string | undefined {
  const homes = builtInGroups(kind);
  const isOfOthers = group.includes('.') && builtInKinds(group).length === 0;
  return homes.find((home) => isNearly(group, home)) ?? (isOfOthers ? undefined : homes[0]);
}

/** `networking` and `networking.k8s.oi` for `networking.k8s.io`, and `policy.k8s.io` for `policy`. */
const isNearly = (group: string, home: string): boolean =>
  home !== '' && (home.startsWith(`${group}.`) || group === `${home}.k8s.io` || nearest(group, [home]) !== undefined);

const clusterScoped: Readonly<Record<string, string>> = {
  '': 'Namespace Node PersistentVolume ComponentStatus',
  'admissionregistration.k8s.io':
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding',
  'apiextensions.k8s.io': 'CustomResourceDefinition',
  'apiregistration.k8s.io': 'APIService',
  'certificates.k8s.io': 'CertificateSigningRequest ClusterTrustBundle',
  'flowcontrol.apiserver.k8s.io': 'FlowSchema PriorityLevelConfiguration',
  'networking.k8s.io': 'IngressClass IPAddress ServiceCIDR',
  'node.k8s.io': 'RuntimeClass',
  policy: 'PodSecurityPolicy',
  'rbac.authorization.k8s.io': 'ClusterRole ClusterRoleBinding',
  'resource.k8s.io': 'DeviceClass DeviceTaintRule ResourceSlice',
  'scheduling.k8s.io': 'PriorityClass',
  'storagemigration.k8s.io': 'StorageVersionMigration',
  'storage.k8s.io': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
  'placement.kubernetes-fleet.io': 'ClusterResourceEnvelope',
};

const namespaced: Readonly<Record<string, string>> = {
  '': 'ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  apps: 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  autoscaling: 'HorizontalPodAutoscaler',
  batch: 'CronJob Job',
  'certificates.k8s.io': 'PodCertificateRequest',
  'coordination.k8s.io': 'Lease LeaseCandidate',
  'discovery.k8s.io': 'EndpointSlice',
  'events.k8s.io': 'Event',
  'networking.k8s.io': 'Ingress NetworkPolicy',
  policy: 'PodDisruptionBudget',
  'rbac.authorization.k8s.io': 'Role RoleBinding',
  'resource.k8s.io': 'ResourceClaim ResourceClaimTemplate',
  'scheduling.k8s.io': 'PodGroup Workload',
  'storage.k8s.io': 'CSIStorageCapacity',
  'placement.kubernetes-fleet.io': 'ResourceEnvelope',
};

const entries = (names: string | undefined, scope: Scope): [string, Scope][] =>
  (names?.split(' ') ?? []).map((kind): [string, Scope] => [kind, scope]);

/** By group and kind. */
const table: ReadonlyMap<string, ReadonlyMap<string, Scope>> = new Map(
  [...new Set([...Object.keys(clusterScoped), ...Object.keys(namespaced)])].map((group) => [
    group,
    new Map([...entries(clusterScoped[group], 'Cluster'), ...entries(namespaced[group], 'Namespaced')]),
  ]),
);
