import type { Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import type { ApplyStrategy, PlacementRef } from '../api/placement.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';

/** A manifest as it goes to one member, and the envelope it came in. */
export interface AssignedManifest {
  readonly manifest: Manifest;
  readonly envelope?: { readonly name: string; readonly namespace?: string; readonly type?: string };
}

/** What one member should hold: a published target with everything needed to bring it about, by its kind. */
export type Assignment = PlacementAssignment;

/** What one member should hold of one placement. */
export interface PlacementAssignment {
  readonly kind: 'placement';
  readonly placement: PlacementRef;
  readonly key: PlacementKey;
  /** Value of the label `gitfleet.dev/placement` on every object of the placement. */
  readonly label: string;
  /** Whether the placement with this value as its label has an object on this member, or may have; what else is labelled is nobody's. */
  readonly isPlaced: (label: string, object: ObjectRef) => boolean;
  readonly resourceSnapshotIndex?: number;
  readonly digest?: string;
  /**
   * Was the daemon's before us, by a record that may be out of date: looked after, but nothing newer is undone for it and
   * nothing that is not there is made.
   */
  readonly adopted?: boolean;
  /** Whatever is there stays as it is, and is only looked at: nobody knows what it should be. */
  readonly leaveAlone?: boolean;
  /** When the placement is deleted, what it holds stays. */
  readonly abandons?: boolean;
  /** Nobody asks for the placement here any more, and what was made for it too late is taken back. */
  readonly undoes?: boolean;
  /** Nothing of the placement may remain. */
  readonly remove: boolean;
  readonly strategy: ApplyStrategy;
  readonly manifests: readonly AssignedManifest[];
  /** Objects that snapshots of this placement listed: the only ones that may ever be removed. */
  readonly prunable: readonly ObjectRef[];
  /** Namespaces and CRDs that may be removed with what they hold that is not ours: a person said so. */
  readonly approvedRemovals: readonly ObjectRef[];
  /** Objects that another placement asks for: this one lets go of them instead of removing them. */
  readonly handedOver: readonly ObjectRef[];
}

/** The same thing to bring about; also in what may be removed. Asked of every placement of every member in every pass. */
export const isSameAssignment = (a: PlacementAssignment, b: PlacementAssignment): boolean =>
  a.digest === b.digest &&
  a.resourceSnapshotIndex === b.resourceSnapshotIndex &&
  a.remove === b.remove &&
  a.leaveAlone === b.leaveAlone &&
  isSame(a.strategy, b.strategy) &&
  isSame(a.prunable, b.prunable) &&
  isSame(a.approvedRemovals, b.approvedRemovals) &&
  isSame(a.handedOver, b.handedOver);

const isSame = (a: object, b: object): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Names what an assignment is about among those of one member. */
export const targetKey = ({ kind, key }: Pick<Assignment, 'kind' | 'key'>): string => `${kind} ${key}`;

/** Keys of the objects that an assignment applies. */
export const appliedKeys = ({ manifests }: Assignment): readonly string[] =>
  manifests.map(({ manifest }) => keyOfManifest(manifest));
