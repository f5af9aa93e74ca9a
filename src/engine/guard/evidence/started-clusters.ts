import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus } from '../../../api/staged.ts';

export const isStarted = ({ conditions = [] }: ClusterUpdatingStatus): boolean =>
  conditions.some(({ type, status }) => type === 'Started' && status === 'True');

/** Clusters that an update run has started in these stages. */
export const startedIn = (stages: readonly StageStatus[] = []): ReadonlySet<ClusterName> =>
  new Set(stages.flatMap(({ clusters }) => clusters.filter(isStarted).map(({ clusterName }) => clusterName)));
