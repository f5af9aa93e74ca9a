import type { Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import type { ApplyStrategy, PlacementRef } from '../api/placement.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';
import type { WantedNodes } from './nodes/wanted-nodes.ts';
import type { WantedOperation } from './upgrade/provider.ts';

/** A manifest for one member, and its envelope if it has one. */
export interface AssignedManifest {
  readonly manifest: Manifest;
  readonly envelope?: { readonly name: string; readonly namespace?: string; readonly type?: string };
}

/** What one member should hold, or be upgraded to: a published target with everything needed to carry it out. */
export type Assignment = PlacementAssignment | UpgradeAssignment | PreflightAssignment | NodesAssignment;

/** The operation of an update run on one member, at most one at a time. */
export interface UpgradeAssignment extends WantedOperation {
  readonly kind: 'upgrade';
  readonly key: 'upgrade';
}

/** Reading what stands against an upgrade of one member, which a plan would start. */
export interface PreflightAssignment {
  readonly kind: 'preflight';
  readonly key: 'preflight';
}

/** What is to become of the nodes of one member. */
export interface NodesAssignment {
  readonly kind: 'nodes';
  readonly key: 'nodes';
  readonly wanted: WantedNodes;
}

/** What one member should hold of one placement. */
export interface PlacementAssignment {
  readonly kind: 'placement';
  readonly placement: PlacementRef;
  readonly key: PlacementKey;
  /** Value of the label `gitfleet.dev/placement` on every object of the placement. */
  readonly label: string;
  /** Whether the placement with this label has or may have an object on this member; other labels have no effect. */
  readonly isPlaced: (label: string, object: ObjectRef) => boolean;
  readonly resourceSnapshotIndex?: number;
  readonly digest?: string;
  /**
   * Taken from the record at a start, which may be out of date: nothing newer is replaced and nothing missing is created.
   */
  readonly adopted: boolean;
  /** Recorded by a push of this daemon just now. Otherwise another daemon may have recorded a newer plan since the record was read. */
  readonly pushed: boolean;
  /** Objects stay as they are and are only observed, because their desired state is unknown. */
  readonly leaveAlone: boolean;
  /** The objects stay when the placement is deleted (deletePolicy Abandon). */
  readonly abandons: boolean;
  /** The placement is not wanted here, and objects that were created too late are removed. */
  readonly undoes: boolean;
  /** Nothing of the placement may remain. */
  readonly remove: boolean;
  readonly strategy: ApplyStrategy;
  readonly manifests: readonly AssignedManifest[];
  /** Objects that snapshots of this placement listed: the only ones that may ever be removed. */
  readonly prunable: readonly ObjectRef[];
  /** Namespaces and CRDs that may be removed with foreign content: approved by a user. */
  readonly approvedRemovals: readonly ObjectRef[];
  /** Objects that another placement selects: this one releases them instead of removing them. */
  readonly handedOver: readonly ObjectRef[];
}

/** Whether two assignments are equal, also in what may be removed. Called for each placement of each member in each pass. */
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

/** Identifies the target of an assignment among those of one member. */
export const targetKey = ({ kind, key }: Pick<Assignment, 'kind' | 'key'>): string => `${kind} ${key}`;

/** Keys of the objects that an assignment applies. */
export const appliedKeys = (assignment: Assignment): readonly string[] =>
  assignment.kind === 'placement' ? assignment.manifests.map(({ manifest }) => keyOfManifest(manifest)) : [];
