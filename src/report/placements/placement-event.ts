import type { ClusterName } from '../../api/meta.ts';
import type { FailedPlacement } from '../../api/placement.ts';
import type { ClusterDecision } from '../../api/placement-state.ts';
import type { Shortage } from '../shortage.ts';
import type { NewDifference } from './new-differences.ts';

/** What happens to a placement, or to what it has on a cluster. */
export type PlacementEvent = { readonly placement: PlacementName; readonly version?: Version | undefined } & (
  | PlacementChange
  | BindingEvent
);

/** A snapshot, and the commit that it was taken of. */
export interface Version {
  readonly snapshot: number;
  readonly commit?: string | undefined;
  readonly author?: string | undefined;
}

export interface PlacementName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

export type PlacementChange =
  | { readonly kind: 'picked'; readonly decisions: readonly ClusterDecision[] }
  | { readonly kind: 'no-longer-picked'; readonly clusters: readonly ClusterName[] }
  /** Fewer clusters are found than the policy requires: newly, or another number of them. */
  | { readonly kind: 'not-enough-clusters'; readonly shortage: Shortage }
  | { readonly kind: 'enough-clusters' }
  | { readonly kind: 'snapshot-taken'; readonly snapshot: number }
  | { readonly kind: 'suspended'; readonly why: string }
  | { readonly kind: 'resumed' }
  /** Its file is gone. */
  | { readonly kind: 'deleted' };

export type BindingEvent = { readonly cluster: ClusterName } & (BindingMove | BindingOutcome);

export type BindingMove =
  | { readonly kind: 'installing' | 'updating'; readonly snapshot: number | undefined }
  /** `isDeleted`: the file of the placement is gone. */
  | { readonly kind: 'removing'; readonly isDeleted: boolean }
  /** `left`: the cluster left the fleet and keeps its objects. `abandoned`: the deleted placement keeps them there. */
  | { readonly kind: 'gone'; readonly how: 'removed' | 'left' | 'abandoned' };

export type BindingOutcome =
  | { readonly kind: 'drifted' | 'differs'; readonly objects: readonly NewDifference[] }
  | { readonly kind: 'drift-over' | 'difference-over' }
  /** `objects`: that could not be applied. `cause`: where it is new. */
  | { readonly kind: 'failed'; readonly objects: readonly FailedPlacement[]; readonly cause?: string | undefined }
  | { readonly kind: 'available' | 'compared'; readonly snapshot: number | undefined }
  | { readonly kind: 'applied'; readonly snapshot: number | undefined }
  /** `cause`: what its pods wait for, where it is new. */
  | { readonly kind: 'not-available'; readonly cause?: string | undefined };
