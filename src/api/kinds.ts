import type { z } from 'zod';
import { clusterResourceEnvelope, type Envelope, resourceEnvelope } from './envelope.ts';
import { type DisruptionBudget, disruptionBudget, type Eviction, eviction } from './eviction.ts';
import {
  type FleetConfig,
  fleetConfig,
  type PriceList,
  priceList,
  type RemovalApproval,
  removalApproval,
} from './gitfleet.ts';
import { type MemberCluster, memberCluster } from './member-cluster.ts';
import { clusterResourceOverride, type Override, resourceOverride } from './override.ts';
import { clusterResourcePlacement, type Placement, resourcePlacement } from './placement.ts';
import { type SimulatedFleet, simulatedFleet } from './simulated-fleet.ts';
import {
  type ApprovalRequest,
  approvalRequest,
  type StagedUpdateRun,
  type StagedUpdateStrategy,
  stagedUpdateRun,
  stagedUpdateStrategy,
} from './staged.ts';

/** Every object that a fleet repo may hold beside the resources to be placed. */
export type FleetObject =
  | MemberCluster
  | Placement
  | Override
  | Envelope
  | StagedUpdateStrategy
  | StagedUpdateRun
  | ApprovalRequest
  | Eviction
  | DisruptionBudget
  | FleetConfig
  | PriceList
  | RemovalApproval
  | SimulatedFleet;

export interface FleetKind {
  readonly kind: string;
  readonly group: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly schema: z.ZodType;
}

const placementGroup = 'placement.kubernetes-fleet.io';
const clusterGroup = 'cluster.kubernetes-fleet.io';
const ownGroup = 'gitfleet.dev';

const entry = (group: string, kind: string, scope: FleetKind['scope'], schema: z.ZodType): FleetKind => ({
  group,
  kind,
  scope,
  schema,
});

/** Every kind that a fleet repo may hold for gitfleet itself: KubeFleet's, and our own. */
export const fleetKinds: readonly FleetKind[] = [
  entry(clusterGroup, 'MemberCluster', 'Cluster', memberCluster),
  entry(placementGroup, 'ClusterResourcePlacement', 'Cluster', clusterResourcePlacement),
  entry(placementGroup, 'ResourcePlacement', 'Namespaced', resourcePlacement),
  entry(placementGroup, 'ClusterResourceOverride', 'Cluster', clusterResourceOverride),
  entry(placementGroup, 'ResourceOverride', 'Namespaced', resourceOverride),
  entry(placementGroup, 'ClusterResourceEnvelope', 'Cluster', clusterResourceEnvelope),
  entry(placementGroup, 'ResourceEnvelope', 'Namespaced', resourceEnvelope),
  entry(placementGroup, 'ClusterStagedUpdateStrategy', 'Cluster', stagedUpdateStrategy),
  entry(placementGroup, 'StagedUpdateStrategy', 'Namespaced', stagedUpdateStrategy),
  entry(placementGroup, 'ClusterStagedUpdateRun', 'Cluster', stagedUpdateRun),
  entry(placementGroup, 'StagedUpdateRun', 'Namespaced', stagedUpdateRun),
  entry(placementGroup, 'ClusterApprovalRequest', 'Cluster', approvalRequest),
  entry(placementGroup, 'ApprovalRequest', 'Namespaced', approvalRequest),
  entry(placementGroup, 'ClusterResourcePlacementEviction', 'Cluster', eviction),
  entry(placementGroup, 'ClusterResourcePlacementDisruptionBudget', 'Cluster', disruptionBudget),
  entry(ownGroup, 'FleetConfig', 'Cluster', fleetConfig),
  entry(ownGroup, 'PriceList', 'Cluster', priceList),
  entry(ownGroup, 'RemovalApproval', 'Cluster', removalApproval),
  // Only the demo, `simulate` and `--members simulated` read it.
  entry(ownGroup, 'SimulatedFleet', 'Cluster', simulatedFleet),
];

/** What KubeFleet's controllers write on a hub: gitfleet keeps it on the status branch. */
const generated: ReadonlySet<string> = new Set([
  'ClusterSchedulingPolicySnapshot',
  'SchedulingPolicySnapshot',
  'ClusterResourceSnapshot',
  'ResourceSnapshot',
  'ClusterResourceBinding',
  'ResourceBinding',
  'ClusterResourceOverrideSnapshot',
  'ResourceOverrideSnapshot',
  'ClusterResourcePlacementStatus',
  'Work',
  'AppliedWork',
  'InternalMemberCluster',
]);

/** Of a kind of ours, or why it is none. */
export function fleetKindOf(apiVersion: string, kind: string): FleetKind | 'generated' | 'unknown' {
  const group = apiVersion.split('/')[0] ?? '';
  const found = fleetKinds.find((candidate) => candidate.group === group && candidate.kind === kind);
  if (found) return found;
  return generated.has(kind) ? 'generated' : 'unknown';
}

/** Whether an apiVersion is of KubeFleet's groups or of ours, whatever the kind is. */
export const isFleetGroup = (apiVersion: string): boolean =>
  [placementGroup, clusterGroup, ownGroup].includes(apiVersion.split('/')[0] ?? '');
