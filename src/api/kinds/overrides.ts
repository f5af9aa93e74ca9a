import {
  type ClusterResourceOverride,
  clusterResourceOverride,
  type ResourceOverride,
  resourceOverride,
} from '../override.ts';
import { overrideChanges, overrideIssues } from '../rules/override-rules.ts';
import { overridesTogether } from '../rules/overrides-together.ts';
import { countsAsGone, type Kind, placementGroup } from './kind.ts';

const common = {
  group: placementGroup,
  rules: overrideIssues,
  changes: overrideChanges,
  across: overridesTogether,
  whenDeleted: countsAsGone,
} as const;

const clusterOverrideKind: Kind<ClusterResourceOverride> = {
  ...common,
  kind: 'ClusterResourceOverride',
  scope: 'Cluster',
  schema: clusterResourceOverride,
};

const overrideKind: Kind<ResourceOverride> = {
  ...common,
  kind: 'ResourceOverride',
  scope: 'Namespaced',
  schema: resourceOverride,
};

export const overrideKinds = [clusterOverrideKind, overrideKind] as const;
