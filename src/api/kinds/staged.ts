import { runChanges, runIssues, strategyIssues } from '../rules/staged-rules.ts';
import {
  type ApprovalRequest,
  approvalRequest,
  type StagedUpdateRun,
  type StagedUpdateStrategy,
  stagedUpdateRun,
  stagedUpdateStrategy,
} from '../staged.ts';
import { countsAsGone, type Kind, none, placementGroup } from './kind.ts';

const strategy = { group: placementGroup, schema: stagedUpdateStrategy, rules: strategyIssues, changes: none } as const;

const clusterStrategyKind: Kind<StagedUpdateStrategy> = {
  ...strategy,
  kind: 'ClusterStagedUpdateStrategy',
  scope: 'Cluster',
};
const strategyKind: Kind<StagedUpdateStrategy> = { ...strategy, kind: 'StagedUpdateStrategy', scope: 'Namespaced' };

const run = {
  group: placementGroup,
  schema: stagedUpdateRun,
  rules: runIssues,
  changes: runChanges,
  isWork: true,
  whenDeleted: countsAsGone,
  sharesNamesIn: 'runs',
} as const;

const clusterRunKind: Kind<StagedUpdateRun> = { ...run, kind: 'ClusterStagedUpdateRun', scope: 'Cluster' };
const runKind: Kind<StagedUpdateRun> = { ...run, kind: 'StagedUpdateRun', scope: 'Namespaced' };

const approval = {
  group: placementGroup,
  schema: approvalRequest,
  rules: none,
  changes: none,
  sharesNamesIn: 'approvals',
  answeredBy: 'condition',
} as const;

const clusterApprovalKind: Kind<ApprovalRequest> = { ...approval, kind: 'ClusterApprovalRequest', scope: 'Cluster' };
const approvalKind: Kind<ApprovalRequest> = { ...approval, kind: 'ApprovalRequest', scope: 'Namespaced' };

export const stagedKinds = [
  clusterStrategyKind,
  strategyKind,
  clusterRunKind,
  runKind,
  clusterApprovalKind,
  approvalKind,
] as const;
