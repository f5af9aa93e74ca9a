import type { HoldReason } from '../engine/plan-document.ts';

/** What a reason of holds means to reports. */
interface HoldMeaning {
  /** `turn`: of clusters that wait for others of their rollout. `user`: a file, or something on a member, has to change. */
  readonly endsBy: 'turn' | 'user' | 'others';
  /** Its beginning stands in timelines: a reader may want to act on it, or to know when it ends. */
  readonly isEvent?: true;
  /** Status commits tell its beginning, which nothing else in them does. */
  readonly isTold?: true;
  /** Objects stay that a cluster is to lose. */
  readonly ofRemoval?: true;
}

/** A reason without a row does not compile. */
const meanings: Readonly<Record<HoldReason, HoldMeaning>> = {
  RolloutBudget: { endsBy: 'turn' },
  StageOrder: { endsBy: 'others' },
  UnavailablePeriod: { endsBy: 'turn', isEvent: true },
  SameClusterCleanup: { endsBy: 'others' },
  SameClusterConflict: { endsBy: 'others' },
  NotFullyScheduled: { endsBy: 'others' },
  NoBindingYet: { endsBy: 'others' },
  StrategyNotFound: { endsBy: 'user', isEvent: true, isTold: true },
  OtherRunActive: { endsBy: 'others', isEvent: true, isTold: true },
  NotPartOfRun: { endsBy: 'others' },
  ClusterLeft: { endsBy: 'others' },
  WaitingForApproval: { endsBy: 'others', isEvent: true },
  WaitingForTime: { endsBy: 'others', isEvent: true },
  ApprovalWithdrawn: { endsBy: 'user', isEvent: true, isTold: true },
  ApprovalStale: { endsBy: 'user', isEvent: true, isTold: true },
  StateTransitionDenied: { endsBy: 'user', isEvent: true, isTold: true },
  Freeze: { endsBy: 'others', isEvent: true, isTold: true },
  RecordLost: { endsBy: 'user', isEvent: true },
  Unconfirmed: { endsBy: 'others', isEvent: true },
  ContainsForeignObjects: { endsBy: 'user', isEvent: true, isTold: true, ofRemoval: true },
  RemovalRefused: { endsBy: 'user', isEvent: true, isTold: true, ofRemoval: true },
  RemovalPending: { endsBy: 'others', isEvent: true, ofRemoval: true },
  LastGoodVersion: { endsBy: 'user', isEvent: true },
  ClusterUpgrading: { endsBy: 'others' },
  DuplicateMember: { endsBy: 'user', isEvent: true },
  WindowClosed: { endsBy: 'others', isTold: true },
  KubernetesVersionNotAvailable: { endsBy: 'others' },
  NodeImageVersionNotAvailable: { endsBy: 'others' },
  ClusterUnavailable: { endsBy: 'others' },
  ClusterBusy: { endsBy: 'others' },
  PreflightBlocked: { endsBy: 'user', isEvent: true, isTold: true },
  NoProvider: { endsBy: 'user' },
  ReservedForWindow: { endsBy: 'others' },
  NodeBudget: { endsBy: 'turn' },
  NoLauncher: { endsBy: 'user', isEvent: true },
  FleetNodeBudget: { endsBy: 'turn' },
  NodeWave: { endsBy: 'others' },
  NodesNotObserved: { endsBy: 'others' },
  CommandRolledBack: { endsBy: 'others', isEvent: true },
  NotActedOnYet: { endsBy: 'others', isEvent: true },
};

const unknown: HoldMeaning = { endsBy: 'others' };

/** The status branch may list a reason of a newer gitfleet. */
export const meaningOf = ({ reason }: { readonly reason: string }): HoldMeaning =>
  Object.hasOwn(meanings, reason) ? meanings[reason as HoldReason] : unknown;
