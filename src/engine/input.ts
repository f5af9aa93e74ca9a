import type { Approver } from '../api/approver.ts';
import type { AutoUpgradeProfile } from '../api/auto-upgrade-profile.ts';
import type { DisruptionBudget } from '../api/disruption-budget.ts';
import type { Eviction } from '../api/eviction.ts';
import type { ApprovedRemoval, FleetConfig, PriceList, RemovalApproval } from '../api/gitfleet.ts';
import type { MaintenanceConfiguration } from '../api/maintenance-configuration.ts';
import type { MemberCluster } from '../api/member-cluster.ts';
import type { ClusterName, Manifest, ObjectRef, PlacementKey, Timestamp } from '../api/meta.ts';
import type { MirroredStatus } from '../api/mirrored-status.ts';
import type { InstanceCatalog } from '../api/nodes/instance-catalog.ts';
import type { NodePlan } from '../api/nodes/node-plan.ts';
import type { ClusterObservation } from '../api/observation.ts';
import type { Override, OverrideSnapshot } from '../api/override.ts';
import { type Placement, placementKey, refOf, type StatusInNamespace } from '../api/placement.ts';
import type { PlacementState } from '../api/placement-state.ts';
import type { Problem } from '../api/problem.ts';
import type { ApprovalRequest, StagedUpdateRun, StagedUpdateStrategy } from '../api/staged.ts';
import type { UpgradeGate } from '../api/upgrade-gate.ts';
import type { UpdateRun } from '../api/upgrade-run.ts';
import type { UpdateStrategy } from '../api/upgrade-strategy.ts';
import type { VersionCatalog } from '../api/version-catalog.ts';
import type { Instant } from './kernel/instant.ts';
import type { GroupedHold, Hold } from './plan-document.ts';

/** Everything a plan is made from. Same input, same plan; can be saved as files and replayed. */
export interface PlanInput {
  readonly now: Timestamp;
  readonly commit: string;
  readonly fleet: Fleet;
  /**
   * By cluster name. A member without an entry is unreachable. `undefined` = nothing was observed: every member is
   * reachable and holds exactly what is recorded.
   */
  readonly observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined;
  /**
   * What cluster upgrades see of members in place of `observations`: a forecast knows what its members run and nothing else of them.
   * Of a member without an entry nothing is known. `undefined` = they see `observations`.
   */
  readonly upgradeObservations: ReadonlyMap<ClusterName, ClusterObservation> | undefined;
  /** What node disruption sees of members in place of `observations`, as `upgradeObservations`. */
  readonly nodeObservations?: ReadonlyMap<ClusterName, ClusterObservation> | undefined;
  /**
   * Since when the daemon has tried to reach each member without a break, milliseconds. What happened before it has to see first, so
   * that no deadline passes unseen. A member without an entry, and `undefined`: there was no break.
   */
  readonly askedSince?: ReadonlyMap<ClusterName, Instant> | undefined;
  readonly record: FleetRecord;
  /** Removals that members held when the record was written; they count where `observations` have nothing of a removal. */
  readonly recordedHolds?: readonly Hold[] | undefined;
  readonly unproven: UnprovenBindings;
  /** Lower-case hex sha-256 of the UTF-8 text. Handed in because the engine imports nothing. */
  readonly digest: (text: string) => string;
  /** The plan is compared with no other: its digest is empty, which for a change of 1,000 clusters saves a third of the time. */
  readonly withoutPlanDigest?: boolean | undefined;
}

/**
 * Clusters of bindings that nothing but the record claims, by placement. The guard also counts what they show, and that a placement
 * has failed there is not believed.
 */
export type UnprovenBindings = ReadonlyMap<PlacementKey, ReadonlySet<ClusterName>>;

/** The fleet repo at one commit: valid, defaulted objects, each list sorted by (namespace, name). */
export interface Fleet {
  readonly members: readonly MemberCluster[];
  readonly placements: readonly Placement[];
  /** Placements whose file has a deletionTimestamp. They count as removed; only their deleteStrategy still matters. */
  readonly beingDeleted: readonly Placement[];
  readonly overrides: readonly Override[];
  readonly strategies: readonly StagedUpdateStrategy[];
  readonly runs: readonly StagedUpdateRun[];
  readonly approvals: readonly ApprovalRequest[];
  readonly evictions: readonly Eviction[];
  /** Of cluster update runs. */
  readonly upgradeStrategies: readonly UpdateStrategy[];
  readonly upgradeRuns: readonly UpdateRun[];
  /** Approvals of cluster update runs. */
  readonly gates: readonly UpgradeGate[];
  readonly maintenanceConfigurations: readonly MaintenanceConfiguration[];
  readonly versionCatalogs: readonly VersionCatalog[];
  readonly upgradeProfiles: readonly AutoUpgradeProfile[];
  readonly budgets: readonly DisruptionBudget[];
  readonly priceLists: readonly PriceList[];
  readonly instanceCatalogs: readonly InstanceCatalog[];
  readonly removalApprovals: readonly RemovalApproval[];
  readonly config: FleetConfig | undefined;
  /** No approval counts: `fleet.yaml`, which may name their folder, is not in effect. */
  readonly noApprovalCounts: boolean;
  /** Placements whose file names no strategy: they have the one that `config` gives, or KubeFleet's. */
  readonly withoutStrategy: ReadonlySet<PlacementKey>;
  /** Everything under `resources/`: what the hub would hold. */
  readonly resources: readonly HubObject[];
  /** NodePools whose file is invalid, as far as they can be read: their budgets count. */
  readonly invalidPools: readonly Manifest[];
  /** Kinds that are parsed and validated but whose engine does not exist yet. */
  readonly notActedOn: readonly ObjectRef[];
  /** Objects whose file is there but invalid: held at their last good version, never read as deleted. */
  readonly refused: readonly ObjectRef[];
  /** Why they are refused, as far as known: the first error of each, by `sourceKey`. */
  readonly whyRefused: ReadonlyMap<string, Problem>;
  /** True when some file could not be read far enough to know which objects it holds: then nothing may be concluded from absence. */
  readonly unreadable: readonly string[];
  /** Nothing new starts until this happens, as in a freeze. Undefined: only the freezes of the FleetConfig count. */
  readonly frozenUntil: string | undefined;
  readonly problems: readonly Problem[];
  /** Positions of fleet objects in their files, by `sourceKey`, for problems that only planning finds. */
  readonly sources?: ReadonlyMap<string, Source>;
  /** Who gave the approvals. Undefined: the history of the repo was not read. */
  readonly approvers: Approvers | undefined;
}

/** No one-time requests: no runs, approvals or evictions. */
export const noRequests: Pick<Fleet, 'runs' | 'approvals' | 'evictions' | 'upgradeRuns' | 'gates'> = {
  runs: [],
  approvals: [],
  evictions: [],
  upgradeRuns: [],
  gates: [],
};

/** A fleet repo with nothing in it. */
export const emptyFleet: Fleet = {
  ...noRequests,
  members: [],
  placements: [],
  beingDeleted: [],
  overrides: [],
  strategies: [],
  upgradeStrategies: [],
  maintenanceConfigurations: [],
  versionCatalogs: [],
  upgradeProfiles: [],
  budgets: [],
  priceLists: [],
  instanceCatalogs: [],
  removalApprovals: [],
  config: undefined,
  noApprovalCounts: false,
  withoutStrategy: new Set(),
  resources: [],
  invalidPools: [],
  notActedOn: [],
  refused: [],
  whyRefused: new Map(),
  unreadable: [],
  frozenUntil: undefined,
  problems: [],
  approvers: undefined,
};

/** Placements that have a valid file, by key, including those with a deletionTimestamp. */
export const writtenPlacements = ({
  placements,
  beingDeleted,
}: Pick<Fleet, 'placements' | 'beingDeleted'>): ReadonlyMap<PlacementKey, Placement> =>
  new Map([...beingDeleted, ...placements].map((placement) => [placementKey(refOf(placement)), placement]));

export interface Source {
  readonly file: string;
  /** 1-based line where its document begins. */
  readonly line: number;
  /** Path of the object inside its document: of the items of a List. */
  readonly inside?: readonly (string | number)[];
}

/** Key of `Fleet.sources`: the kind without its version, since a name is one object in all of them. */
export const sourceKey = (
  kind: string,
  { name, namespace }: { readonly name: string; readonly namespace?: string | undefined },
): string => `${kind}/${namespace ?? ''}/${name}`;

/** Approvers by the `sourceKey` of the approval file. Without history, as offline, there are none. */
export type Approvers = ReadonlyMap<string, Approver>;

/** One manifest under `resources/`. Identity is stable between passes as long as its file is unchanged. */
export interface HubObject {
  readonly manifest: Manifest;
  readonly scope: 'Cluster' | 'Namespaced';
  /** Path in the repo, for problems. */
  readonly file: string;
  /**
   * Of a ConfigMap envelope: the manifest in each `data` value, by key, parsed by the loader because the
   * engine reads no YAML. Selection puts it into the snapshot as JSON text.
   */
  readonly enveloped?: Readonly<Record<string, Manifest>>;
}

/** The status branch as read back. A missing file means that nothing is remembered there. */
export interface FleetRecord {
  /** False when there is no `placements/` folder at all (a lost record is rebuilt, see recovery/record-lost.ts). */
  readonly exists: boolean;
  readonly placements: ReadonlyMap<PlacementKey, RecordedPlacement>;
  /** By `[ns.]name`; snapshots by ascending index. */
  readonly overrides: ReadonlyMap<string, readonly OverrideSnapshot[]>;
  /** By `[ns.]name`, objects with `.status` as last published. */
  readonly runs: ReadonlyMap<string, StagedUpdateRun>;
  readonly approvals: ReadonlyMap<string, RecordedApproval>;
  /** Cluster update runs. */
  readonly upgrades: ReadonlyMap<string, UpdateRun>;
  readonly profiles: ReadonlyMap<string, AutoUpgradeProfile>;
  readonly evictions: ReadonlyMap<string, Eviction>;
  /** What was planned for nodes, and what is under way. */
  readonly nodes: ReadonlyMap<ClusterName, NodePlan>;
  /** Removals that were approved, by the hex digits of their digest, as long as the approval is in the repo. */
  readonly removals: ReadonlyMap<string, ApprovedRemoval>;
  /**
   * Digests of the removals whose approval gitfleet had requested. An approval of any other one came before its request. Undefined: no
   * daemon wrote the record, so that this is unknown.
   */
  readonly askedRemovals: ReadonlySet<string> | undefined;
  readonly clusters: ReadonlyMap<ClusterName, MemberCluster>;
  /** `fleet.yaml`, as last planned with. */
  readonly config: FleetConfig | undefined;
  /** Commit of the fleet repo that the record was planned from. */
  readonly commit: string | undefined;
  /** Undefined = everything could be read. */
  readonly unread: Unread | undefined;
  /** Reported while plans are refused; never planned from. Undefined = nothing was recorded. */
  readonly inEffect: InEffect | undefined;
}

/** What was asked, of either kind of run. */
export type RecordedApproval = ApprovalRequest | UpgradeGate;

/** Folders of the status branch with an entry for each object: the maps of a record. */
export type RecordFolder = {
  [F in keyof FleetRecord]-?: FleetRecord[F] extends ReadonlyMap<string, unknown> ? F : never;
}[keyof FleetRecord];

/** What is in effect, beyond what the record folders hold. */
export interface InEffect {
  readonly holds: readonly GroupedHold[];
  /** Number of all holds, also of those that `holds` leaves out. */
  readonly holdCount: number;
  /** The commit that it was planned from; undefined where nothing is in effect, or the commit was not recorded. */
  readonly commit: string | undefined;
}

/** Parts of the record that exist and cannot be read. They are lost, not empty. */
export interface Unread {
  /** Those whose `state.yaml` is; they are not in `placements`. */
  readonly placements: ReadonlyMap<PlacementKey, UnreadPlacement>;
  /** By `[ns.]name`. */
  readonly runs: ReadonlySet<string>;
  readonly evictions: ReadonlySet<string>;
  readonly upgrades: ReadonlySet<string>;
}

/** A folder of the record with work that must not happen twice. */
export type WorkFolder = Exclude<keyof Unread, 'placements'>;

/** The list of a fleet with the files of each. A folder without a row does not compile. */
export const workFiles = {
  runs: 'runs',
  upgrades: 'upgradeRuns',
  evictions: 'evictions',
} as const satisfies { readonly [F in WorkFolder]: keyof Fleet };

/** Everything of a record could be read. */
export const noneUnread: Unread = { placements: new Map(), runs: new Set(), evictions: new Set(), upgrades: new Set() };

export interface UnreadPlacement extends Omit<RecordedPlacement, 'state'> {
  /** Texts of all its files, by path below its folder. */
  readonly files: ReadonlyMap<string, string>;
}

export interface RecordedPlacement {
  /**
   * `status.yaml`: the placement as last planned, with `.status`. Its spec is the last good version (docs/compatibility.md,
   * Fleet repo).
   */
  readonly object: Placement | undefined;
  readonly state: PlacementState;
  /** `namespace-status.yaml`: its status as its namespace sees it. */
  readonly inNamespace?: StatusInNamespace | undefined;
  /** `mirrored/<cluster>.yaml`: statuses of its objects as members reported them. */
  readonly mirrored?: ReadonlyMap<ClusterName, MirroredStatus>;
  /** `snapshots/<index>.yaml`: selected resources in snapshot order. */
  readonly snapshots: ReadonlyMap<number, readonly Manifest[]>;
}
