import { completePlacement, droppedByCompletion } from '../complete-placement.ts';
import {
  abandons,
  type ClusterResourcePlacement,
  clusterResourcePlacement,
  type Placement,
  type ResourcePlacement,
  resourcePlacement,
} from '../placement.ts';
import { placementChanges } from '../rules/placement-changes.ts';
import { placementIssues } from '../rules/placement-rules.ts';
import { type Kind, placementGroup } from './kind.ts';

const common = {
  group: placementGroup,
  rules: placementIssues,
  changes: placementChanges,
  isWork: true,
  complete: <T extends Placement>(object: T) => ({
    object: completePlacement(object),
    issues: droppedByCompletion(object),
  }),
  whenDeleted: (placement: Placement) => ({
    consequence: abandons(placement)
      ? ', and its objects stay on its clusters (deleteStrategy Abandon)'
      : ', and its objects are removed from its clusters',
    // If the file is removed in the same commit, the deleteStrategy of the last plan counts.
    fix: 'remove deletionTimestamp to keep it; the file can be removed after this commit is planned',
  }),
  sharesNamesIn: 'placements',
} as const;

const clusterPlacementKind: Kind<ClusterResourcePlacement> = {
  ...common,
  kind: 'ClusterResourcePlacement',
  scope: 'Cluster',
  schema: clusterResourcePlacement,
};

const placementKind: Kind<ResourcePlacement> = {
  ...common,
  kind: 'ResourcePlacement',
  scope: 'Namespaced',
  schema: resourcePlacement,
};

export const placementKinds = [clusterPlacementKind, placementKind] as const;
