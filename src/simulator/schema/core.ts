import { conditions, kindSchema, localObjectReference, objectReference } from './meta.ts';
import { nodeSelector, podSpec, podStatus, podTemplate } from './pod.ts';
import {
  all,
  any,
  bool,
  bytes,
  def,
  int,
  intOrString,
  list,
  listBy,
  map,
  obj,
  quantity,
  type Schema,
  setOf,
  str,
  time,
} from './schema.ts';
import { pvcSpec } from './volume.ts';

const core = (kind: string, fields: Readonly<Record<string, Schema>>, more: Partial<Schema> = {}) =>
  kindSchema(`io.k8s.api.core.v1.${kind}`, fields, more);
const quantities = map(quantity);

export const namespace = core('Namespace', {
  spec: obj({ finalizers: list(str) }),
  status: obj({ phase: str, conditions }),
});
export const configMap = core('ConfigMap', { data: map(str), binaryData: map(bytes), immutable: bool });
export const secret = core('Secret', {
  data: map(bytes),
  stringData: map(str),
  type: def(str, 'Opaque'),
  immutable: bool,
});
export const pod = core('Pod', { spec: podSpec, status: podStatus }, { required: ['spec'] });
export const podTemplateKind = core('PodTemplate', { template: podTemplate });
export const serviceAccount = core('ServiceAccount', {
  secrets: listBy(['name'], objectReference),
  imagePullSecrets: list(localObjectReference),
  automountServiceAccountToken: bool,
});

const loadBalancer = obj({
  ingress: list(
    obj({ ip: str, hostname: str, ipMode: str, ports: list(obj({ port: int, protocol: str, error: str })) }),
  ),
});
export const service = core('Service', {
  spec: obj(
    {
      ports: listBy(
        ['port', 'protocol'],
        obj(
          { name: str, protocol: def(str, 'TCP'), appProtocol: str, port: int, targetPort: intOrString, nodePort: int },
          { name: 'io.k8s.api.core.v1.ServicePort', required: ['port'] },
        ),
      ),
      selector: map(str, { atomic: true }),
      clusterIP: str,
      clusterIPs: list(str),
      type: def(str, 'ClusterIP'),
      externalIPs: list(str),
      sessionAffinity: def(str, 'None'),
      loadBalancerIP: str,
      loadBalancerSourceRanges: list(str),
      externalName: str,
      externalTrafficPolicy: str,
      healthCheckNodePort: int,
      publishNotReadyAddresses: bool,
      sessionAffinityConfig: obj({ clientIP: obj({ timeoutSeconds: int }) }),
      ipFamilies: list(str),
      ipFamilyPolicy: str,
      allocateLoadBalancerNodePorts: bool,
      ...all(str, 'loadBalancerClass internalTrafficPolicy trafficDistribution'),
    },
    { name: 'io.k8s.api.core.v1.ServiceSpec' },
  ),
  status: def(obj({ loadBalancer: def(loadBalancer, {}), conditions }), { loadBalancer: {} }),
});

const address = obj({ ip: str, hostname: str, nodeName: str, targetRef: objectReference }, { atomic: true });
export const endpoints = core('Endpoints', {
  subsets: list(
    obj({
      addresses: list(address),
      notReadyAddresses: list(address),
      ports: list(obj({ name: str, port: int, protocol: str, appProtocol: str }, { atomic: true })),
    }),
  ),
});

export const node = core('Node', {
  spec: obj({
    podCIDR: str,
    podCIDRs: setOf(str, { mergeKey: '' }),
    providerID: str,
    unschedulable: bool,
    taints: list(obj({ key: str, value: str, effect: str, timeAdded: time }, { required: ['key', 'effect'] })),
    externalID: str,
  }),
  status: obj({
    capacity: quantities,
    allocatable: quantities,
    phase: str,
    conditions,
    addresses: listBy(['type'], obj({ type: str, address: str })),
    nodeInfo: obj({
      ...all(
        str,
        'machineID systemUUID bootID kernelVersion osImage containerRuntimeVersion kubeletVersion kubeProxyVersion operatingSystem architecture',
      ),
    }),
    images: list(obj({ names: list(str), sizeBytes: int })),
    volumesInUse: list(str),
    volumesAttached: list(any),
    daemonEndpoints: obj({ kubeletEndpoint: obj({ Port: int }) }),
    ...all(any, 'config features runtimeHandlers'),
  }),
});

export const persistentVolumeClaim = core('PersistentVolumeClaim', {
  spec: pvcSpec,
  status: obj({
    phase: str,
    accessModes: list(str),
    capacity: quantities,
    conditions,
    allocatedResources: quantities,
    allocatedResourceStatuses: map(str),
    currentVolumeAttributesClassName: str,
  }),
});
export const persistentVolume = core('PersistentVolume', {
  spec: obj({
    capacity: quantities,
    accessModes: list(str),
    claimRef: { ...objectReference, atomic: false },
    persistentVolumeReclaimPolicy: def(str, 'Retain'),
    storageClassName: str,
    mountOptions: list(str),
    volumeMode: def(str, 'Filesystem'),
    nodeAffinity: obj({ required: nodeSelector }),
    volumeAttributesClassName: str,
    hostPath: obj({ path: str, type: str }),
    local: obj({ path: str, fsType: str }),
    nfs: obj({ server: str, path: str, readOnly: bool }),
    csi: obj({
      driver: str,
      volumeHandle: str,
      readOnly: bool,
      fsType: str,
      volumeAttributes: map(str),
      ...all(
        any,
        'controllerPublishSecretRef nodeStageSecretRef nodePublishSecretRef controllerExpandSecretRef nodeExpandSecretRef',
      ),
    }),
    ...all(any, 'azureDisk azureFile awsElasticBlockStore gcePersistentDisk iscsi fc cephfs rbd'),
  }),
  status: obj({ phase: str, message: str, reason: str, lastPhaseTransitionTime: time }),
});

const hard = map(quantity);
export const resourceQuota = core('ResourceQuota', {
  spec: obj({
    hard,
    scopes: list(str),
    scopeSelector: obj(
      { matchExpressions: list(obj({ scopeName: str, operator: str, values: list(str) })) },
      { atomic: true },
    ),
  }),
  status: obj({ hard, used: hard }),
});
export const limitRange = core('LimitRange', {
  spec: obj({
    limits: list(
      obj({
        type: str,
        ...all(quantities, 'max min default defaultRequest maxLimitRequestRatio'),
      }),
    ),
  }),
});

export const event = core('Event', {
  involvedObject: { ...objectReference, atomic: false },
  reason: str,
  message: str,
  source: obj({ component: str, host: str }),
  firstTimestamp: time,
  lastTimestamp: time,
  count: int,
  type: str,
  eventTime: time,
  series: obj({ count: int, lastObservedTime: time }),
  action: str,
  related: objectReference,
  reportingComponent: str,
  reportingInstance: str,
});
