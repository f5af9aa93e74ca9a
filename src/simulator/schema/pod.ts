import { conditions, labelSelector, objectMeta, typedReference } from './meta.ts';
import {
  any,
  bool,
  def,
  int,
  intOrString,
  list,
  listBy,
  map,
  obj,
  oneOf,
  quantity,
  type Schema,
  str,
  time,
} from './schema.ts';

const quantities = map(quantity);
const reference = obj({ name: def(str, ''), optional: bool });
const keySelector = obj({ name: def(str, ''), key: str, optional: bool }, { atomic: true, required: ['key'] });
const fieldRef = obj({ apiVersion: def(str, 'v1'), fieldPath: str }, { atomic: true, required: ['fieldPath'] });
const resourceFieldRef = obj(
  { containerName: str, resource: str, divisor: def(quantity, '0') },
  { atomic: true, required: ['resource'] },
);

const envVar = obj(
  {
    name: str,
    value: str,
    valueFrom: obj({ configMapKeyRef: keySelector, secretKeyRef: keySelector, fieldRef, resourceFieldRef }),
  },
  { name: 'io.k8s.api.core.v1.EnvVar', required: ['name'] },
);

const httpHeaders = list(obj({ name: str, value: str }, { required: ['name', 'value'] }));
const exec = obj({ command: list(str) });
const httpGet = obj(
  { path: str, port: intOrString, host: str, scheme: def(str, 'HTTP'), httpHeaders },
  { required: ['port'] },
);
const tcpSocket = obj({ host: str, port: intOrString }, { required: ['port'] });
const handler = obj({ exec, httpGet, tcpSocket, sleep: obj({ seconds: int }) });
const probe = obj(
  {
    exec,
    httpGet,
    tcpSocket,
    grpc: obj({ port: int, service: def(str, '') }, { required: ['port'] }),
    initialDelaySeconds: int,
    timeoutSeconds: def(int, 1),
    periodSeconds: def(int, 10),
    successThreshold: def(int, 1),
    failureThreshold: def(int, 3),
    terminationGracePeriodSeconds: int,
  },
  { name: 'io.k8s.api.core.v1.Probe' },
);

const seLinuxOptions = obj({ user: str, role: str, type: str, level: str });
const windowsOptions = obj({
  gmsaCredentialSpecName: str,
  gmsaCredentialSpec: str,
  runAsUserName: str,
  hostProcess: bool,
});
const profile = obj({ type: str, localhostProfile: str }, { required: ['type'] });
const securityContext = obj({
  capabilities: obj({ add: list(str), drop: list(str) }),
  privileged: bool,
  seLinuxOptions,
  windowsOptions,
  runAsUser: int,
  runAsGroup: int,
  runAsNonRoot: bool,
  readOnlyRootFilesystem: bool,
  allowPrivilegeEscalation: bool,
  procMount: str,
  seccompProfile: profile,
  appArmorProfile: profile,
});

export const resources = obj(
  {
    limits: quantities,
    requests: quantities,
    claims: listBy(['name'], obj({ name: str, request: str }, { required: ['name'] })),
  },
  { name: 'io.k8s.api.core.v1.ResourceRequirements' },
);

const containerFields = {
  name: str,
  image: str,
  command: list(str),
  args: list(str),
  workingDir: str,
  ports: listBy(
    ['containerPort', 'protocol'],
    obj(
      { name: str, hostPort: int, containerPort: int, protocol: def(str, 'TCP'), hostIP: str },
      { name: 'io.k8s.api.core.v1.ContainerPort', required: ['containerPort'] },
    ),
  ),
  envFrom: list(obj({ prefix: str, configMapRef: reference, secretRef: reference })),
  env: listBy(['name'], envVar),
  resources: def(resources, {}),
  resizePolicy: list(obj({ resourceName: str, restartPolicy: str })),
  restartPolicy: str,
  volumeMounts: listBy(
    ['mountPath'],
    obj(
      {
        name: str,
        readOnly: bool,
        recursiveReadOnly: str,
        mountPath: str,
        subPath: str,
        mountPropagation: str,
        subPathExpr: str,
      },
      { name: 'io.k8s.api.core.v1.VolumeMount', required: ['name', 'mountPath'] },
    ),
  ),
  volumeDevices: listBy(['devicePath'], obj({ name: str, devicePath: str }, { required: ['name', 'devicePath'] })),
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  lifecycle: obj({ postStart: handler, preStop: handler, stopSignal: str }),
  terminationMessagePath: def(str, '/dev/termination-log'),
  terminationMessagePolicy: def(str, 'File'),
  imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
  securityContext,
  stdin: bool,
  stdinOnce: bool,
  tty: bool,
};
const container = obj(containerFields, { name: 'io.k8s.api.core.v1.Container', required: ['name'] });
const ephemeralContainer = obj({ ...containerFields, targetContainerName: str }, { required: ['name'] });

const keyToPath = list(obj({ key: str, path: str, mode: int }, { required: ['key', 'path'] }));
const downwardItems = list(obj({ path: str, fieldRef, resourceFieldRef, mode: int }, { required: ['path'] }));
const nameRef = obj({ name: def(str, '') }, { atomic: true });

export const pvcSpec = obj(
  {
    accessModes: list(str),
    selector: labelSelector,
    resources: obj({ limits: quantities, requests: quantities }),
    volumeName: str,
    storageClassName: str,
    volumeMode: def(str, 'Filesystem'),
    dataSource: typedReference,
    dataSourceRef: obj({ apiGroup: str, kind: str, name: str, namespace: str }),
    volumeAttributesClassName: str,
  },
  { name: 'io.k8s.api.core.v1.PersistentVolumeClaimSpec' },
);

const volume = obj(
  {
    name: str,
    emptyDir: obj({ medium: str, sizeLimit: quantity }),
    hostPath: obj({ path: str, type: def(str, '') }, { required: ['path'] }),
    configMap: obj({ name: def(str, ''), items: keyToPath, defaultMode: def(int, 420), optional: bool }),
    secret: obj({ secretName: str, items: keyToPath, defaultMode: def(int, 420), optional: bool }),
    persistentVolumeClaim: obj({ claimName: str, readOnly: bool }, { required: ['claimName'] }),
    downwardAPI: obj({ items: downwardItems, defaultMode: def(int, 420) }),
    projected: obj({
      sources: list(
        obj({
          secret: obj({ name: def(str, ''), items: keyToPath, optional: bool }),
          configMap: obj({ name: def(str, ''), items: keyToPath, optional: bool }),
          downwardAPI: obj({ items: downwardItems }),
          serviceAccountToken: obj(
            { audience: str, expirationSeconds: def(int, 3600), path: str },
            { required: ['path'] },
          ),
          clusterTrustBundle: obj({ name: str, signerName: str, labelSelector, optional: bool, path: str }),
        }),
      ),
      defaultMode: def(int, 420),
    }),
    csi: obj(
      { driver: str, readOnly: bool, fsType: str, volumeAttributes: map(str), nodePublishSecretRef: nameRef },
      { required: ['driver'] },
    ),
    ephemeral: obj({ volumeClaimTemplate: obj({ metadata: objectMeta, spec: pvcSpec }) }),
    image: obj({ reference: str, pullPolicy: str }),
    nfs: obj({ server: str, path: str, readOnly: bool }, { required: ['server', 'path'] }),
    azureDisk: obj({ diskName: str, diskURI: str, cachingMode: str, fsType: str, readOnly: bool, kind: str }),
    azureFile: obj({ secretName: str, shareName: str, readOnly: bool }),
    awsElasticBlockStore: obj({ volumeID: str, fsType: str, partition: int, readOnly: bool }),
    gcePersistentDisk: obj({ pdName: str, fsType: str, partition: int, readOnly: bool }),
    iscsi: any,
    fc: any,
    cephfs: any,
    rbd: any,
    flexVolume: any,
    gitRepo: obj({ repository: str, revision: str, directory: str }),
  },
  { name: 'io.k8s.api.core.v1.Volume', required: ['name'] },
);

const nodeRequirement = obj({ key: str, operator: str, values: list(str) }, { required: ['key', 'operator'] });
const nodeTerm = obj({ matchExpressions: list(nodeRequirement), matchFields: list(nodeRequirement) }, { atomic: true });
export const nodeSelector = obj(
  { nodeSelectorTerms: list(nodeTerm) },
  { atomic: true, required: ['nodeSelectorTerms'] },
);
const podTerm = obj(
  {
    labelSelector,
    namespaces: list(str),
    topologyKey: str,
    namespaceSelector: labelSelector,
    matchLabelKeys: list(str),
    mismatchLabelKeys: list(str),
  },
  { required: ['topologyKey'] },
);
const weightedPodTerm = obj({ weight: int, podAffinityTerm: podTerm }, { required: ['weight', 'podAffinityTerm'] });
const podAffinity = obj({
  requiredDuringSchedulingIgnoredDuringExecution: list(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(weightedPodTerm),
});
const affinity = obj(
  {
    nodeAffinity: obj({
      requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
      preferredDuringSchedulingIgnoredDuringExecution: list(obj({ weight: int, preference: nodeTerm })),
    }),
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  { name: 'io.k8s.api.core.v1.Affinity' },
);

export const toleration = obj({ key: str, operator: str, value: str, effect: str, tolerationSeconds: int });

export const podSpec: Schema = obj(
  {
    volumes: listBy(['name'], volume, { retainKeys: true }),
    initContainers: listBy(['name'], container),
    containers: listBy(['name'], container),
    ephemeralContainers: listBy(['name'], ephemeralContainer),
    restartPolicy: def(oneOf('Always', 'OnFailure', 'Never'), 'Always'),
    terminationGracePeriodSeconds: def(int, 30),
    activeDeadlineSeconds: int,
    dnsPolicy: def(str, 'ClusterFirst'),
    nodeSelector: map(str, { atomic: true }),
    serviceAccountName: str,
    serviceAccount: str,
    automountServiceAccountToken: bool,
    nodeName: str,
    hostNetwork: bool,
    hostPID: bool,
    hostIPC: bool,
    shareProcessNamespace: bool,
    securityContext: def(
      obj({
        seLinuxOptions,
        windowsOptions,
        runAsUser: int,
        runAsGroup: int,
        runAsNonRoot: bool,
        supplementalGroups: list(int),
        supplementalGroupsPolicy: str,
        fsGroup: int,
        sysctls: list(obj({ name: str, value: str }, { required: ['name', 'value'] })),
        fsGroupChangePolicy: str,
        seccompProfile: profile,
        appArmorProfile: profile,
        seLinuxChangePolicy: str,
      }),
      {},
    ),
    imagePullSecrets: listBy(['name'], obj({ name: def(str, '') }, { atomic: true })),
    hostname: str,
    subdomain: str,
    affinity,
    schedulerName: def(str, 'default-scheduler'),
    tolerations: list(toleration),
    hostAliases: listBy(['ip'], obj({ ip: str, hostnames: list(str) }, { required: ['ip'] })),
    priorityClassName: str,
    priority: int,
    dnsConfig: obj({
      nameservers: list(str),
      searches: list(str),
      options: list(obj({ name: str, value: str })),
    }),
    readinessGates: list(obj({ conditionType: str }, { required: ['conditionType'] })),
    runtimeClassName: str,
    enableServiceLinks: bool,
    preemptionPolicy: str,
    overhead: quantities,
    topologySpreadConstraints: listBy(
      ['topologyKey', 'whenUnsatisfiable'],
      obj(
        {
          maxSkew: int,
          topologyKey: str,
          whenUnsatisfiable: str,
          labelSelector,
          minDomains: int,
          nodeAffinityPolicy: str,
          nodeTaintsPolicy: str,
          matchLabelKeys: list(str),
        },
        { required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'] },
      ),
    ),
    setHostnameAsFQDN: bool,
    os: obj({ name: str }, { required: ['name'] }),
    hostUsers: bool,
    schedulingGates: listBy(['name'], obj({ name: str }, { required: ['name'] })),
    resourceClaims: listBy(['name'], obj({ name: str, resourceClaimName: str, resourceClaimTemplateName: str }), {
      retainKeys: true,
    }),
    resources,
  },
  { name: 'io.k8s.api.core.v1.PodSpec', required: ['containers'] },
);

export const podTemplate: Schema = obj(
  { metadata: objectMeta, spec: podSpec },
  { name: 'io.k8s.api.core.v1.PodTemplateSpec' },
);

const containerState = obj({
  running: obj({ startedAt: time }),
  waiting: obj({ reason: str, message: str }),
  terminated: obj({
    exitCode: int,
    signal: int,
    reason: str,
    message: str,
    startedAt: time,
    finishedAt: time,
    containerID: str,
  }),
});
const containerStatuses = list(
  obj({
    name: str,
    state: containerState,
    lastState: containerState,
    ready: bool,
    restartCount: int,
    image: str,
    imageID: str,
    containerID: str,
    started: bool,
    allocatedResources: quantities,
    resources,
    volumeMounts: any,
  }),
);

export const podStatus: Schema = obj(
  {
    phase: str,
    conditions,
    message: str,
    reason: str,
    nominatedNodeName: str,
    hostIP: str,
    hostIPs: list(obj({ ip: str })),
    podIP: str,
    podIPs: listBy(['ip'], obj({ ip: str })),
    startTime: time,
    initContainerStatuses: containerStatuses,
    containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
    qosClass: str,
    observedGeneration: int,
    resize: str,
  },
  { name: 'io.k8s.api.core.v1.PodStatus' },
);
