import { type MemberCluster, memberCluster } from '../member-cluster.ts';
import { memberIssues } from '../rules/member-rules.ts';
import { clusterGroup, type Kind, none } from './kind.ts';

const memberKind: Kind<MemberCluster> = {
  group: clusterGroup,
  kind: 'MemberCluster',
  scope: 'Cluster',
  schema: memberCluster,
  rules: memberIssues,
  changes: none,
};

export const memberKinds = [memberKind] as const;
