export type Scope = 'Cluster' | 'Namespaced';

/**
 * Scope of a kind that every Kubernetes cluster serves, in any version; undefined for kinds that are not built in.
 * Source: the API of Kubernetes 1.34 and the last versions that served kinds gone since.
 */
export const builtInScope = (group: string, kind: string): Scope | undefined => table.get(`${group}/${kind}`);

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
  'resource.k8s.io': 'DeviceClass ResourceSlice',
  'scheduling.k8s.io': 'PriorityClass',
  'storage.k8s.io': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass',
  'placement.kubernetes-fleet.io': 'ClusterResourceEnvelope',
};

const namespaced: Readonly<Record<string, string>> = {
  '': 'ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  apps: 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  autoscaling: 'HorizontalPodAutoscaler',
  batch: 'CronJob Job',
  'coordination.k8s.io': 'Lease LeaseCandidate',
  'discovery.k8s.io': 'EndpointSlice',
  'events.k8s.io': 'Event',
  'networking.k8s.io': 'Ingress NetworkPolicy',
  policy: 'PodDisruptionBudget',
  'rbac.authorization.k8s.io': 'Role RoleBinding',
  'resource.k8s.io': 'ResourceClaim ResourceClaimTemplate',
  'storage.k8s.io': 'CSIStorageCapacity',
  'placement.kubernetes-fleet.io': 'ResourceEnvelope',
};

const entries = (kinds: Readonly<Record<string, string>>, scope: Scope): [string, Scope][] =>
  Object.entries(kinds).flatMap(([group, names]) =>
    names.split(' ').map((kind): [string, Scope] => [`${group}/${kind}`, scope]),
  );
const table: ReadonlyMap<string, Scope> = new Map([
  ...entries(clusterScoped, 'Cluster'),
  ...entries(namespaced, 'Namespaced'),
]);
