import {
  container,
  ephemeralContainer,
  profile,
  quantities,
  resources,
  seLinuxOptions,
  windowsOptions,
} from './container.ts';
import { conditions, labelSelector, objectMeta } from './meta.ts';
import { all, any, bool, def, int, list, listBy, map, obj, type Schema, str, time } from './schema.ts';
import { volume } from './volume.ts';

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
    restartPolicy: def(str, 'Always'),
    terminationGracePeriodSeconds: def(int, 30),
    activeDeadlineSeconds: int,
    dnsPolicy: def(str, 'ClusterFirst'),
    nodeSelector: map(str, { atomic: true }),
    serviceAccountName: str,
    serviceAccount: str,
    automountServiceAccountToken: bool,
    nodeName: str,
    ...all(bool, 'hostNetwork hostPID hostIPC shareProcessNamespace'),
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
    ...all(str, 'image imageID containerID'),
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
    ...all(str, 'message reason nominatedNodeName hostIP'),
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
