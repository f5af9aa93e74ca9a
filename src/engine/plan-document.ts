import type { AutoUpgradeProfile } from '../api/auto-upgrade-profile.ts';
import type { ClusterName, Condition, Manifest, ObjectRef, PlacementKey, Timestamp } from '../api/meta.ts';
import type { DisruptionMode } from '../api/nodes/disruption-modes.ts';
import type { BlockedNode, NodeCommand, PlannedPool, Replacement } from '../api/nodes/node-plan.ts';
import type { PlacementRef } from '../api/placement.ts';
import type { BindingState, ClusterDecision } from '../api/placement-state.ts';
import type { Problem } from '../api/problem.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../api/staged.ts';
import type { UpgradeType } from '../api/upgrade-fields.ts';
import type { UpgradeGate } from '../api/upgrade-gate.ts';
import type { UpdateRun } from '../api/upgrade-run.ts';
import type { MemberVersions, UpgradeRunStatus } from '../api/upgrade-status.ts';

/**
 * The plan document (docs/status-branch.md). Absent optional fields are left out. Lists are sorted by name unless order means
 * something.
 */
export interface Plan {
  readonly apiVersion: 'gitfleet.dev/v1alpha1';
  readonly kind: 'Plan';
  readonly commit: string;
  readonly now: Timestamp;
  /**
   * `sha256:` and the digest of what the plan wants: everything but `now`, `wakeAt`, the problems and the moves that lead there.
   * Of a refused plan only the commit and the findings of the guard.
   */
  readonly digest: string;
  readonly wakeAt?: Timestamp;
  readonly placements: readonly PlannedPlacement[];
  readonly targets: readonly Target[];
  readonly holds: readonly Hold[];
  readonly runs: readonly PlannedRun[];
  readonly approvals: readonly RequestedApproval[];
  readonly evictions: readonly PlannedEviction[];
  readonly upgrades: readonly PlannedUpgrade[];
  readonly nodes: readonly PlannedNodes[];
  readonly guard: readonly GuardFinding[];
  /** Of a plan that is refused for its removals: what the RemovalApproval lets happen. No part of the printed document. */
  readonly removals?: readonly ReviewedRemoval[];
  readonly problems: readonly Problem[];
  /** Documents by path on the status branch; the record writer turns them into text. */
  readonly record: ReadonlyMap<string, RecordDocument>;
}

/** Lists of the plan document that one domain fills each. */
export type PlanSections = Pick<Plan, 'placements' | 'runs' | 'evictions' | 'upgrades' | 'nodes'>;

/** Whatever has a row for each of them does not compile until a further one has its own. */
export type PlanSection = keyof PlanSections;

/** Rows in an order of their own, at least one for each of them, by its name. */
export type SectionRows<Row> = Readonly<Record<PlanSection, Row>> & Readonly<Record<string, Row>>;

/** A document of the status branch before it becomes text. `snapshots/<index>.yaml` holds several manifests. */
export type RecordDocument =
  | { readonly kind: 'object'; readonly value: object }
  | { readonly kind: 'manifests'; readonly value: readonly Manifest[] }
  /** A file that cannot be read and stays as it is. */
  | { readonly kind: 'text'; readonly value: { readonly text: string } };

export type Move = 'keep' | 'add' | 'update' | 'remove' | 'wait';

export interface PlannedPlacement extends PlacementRef {
  readonly policySnapshotIndex?: number;
  readonly resourceSnapshotIndex?: number;
  /** The first of `conditions`, in short. */
  readonly scheduled: Pick<Condition, 'status' | 'reason' | 'message'>;
  readonly decisions: readonly ClusterDecision[];
  readonly bindings: readonly PlannedBinding[];
  readonly conditions: readonly Condition[];
}

export interface PlannedBinding {
  readonly clusterName: ClusterName;
  readonly state: BindingState;
  readonly resourceSnapshotIndex?: number;
  /** Index that was last applied completely, where the assigned one is not. */
  readonly appliedResourceSnapshotIndex?: number;
  readonly move: Move;
  readonly conditions: readonly Condition[];
}

/**
 * What one cluster should run now. Every kind of target has a field that no other kind has, here `placement`. Where a kind
 * is added to the union, code that does not distinguish them does not compile.
 */
export type Target = PlacementTarget | UpgradeTarget | NodesTarget;

/** What one cluster should run of one placement now. `remove`: nothing of the placement may remain there. */
export interface PlacementTarget {
  readonly clusterName: ClusterName;
  readonly placement: PlacementRef;
  readonly resourceSnapshotIndex?: number;
  /** `sha256:` and the digest of the rendered manifests in order. */
  readonly digest?: string;
  readonly remove: boolean;
  readonly objects: readonly ObjectRef[];
}

/** The version that one cluster is to be upgraded to now, while its operation is in flight. */
export interface UpgradeTarget {
  readonly clusterName: ClusterName;
  /** `controlPlane` may equal what runs; `pools` are those that change. */
  readonly upgrade: MemberVersions & {
    readonly run: string;
    /** New with each attempt and step; providers start an operation of one id once. */
    readonly operationId: string;
    readonly type: UpgradeType;
  };
}

/**
 * What is to become of the nodes of one cluster, in every mode. Complete: a node that is not listed and has our taint loses it. The
 * document shows those of mode execute as `nodes[].target`.
 */
export interface NodesTarget {
  readonly clusterName: ClusterName;
  readonly nodes: NodeTarget;
}

/** Why a member of a cluster update run is Pending. */
export const memberCauses = [
  'WindowClosed',
  'KubernetesVersionNotAvailable',
  'NodeImageVersionNotAvailable',
  'ClusterUnavailable',
  'ClusterBusy',
  'PreflightBlocked',
  'NoProvider',
] as const;

/** Why something that is wanted is not a target yet. Closed; docs/status-branch.md names them too. */
export const holdReasons = [
  'RolloutBudget',
  'StageOrder',
  'UnavailablePeriod',
  'SameClusterCleanup',
  'SameClusterConflict',
  'NotFullyScheduled',
  'NoBindingYet',
  'StrategyNotFound',
  'OtherRunActive',
  'NotPartOfRun',
  'ClusterLeft',
  'WaitingForApproval',
  'WaitingForTime',
  'ApprovalWithdrawn',
  'ApprovalStale',
  'StateTransitionDenied',
  'Freeze',
  'RecordLost',
  'Unconfirmed',
  'ContainsForeignObjects',
  'RemovalRefused',
  'RemovalPending',
  'LastGoodVersion',
  'NotActedOnYet',
  'ClusterUpgrading',
  'DuplicateMember',
  ...memberCauses,
  'ReservedForWindow',
  'NodeBudget',
  'NoLauncher',
  'FleetNodeBudget',
  'NodeWave',
  'NodesNotObserved',
  'CommandRolledBack',
] as const;
export type MemberCause = (typeof memberCauses)[number];
export type HoldReason = (typeof holdReasons)[number];

/** Why something wanted is not yet a target. */
export interface Hold {
  readonly subject: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly clusterName?: ClusterName;
    readonly stage?: string;
    /** Of a cluster update run. */
    readonly group?: string;
  };
  readonly reason: HoldReason;
  /** One sentence; names instants, never ages. */
  readonly message: string;
  /** Instant at which this hold may end by time alone. */
  readonly until?: Timestamp;
  /** A RemovalApproval with this digest ends it. */
  readonly removalDigest?: string;
  /** What that approval removes, with everything in it. */
  readonly removes?: HeldRemoval;
}

/** Namespaces and CustomResourceDefinitions of one placement on one cluster. */
export interface HeldRemoval {
  /** The first of them, `v1/Namespace web`. */
  readonly objects: readonly string[];
  /** A sentence for each of those: what of others is in it. */
  readonly contents: readonly string[];
  /** How many there are. */
  readonly count: number;
}

/** A hold, reported once for all clusters of a placement that wait for the same. */
export interface GroupedHold extends Hold {
  /** The first of them by name, where there are several; `subject` names none then, nor does the message. */
  readonly clusters?: readonly string[];
  /** How many there are. */
  readonly count?: number;
}

export interface PlannedRun {
  readonly kind: StagedUpdateRun['kind'];
  readonly name: string;
  readonly namespace?: string;
  readonly status: NonNullable<StagedUpdateRun['status']>;
}

/** A cluster update run with its present status, or a profile that proposes runs. */
export type PlannedUpgrade = PlannedUpgradeRun | PlannedProfile;

export interface PlannedUpgradeRun {
  readonly kind: UpdateRun['kind'];
  readonly name: string;
  readonly status: UpgradeRunStatus;
}

export interface PlannedProfile {
  readonly kind: AutoUpgradeProfile['kind'];
  readonly name: string;
  readonly status: NonNullable<AutoUpgradeProfile['status']>;
}

/** The runs of a plan. */
export const plannedUpgradeRuns = ({ upgrades }: Pick<Plan, 'upgrades'>): readonly PlannedUpgradeRun[] =>
  upgrades.filter((upgrade) => upgrade.kind === 'UpdateRun');

/** A request for approval, answered or not, as its domain hands it over. */
export interface RequestedApproval {
  /** Its entry in the plan document. */
  readonly planned: PlannedApproval;
  /** How main answers the present review. */
  readonly answer: 'approved' | 'rejected' | undefined;
  /** `approved by Ann in commit 41ab9c0`; undefined where it is not known, or not approved. */
  readonly approvedBy?: string | undefined;
  /** `approval web-1-after-dev was rejected on main by Ann in commit 41ab9c0: too slow`, as the run that it ended says. */
  readonly rejection?: string | undefined;
  /** What is approved, as the holds name it that wait for the approval. */
  readonly subject: Hold['subject'];
  /** The one file of its branch. Merged unchanged it approves. Undefined: it has no branch, since it opens by itself. */
  readonly file:
    | {
        /** In the fleet repo. Undefined: `<[ns.]name>.yaml` in the folder where approvals count. */
        readonly path: string | undefined;
        readonly object: ApprovalRequest | UpgradeGate | ProposedRun;
      }
    | undefined;
  /** `approvals/<[ns.]name>.yaml` of the status branch; undefined = nothing is recorded of it. */
  readonly document: RecordDocument | undefined;
}

/** What the file of an UpdateRun says that an AutoUpgradeProfile proposes, without defaults. */
export interface ProposedRun {
  readonly apiVersion: 'gitfleet.dev/v1alpha1';
  readonly kind: 'UpdateRun';
  readonly metadata: { readonly name: string };
  readonly spec: Pick<UpdateRun['spec'], 'managedClusterUpdate'> & Partial<UpdateRun['spec']>;
}

export interface PlannedApproval {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly spec: object;
  readonly status: object;
  readonly reviewDigest?: string;
}

export interface PlannedEviction {
  readonly name: string;
  readonly placementName: string;
  readonly clusterName: ClusterName;
  readonly status: { readonly conditions: readonly Condition[] };
}

/** What is planned for the nodes of one member. */
export interface PlannedNodes {
  readonly clusterName: ClusterName;
  readonly mode: DisruptionMode;
  readonly pools: readonly PlannedPool[];
  /** Under way first, the oldest first; then new ones in the order in which they are taken. */
  readonly commands: readonly NodeCommand[];
  readonly blocked: readonly BlockedNode[];
}

/** Both lists are by name. Both are empty where nothing is to be done, and in other modes than execute. */
export interface NodeTarget {
  /** `sha256:` and the digest of both lists. */
  readonly digest: string;
  readonly nodes: readonly {
    readonly name: string;
    readonly uid?: string;
    readonly claim?: string;
    readonly want: 'Tainted' | 'Gone';
    /** When its drain ends by force. */
    readonly deadline?: Timestamp;
    readonly command: string;
  }[];
  readonly launches: readonly (Omit<Replacement, 'price' | 'seen'> & { readonly command: string })[];
}

/** Closed; docs/status-branch.md explains each. */
export const guardRules = [
  'record-changed',
  'record-invented',
  'record-incomplete',
  'duplicate-target',
  'removal-without-binding',
  'removal-forgotten',
  'older-snapshot',
  'budget-broken',
  'moved-without-run',
  'started-after-loss',
  'stage-order',
  'stage-concurrency',
  'gate-not-approved',
  'soak-cut-short',
  'started-after-failure',
  'rollback-forbidden',
  'eviction-unasked',
  'disruption-budget-broken',
  'upgrade-target',
  'upgrade-outside-window',
  'upgrade-not-allowed',
  'upgrade-concurrency',
  'upgrade-blocked',
  'downgrade',
  'NodeBudgetExceeded',
  'BlockedNodeDisrupted',
  'PodHasNoPlace',
  'NotOurNode',
  'NoSaving',
  'UpgradingClusterDisrupted',
  'FleetNodeBudgetExceeded',
  'NodeWaveTooEarly',
  'NodeWithoutCommand',
  'unreadable-repo',
  'frozen',
  'blast-radius-clusters',
  'blast-radius-objects',
  'blast-radius-leaving',
  'everything-vanished',
] as const;
type GuardRule = (typeof guardRules)[number];

/** An approval that the guard requires for the removals of a plan. */
export interface AllowedRemoval {
  readonly digest: string;
  /** It is on main, so that the plan passes. */
  readonly isGiven: boolean;
  /** Digests of approvals that were on main before they were requested. They are accepted only if `digest` is the last of them. */
  readonly early: readonly string[];
  /**
   * Placements whose rollout removes objects step by step: the approval counts for all of its steps. With the update run that removes,
   * `[ns.]name`, if one does.
   */
  readonly dropping: ReadonlyMap<PlacementKey, string | undefined>;
  /** What it lets happen; empty where it is given. */
  readonly reviewed: readonly ReviewedRemoval[];
}

/** Objects of a placement that leave clusters, or that stay there and are no longer managed (`release`). */
export interface ReviewedRemoval {
  readonly action: 'remove' | 'release';
  readonly placement: PlacementKey;
  /** `apps/v1/Deployment shop/web`; empty text: all of them, which are not recorded. */
  readonly objects: readonly string[];
  /** Each loses all of the objects. */
  readonly clusters: readonly ClusterName[];
  /** They are not there now, or stay there as the cluster left the fleet. The approval covers them as well. */
  readonly isAbsent?: true;
}

export interface GuardFinding {
  readonly rule: GuardRule;
  readonly message: string;
  /** Present when a RemovalApproval of this digest lets the plan pass. */
  readonly removalDigest?: string;
}
