import {
  type Kept,
  keptOfAttachment,
  keptOfBudget,
  keptOfClaim,
  keptOfCsiNode,
  keptOfDaemonSet,
  keptOfEvent,
  keptOfNamespace,
  keptOfNode,
  keptOfNodeClass,
  keptOfPod,
  keptOfPool,
  keptOfStorageClass,
  keptOfVolume,
  keptOfVolumeClaim,
} from './kept-fields.ts';

/** A kind that plans for nodes read. */
export interface WatchedKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly kept: Kept;
  /**
   * Nothing may be concluded where its list is missing: without budgets pods would look free to go, without NodeClaims nodes would
   * look unclaimed, without attachments volumes detached. A list of another kind that is missing blocks the nodes that need it.
   */
  readonly isNeeded: boolean;
  /** Its changes are worth a plan soon; pods change all the time. */
  readonly isUrgent: boolean;
  /** Plans read it. What none reads is only shown, and leads to no plan. */
  readonly isPlannedWith: boolean;
  /** Which objects of the kind. */
  readonly query: Readonly<Record<string, string>>;
}

const kindOf = (
  apiVersion: string,
  kind: string,
  kept: Kept,
  more: Partial<Omit<WatchedKind, 'apiVersion' | 'kind' | 'kept'>> = {},
): WatchedKind => ({
  apiVersion,
  kind,
  kept,
  isNeeded: false,
  isUrgent: false,
  isPlannedWith: true,
  query: {},
  ...more,
});

/** Karpenter's events about pools, claims and nodes say what it does; those about pods only where they will run. */
const ofKarpenter = { fieldSelector: 'source=karpenter,involvedObject.kind!=Pod' };

/** Kinds that a member does not serve have no objects. */
export const watchedKinds: readonly WatchedKind[] = [
  kindOf('v1', 'Node', keptOfNode, { isNeeded: true, isUrgent: true }),
  kindOf('v1', 'Pod', keptOfPod, { isNeeded: true }),
  kindOf('policy/v1', 'PodDisruptionBudget', keptOfBudget, { isNeeded: true }),
  kindOf('apps/v1', 'DaemonSet', keptOfDaemonSet, { isNeeded: true }),
  kindOf('karpenter.sh/v1', 'NodeClaim', keptOfClaim, { isNeeded: true, isUrgent: true }),
  kindOf('karpenter.sh/v1', 'NodePool', keptOfPool, { isNeeded: true, isUrgent: true }),
  kindOf('karpenter.azure.com/v1beta1', 'AKSNodeClass', keptOfNodeClass),
  kindOf('v1', 'PersistentVolumeClaim', keptOfVolumeClaim),
  kindOf('v1', 'PersistentVolume', keptOfVolume),
  kindOf('storage.k8s.io/v1', 'StorageClass', keptOfStorageClass),
  kindOf('storage.k8s.io/v1', 'CSINode', keptOfCsiNode),
  kindOf('storage.k8s.io/v1', 'VolumeAttachment', keptOfAttachment, { isNeeded: true }),
  kindOf('v1', 'Namespace', keptOfNamespace),
  kindOf('v1', 'Event', keptOfEvent, { isPlannedWith: false, query: ofKarpenter }),
];
