import type { Condition, Manifest, Timestamp } from '../api/meta.ts';
import type { Placement, ResourceIdentifier } from '../api/placement.ts';
import type { Binding, ClusterDecision, PolicySnapshotEntry, ResourceSnapshotEntry } from '../api/placement-state.ts';
import type { Problem } from '../api/problem.ts';
import { latestOf } from './kernel/latest-of.ts';
import { memoize } from './kernel/memoize.ts';
import type { Hold, Move } from './plan-document.ts';

/**
 * One placement on its way through a plan: every step takes one
 * and returns the next. Values only; nothing is changed in place.
 */
export interface PlacementWork {
  /** As admitted: valid, transition rules kept, last good version where the file is not. */
  readonly placement: Placement;
  /** Ascending by index; exactly one is latest once scheduled. */
  readonly policySnapshots: readonly PolicySnapshotEntry[];
  /** Ascending by index. */
  readonly resourceSnapshots: readonly ResourceSnapshotEntry[];
  /** Selected resources of every recorded snapshot, by index. */
  readonly contents: ReadonlyMap<number, readonly Manifest[]>;
  /** What the repo selects now; External placements have one too although no snapshot is taken of it. */
  readonly selection: Selection;
  /** Sorted by cluster name, a deleting one before a live one. At most one live binding per cluster, except SameClusterConflict. */
  readonly bindings: readonly BindingStep[];
  /** KubeFleet's `Scheduled` of the latest policy snapshot. */
  readonly scheduled: Condition;
  readonly decisions: readonly ClusterDecision[];
  readonly holds: readonly Hold[];
  readonly problems: readonly Problem[];
  /** Instants at which time alone changes something; the earliest becomes the plan's `wakeAt`. */
  readonly wakes: readonly Timestamp[];
}

/** What is known of a placement before anything is decided. */
export type LoadedPlacement = Pick<PlacementWork, 'placement' | 'contents' | 'resourceSnapshots' | 'selection'>;

/** A binding after the stages so far, and what this plan does with it. */
export interface BindingStep {
  readonly binding: Binding;
  readonly move: Move;
  /** The binding as observed after this plan moved it; the same value means that it need not be observed again. */
  readonly observed?: Binding;
}

/** The binding with its removal started. It is no longer rendered, so its previous labels (`withPreviousLabels`) are dropped. */
export const markedForRemoval = ({ clusterLabels: _, ...binding }: Binding): BindingStep => ({
  binding: { ...binding, deleting: true },
  move: 'remove',
});

/** Bindings that are being removed. Cached: an unchanged placement has the same bindings in every plan. */
export const leavingSteps = memoize((bindings: readonly BindingStep[]) =>
  bindings.filter(({ binding }) => binding.deleting === true),
);

/** Outcome of resource selection. */
export type Selection =
  | {
      readonly ok: true;
      /** Normalised, in snapshot order, envelopes included as themselves. */
      readonly manifests: readonly Manifest[];
      /** Hex sha-256 of the selected resources in that order. */
      readonly hash: string;
      readonly identifiers: readonly ResourceIdentifier[];
    }
  | {
      readonly ok: false /** KubeFleet's user error: Scheduled=False/InvalidResourceSelectors. */;
      readonly message: string;
      /** Position of the wrong one in the spec; absent: all of them together. */
      readonly selector?: number;
    };

/** The policy snapshot marked latest, or the highest where none is marked; none when several are. */
export function latestPolicy({ policySnapshots }: PlacementWork): PolicySnapshotEntry | undefined {
  const marked = policySnapshots.filter(({ latest }) => latest);
  return marked.length > 1 ? undefined : latestOf(policySnapshots);
}
