import type { ClusterName } from '../../../api/meta.ts';
import type {
  ClusterUpdatingStatus,
  StageConfig,
  StagedUpdateRun,
  StageStatus,
  UpdateRunStatus,
} from '../../../api/staged.ts';
import { byText } from '../../kernel/ordering.ts';
import { idsOf } from '../../overrides/snapshot-id.ts';
import { heldByPause } from '../../pause/pause.ts';
import type { PlacementWork } from '../../placement-work.ts';
import { approvalName, type GateTiming } from '../approval/stage-gates.ts';
import { presentClusters } from '../left-clusters.ts';
import { returnedFrom } from '../return.ts';
import { withReason } from '../run-conditions.ts';
import { deleteStageName, isStrategyOf, type RunContext, type RunStep, strategyKind, withHold } from '../step.ts';
import { type ArrangedStage, arrangeStages } from './arrange-stages.ts';
import { scheduledClusters } from './scheduled-clusters.ts';
import { snapshotOfRun } from './snapshot-of-run.ts';
import { initializedMessage } from './sorting-warnings.ts';
import { strategyOfRun } from './stage-tasks.ts';

/**
 * Freezes snapshot, stages, order and overrides of a run. Checks run in KubeFleet's order and the first that fails decides
 * (updaterun/initialization.go): either Initialized=False for good, or a hold without Initialized while the cause may still
 * disappear (docs/compatibility.md).
 */
export function initialize(step: RunStep, context: RunContext): RunStep {
  const { run, input } = context;
  const { placement } = step.work;
  if (placement.spec.strategy.type !== 'External')
    return refused(
      step,
      context,
      `parent placement ${run.spec.placementName} does not have an External rollout strategy, its strategy is ${placement.spec.strategy.type}`,
    );
  const { applyStrategy } = placement.spec.strategy;

  const present = presentClusters(input.clusters);
  const scheduling = scheduledClusters(step.work, (cluster) => !present.has(cluster));
  if (!scheduling.ok) return withHold(step, context, scheduling);

  const strategyName = run.spec.stagedRolloutStrategyName;
  const strategy = input.strategies.find((candidate) => isStrategyOf(candidate, run));
  if (strategy === undefined)
    return withHold(step, context, {
      reason: 'StrategyNotFound',
      message: `there is no ${strategyKind(run)} ${strategyName} yet`,
    });

  const strategyTaken = strategyOfRun(strategy);
  const base = {
    ...step,
    status: {
      policySnapshotIndexUsed: String(scheduling.policyIndex),
      policyObservedClusterCount: scheduling.clusterCount,
      appliedStrategy: applyStrategy,
      stagedUpdateStrategySnapshot: strategyTaken,
    },
  };
  const names = new Set(scheduling.selected);
  const selected = input.clusters.filter(({ name }) => present.has(name) && names.has(name));
  const arrangement = arrangeStages({ strategyName, stages: strategy.spec.stages, selected });
  if (!arrangement.ok) return refused(base, context, arrangement.message);

  const { pause } = input;
  if (pause.kind === 'paused' && pause.cause !== undefined)
    return withHold(step, context, heldByPause(`run ${run.metadata.name} takes its snapshot`, pause));
  const snapshot = snapshotOfRun(run, step.work, input);
  if (!snapshot.ok) return refused(base, context, snapshot.message);

  const stages: StageStatus[] = [];
  for (const [at, stage] of strategyTaken.stages.entries()) {
    const arranged = arrangement.stages[at]!;
    const clusters = clustersOfRun(arranged.clusters, snapshot.work, snapshot.index, context);
    if ('error' in clusters) return refused(base, context, clusters.error);
    stages.push(stageStatus(run, stage, { ...arranged, clusters: clusters.clusters }));
  }
  // A snapshot that the file of the run names has what it had then.
  const named = step.work.resourceSnapshots.some(({ index }) => `${index}` === run.spec.resourceSnapshotIndex);
  const manifests = snapshot.work.contents.get(snapshot.index) ?? [];
  const lastGood = named ? [] : input.lastGoodIn({ placement, manifests, stages });
  const from = named ? returnedFrom(snapshot.index, step.work, input) : undefined;
  const status: UpdateRunStatus = {
    ...base.status,
    resourceSnapshotIndexUsed: String(snapshot.index),
    ...(lastGood.length > 0 && { lastGoodVersions: lastGood }),
    ...(from !== undefined && { returnedFrom: from }),
    stagesStatus: stages,
    deletionStageStatus: {
      stageName: deleteStageName,
      clusters: scheduling.toDelete.map((clusterName) => ({ clusterName })),
    },
  };
  return {
    ...step,
    work: withUsedOverrides(snapshot.work, snapshot.index, stages),
    status: withReason(status, 'UpdateRunInitializedSuccessfully', initializedMessage(status), input.now),
  };
}

const refused = (step: RunStep, { input }: RunContext, message: string): RunStep => ({
  ...step,
  status: withReason(step.status, 'UpdateRunInitializedFailed', message, input.now),
});

function clustersOfRun(
  names: readonly ClusterName[],
  work: PlacementWork,
  index: number,
  { input }: RunContext,
): { readonly clusters: ClusterUpdatingStatus[] } | { readonly error: string } {
  const clusters: ClusterUpdatingStatus[] = [];
  for (const clusterName of names) {
    const lists = input.overridesFor(work, clusterName, index);
    if ('error' in lists) return { error: `overrides for ${clusterName}: ${lists.error}` };
    const { clusterResourceOverrideSnapshots: cluster = [], resourceOverrideSnapshots: namespaced = [] } = lists;
    clusters.push({
      clusterName,
      ...(namespaced.length > 0 ? { resourceOverrideSnapshots: namespaced.map((ref) => ({ ...ref })) } : {}),
      ...(cluster.length > 0 ? { clusterResourceOverrideSnapshots: [...cluster] } : {}),
    });
  }
  return { clusters };
}

function stageStatus(
  run: StagedUpdateRun,
  stage: StageConfig,
  { clusters, withoutSortingLabel }: Pick<ArrangedStage, 'withoutSortingLabel'> & Pick<StageStatus, 'clusters'>,
): StageStatus {
  const tasks = (list: StageConfig['afterStageTasks'], timing: GateTiming) =>
    (list ?? []).map(({ type }) =>
      type === 'Approval' ? { type, approvalRequestName: approvalName(run, stage.name, timing) } : { type },
    );
  const before = tasks(stage.beforeStageTasks, 'before');
  const after = tasks(stage.afterStageTasks, 'after');
  return {
    stageName: stage.name,
    clusters,
    ...(withoutSortingLabel.length > 0 ? { withoutSortingLabel: [...withoutSortingLabel] } : {}),
    ...(before.length > 0 ? { beforeStageTaskStatus: before } : {}),
    ...(after.length > 0 ? { afterStageTaskStatus: after } : {}),
  };
}

/** Records which override snapshots this index was rolled out with: a later rollback to it uses the same ones. */
function withUsedOverrides(work: PlacementWork, index: number, stages: readonly StageStatus[]): PlacementWork {
  const used = new Set(stages.flatMap(({ clusters }) => clusters.flatMap(idsOf)));
  if (used.size === 0) return work;
  const remembered = new Set(work.resourceSnapshots.find((entry) => entry.index === index)?.overrides);
  if (used.isSubsetOf(remembered)) return work;
  const overrides = [...used].sort(byText);
  return {
    ...work,
    resourceSnapshots: work.resourceSnapshots.map((entry) => (entry.index === index ? { ...entry, overrides } : entry)),
  };
}
