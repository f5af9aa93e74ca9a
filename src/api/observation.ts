import { z } from 'zod';
import { isManifest } from './is-manifest.ts';
import { memberClusterStatus } from './member-cluster.ts';
import { clusterName, type Manifest, timestamp } from './meta.ts';
import { observedVersions } from './observed-versions.ts';
import { patchDetail } from './placement.ts';
import { wrongAndFix } from './schema-message.ts';

const objectRef = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
});
const liveObject = z.custom<Manifest>(
  isManifest,
  wrongAndFix(
    'expected a Kubernetes object with apiVersion, kind and metadata.name',
    'write it as kubectl get -o yaml does',
  ),
);

/** The outcome of one object; `result` is a value of KubeFleet's applier (`Applied`, `FailedToTakeOver`, `FoundDrifts`, …). */
export const objectOutcome = z.looseObject({
  object: objectRef,
  result: z.string(),
  message: z.string().optional(),
  /** Drifts or diffs found, redacted for Secrets. */
  details: z.array(patchDetail).optional(),
  observedGeneration: z.number().int().optional(),
  /** Ours: when the `repaired` details were last repaired. */
  repairedAt: timestamp.optional(),
});
export type ObjectOutcome = z.output<typeof objectOutcome>;

export const placementObservation = z.looseObject({
  placement: z.strictObject({
    kind: z.enum(['ClusterResourcePlacement', 'ResourcePlacement']),
    name: z.string(),
    namespace: z.string().optional(),
  }),
  resourceSnapshotIndex: z.number().int().optional(),
  digest: z.string().optional(),
  at: timestamp.optional(),
  /** When the member last reported on the placement: availability recorded later stays valid. Absent = up to date. */
  heardAt: timestamp.optional(),
  done: z.boolean().default(true),
  results: z.array(objectOutcome).default([]),
});
export type PlacementObservation = z.output<typeof placementObservation>;

/** What stands against an upgrade, in the words of AKS's upgradeInsights. */
const upgradeFinding = z.looseObject({
  reason: z.string(),
  severity: z.enum(['Blocking', 'Warning']),
  message: z.string().optional(),
});
export type UpgradeFinding = z.output<typeof upgradeFinding>;

/** What the upgrade provider of a member reports. */
const observedUpgrade = z.looseObject({
  /** The operationId that it works on; absent for an operation that is not ours. */
  target: z.string().optional(),
  /** NotRequested: the provider was never asked for it. */
  phase: z.enum(['Running', 'Succeeded', 'Failed', 'NotRequested', 'Unknown']).optional(),
  message: z.string().optional(),
  /** When any of this, or of `versions`, last changed. */
  since: timestamp.optional(),
  /** The operationId that was requested there last, also when nothing is in progress. */
  lastOperation: z.string().optional(),
  findings: z.array(upgradeFinding).optional(),
});

export type UpgradePhase = NonNullable<z.output<typeof observedUpgrade>['phase']>;

/** A deprecated API that clients requested, as `apiserver_requested_deprecated_apis` names it. */
const requestedApi = z.looseObject({
  /** Absent: the core group. */
  group: z.string().optional(),
  version: z.string(),
  resource: z.string(),
  subresource: z.string().optional(),
  /** `1.32`; absent: no release is known to remove it. */
  removedRelease: z.string().optional(),
});
export type RequestedApi = z.output<typeof requestedApi>;

/** What the API server of a member was asked before an upgrade; what blocks evictions is among `extras`. */
const observedPreflight = z.looseObject({
  /** False: nothing was read yet. A plan that would start an upgrade waits for it. */
  done: z.boolean().default(true),
  /** Since its API server started. */
  requestedApis: z.array(requestedApi).default([]),
  /** Warnings about what could not be read. */
  findings: z.array(upgradeFinding).default([]),
});

/** A node that was asked for. */
const observedLaunch = z.looseObject({
  name: z.string(),
  /** Its node, where that has another name. */
  node: z.string().optional(),
  /** Of the node, where the provider chose it. */
  instanceType: z.string().optional(),
  phase: z.enum(['Launching', 'Launched', 'Failed']),
  message: z.string().optional(),
  since: timestamp.optional(),
});

/** The observation of one member at `observedAt`. `gitfleet observe` writes one file per member. */
export const clusterObservation = z.strictObject({
  apiVersion: z.literal('gitfleet.dev/v1alpha1'),
  kind: z.literal('ClusterObservation'),
  metadata: z.looseObject({ name: clusterName() }),
  /** Absent for a reachable member = the time of the plan; for an unreachable one = the last contact is unknown. */
  observedAt: timestamp.optional(),
  reachable: z.boolean().default(true),
  /** Why the member could not be reached; only with `reachable: false`. */
  cause: z.string().optional(),
  complete: z.boolean().default(true),
  memberStatus: memberClusterStatus.optional(),
  placements: z.array(placementObservation).default([]),
  objects: z.array(liveObject).default([]),
  /** Why workloads among `objects` are not available, as their pods show it: `ImagePullBackOff nginx:1.27`. */
  podCauses: z.array(z.strictObject({ object: objectRef, cause: z.string() })).optional(),
  versions: observedVersions.optional(),
  upgrade: observedUpgrade.optional(),
  /** Absent = nothing is known, and nothing is waited for. */
  preflight: observedPreflight.optional(),
  /** Absent = not listed, so that nothing is known of them. */
  nodes: z.array(liveObject).optional(),
  /** Of all namespaces and phases; absent = not listed. */
  pods: z.array(liveObject).optional(),
  /** Why a list of nodes, of pods or of what belongs to them is missing, one sentence for each kind. */
  notListed: z.array(z.string()).optional(),
  /** When a pod was last bound to a node, ended or began to end there, by node; pods of DaemonSets left out. */
  podEvents: z.record(z.string(), timestamp).optional(),
  /** Workloads with pods of which a container ended and was started again: how many pods, and when last; absent = not listed. */
  restarts: z
    .array(
      z.looseObject({
        kind: z.string(),
        namespace: z.string(),
        name: z.string(),
        pods: z.number().int(),
        at: timestamp,
      }),
    )
    .optional(),
  /** What the launch provider reports of replacements; absent = there is no provider, or they were not read. */
  launches: z.array(observedLaunch).optional(),
  /** Why `launches` were not read although there is a provider. */
  launchesNotRead: z.string().optional(),
  extras: z.array(liveObject).default([]),
});
export type ClusterObservation = z.output<typeof clusterObservation>;
