import type { ClusterName } from '../../../api/meta.ts';
import type { ClusterUpdatingStatus, UpdateRunStatus } from '../../../api/staged.ts';
import { findCondition } from '../../kernel/condition.ts';
import { shortList } from '../../kernel/short-list.ts';
import { failuresAllowed } from '../failure-policy.ts';
import { hasFailed, type RunContext, type RunStep, withStage } from '../step.ts';
import { type StageContext, withClusterSteps } from './cluster-step.ts';
import { desiredBy } from './desired-binding.ts';
import { checkClusters, startClusters, stuckOf } from './move-clusters.ts';

export interface ClustersUpdate {
  readonly step: RunStep;
  /** Clusters in flight for longer than the threshold, in recorded order. */
  readonly stuck: readonly ClusterName[];
  /** Why the run fails; undefined = it continues. */
  readonly abort: string | undefined;
}

/**
 * Checks the clusters of a stage that are in flight, then starts new ones in recorded order while fewer than `most` are
 * (KubeFleet updaterun/execution.go, executeUpdatingStage). `most` 0 starts none. A cluster whose binding has what the run
 * rolls out, and is available, finishes at once. None starts in a run of which too many have failed.
 */
export function updateClusters(before: RunStep, context: RunContext, at: number, most: number): ClustersUpdate {
  const stage = before.status.stagesStatus![at]!;
  const desired = (cluster: ClusterUpdatingStatus) => desiredBy(before, cluster);
  const stageContext: StageContext = { before, context, stage: stage.stageName, direction: 'out', desired };
  const followed = checkClusters(stage.clusters, stageContext);
  const checked = withStage(before, at, { ...stage, clusters: followed.map(({ cluster }) => cluster) });
  const abort = tooManyFailed(checked.status, context);
  const steps = abort === undefined ? startClusters(followed, most, stageContext) : followed;
  const after = withClusterSteps(before, steps);
  const clusters = steps.map(({ cluster }) => cluster);
  return { step: withStage(after, at, { ...stage, clusters }), stuck: stuckOf(followed), abort };
}

/** Why the run fails: more of its clusters have failed than may. Where none may, as in KubeFleet, what the first have failed of. */
function tooManyFailed({ stagesStatus = [] }: UpdateRunStatus, { run }: RunContext): string | undefined {
  const failed = stagesStatus.flatMap(({ clusters }) => clusters.filter(hasFailed));
  const total = stagesStatus.reduce((sum, { clusters }) => sum + clusters.length, 0);
  const allowed = failuresAllowed(run, total);
  if (failed.length <= allowed) return undefined;
  if (allowed === 0) return failed.map(causeOf).join('; ');
  const names = shortList(failed.map(({ clusterName }) => clusterName));
  return `${failed.length} clusters have failed, and max-failures allows ${allowed}: ${names}`;
}

const causeOf = ({ clusterName, conditions }: ClusterUpdatingStatus): string =>
  findCondition(conditions, 'Succeeded')?.message ?? `the cluster ${clusterName} has failed`;
