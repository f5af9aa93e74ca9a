import type { Manifest } from '../../api/meta.ts';
import { type Fields, isFields } from '../../engine/kernel/fields.ts';
import { doNotDisrupt } from '../../engine/node-pools/do-not-disrupt.ts';

/** What is kept of a value: all of it, some fields of it or of each of its items, or what a function returns. */
export type Kept = true | { readonly [field: string]: Kept } | ((value: unknown) => unknown);

/** The fields of an object that plans read. Everything else changes often, or takes memory. */
export function keptOf(object: Manifest, kept: Kept): Manifest {
  const { apiVersion, kind } = object;
  return { apiVersion, kind, ...(partOf(object, kept) as Pick<Manifest, 'metadata'>) };
}

function partOf(value: unknown, kept: Kept): unknown {
  if (kept === true) return value;
  if (typeof kept === 'function') return kept(value);
  if (Array.isArray(value)) return value.map((item) => partOf(item, kept));
  if (!isFields(value)) return undefined;
  const found: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(kept)) {
    const part = value[name] === undefined ? undefined : partOf(value[name], inner);
    if (part !== undefined) found[name] = part;
  }
  return found;
}

const meta = {
  name: true,
  namespace: true,
  uid: true,
  labels: true,
  creationTimestamp: true,
  deletionTimestamp: true,
} as const;

const only =
  (...names: readonly string[]) =>
  (value: unknown): Fields | undefined => {
    const found = Object.entries(isFields(value) ? value : {}).filter(([name]) => names.includes(name));
    return found.length === 0 ? undefined : Object.fromEntries(found);
  };

const withoutLastApplied = (value: unknown): Fields =>
  Object.fromEntries(
    Object.entries(isFields(value) ? value : {}).filter(
      ([name]) => name !== 'kubectl.kubernetes.io/last-applied-configuration',
    ),
  );

/** Conditions without their heartbeats; `types`: absent = all. */
const conditions =
  (types?: readonly string[]) =>
  (value: unknown): unknown[] =>
    (Array.isArray(value) ? value : [])
      .filter((item) => types === undefined || types.includes(String(isFields(item) && item['type'])))
      .map((item) => partOf(item, { type: true, status: true, reason: true, message: true, lastTransitionTime: true }));

const container = {
  ports: (value: unknown) =>
    Array.isArray(value) ? value.filter((port) => isFields(port) && port['hostPort']) : undefined,
  resources: { requests: true, limits: true },
  restartPolicy: true,
} as const;

const podSpec = {
  nodeName: true,
  nodeSelector: true,
  affinity: true,
  tolerations: true,
  topologySpreadConstraints: true,
  priority: true,
  priorityClassName: true,
  terminationGracePeriodSeconds: true,
  overhead: true,
  resources: true,
  resourceClaims: true,
  containers: container,
  initContainers: container,
  volumes: (value: unknown) =>
    Array.isArray(value)
      ? value.filter((volume) => isFields(volume) && (volume['persistentVolumeClaim'] ?? volume['ephemeral']))
      : undefined,
} as const;

const containerStatus = { state: { terminated: { finishedAt: true } } } as const;

export const keptOfPod: Kept = {
  metadata: {
    ...meta,
    deletionGracePeriodSeconds: true,
    annotations: only(doNotDisrupt, 'controller.kubernetes.io/pod-deletion-cost'),
    ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
  },
  spec: podSpec,
  status: {
    phase: true,
    startTime: true,
    nominatedNodeName: true,
    conditions: conditions(['PodScheduled', 'Ready']),
    containerStatuses: containerStatus,
  },
};

export const keptOfNode: Kept = {
  metadata: { ...meta, annotations: withoutLastApplied },
  spec: { taints: true, unschedulable: true, providerID: true },
  status: {
    capacity: true,
    allocatable: true,
    conditions: conditions(['Ready']),
    nodeInfo: { kubeletVersion: true },
  },
};

export const keptOfBudget: Kept = {
  metadata: meta,
  spec: true,
  status: { disruptionsAllowed: true, currentHealthy: true, desiredHealthy: true, expectedPods: true },
};

export const keptOfClaim: Kept = {
  metadata: { ...meta, annotations: withoutLastApplied, ownerReferences: true },
  spec: true,
  status: {
    nodeName: true,
    providerID: true,
    imageID: true,
    capacity: true,
    allocatable: true,
    lastPodEventTime: true,
    conditions: conditions(),
  },
};

export const keptOfPool: Kept = {
  metadata: { ...meta, annotations: withoutLastApplied, generation: true },
  spec: true,
  status: { nodes: true, conditions: conditions() },
};

export const keptOfNodeClass: Kept = {
  metadata: meta,
  spec: true,
  status: { kubernetesVersion: true, images: true, conditions: conditions() },
};

export const keptOfDaemonSet: Kept = { metadata: meta, spec: { template: { spec: podSpec } } };

export const keptOfVolume: Kept = {
  metadata: meta,
  spec: { csi: { driver: true }, nodeAffinity: true, claimRef: { namespace: true, name: true } },
};

export const keptOfVolumeClaim: Kept = { metadata: meta, spec: { volumeName: true, storageClassName: true } };

export const keptOfStorageClass: Kept = { metadata: meta, provisioner: true, allowedTopologies: true };

export const keptOfCsiNode: Kept = { metadata: meta, spec: { drivers: { name: true, allocatable: true } } };

export const keptOfAttachment: Kept = {
  metadata: meta,
  spec: { nodeName: true, source: { persistentVolumeName: true } },
};

export const keptOfEvent: Kept = {
  metadata: { name: true, namespace: true, uid: true, creationTimestamp: true },
  involvedObject: { kind: true, name: true },
  type: true,
  reason: true,
  message: true,
  count: true,
  lastTimestamp: true,
};

export const keptOfNamespace: Kept = { metadata: { name: true, labels: true } };
