import { placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../../api/staged.ts';
import type { GuardFinding, PlannedRun } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { overridesOf } from '../evidence/planned-record.ts';
import { isStarted } from '../evidence/started-clusters.ts';
import { is, isDone, isFailed, type RunChange } from './run-status.ts';

/**
 * A run of which more clusters have failed than its file allows starts no further one, and one that rolls back neither. A cluster that had
 * its snapshot before, and is done at once, gets nothing.
 */
export function startsAfterFailure({ run, before }: RunChange, evidence: Evidence): GuardFinding[] {
  const clusters = clustersIn(run.status.stagesStatus);
  const bindings = bindingsOf(run, evidence);
  const started = newlyStarted(run.status.stagesStatus, before?.stagesStatus).find(
    (cluster) => !isUpdated(cluster) || !bindings.some((binding) => hasAll(binding, cluster, run)),
  )?.clusterName;
  if (started === undefined) return [];
  const written = writtenRun(run, evidence)?.metadata.annotations?.['gitfleet.dev/max-failures'] ?? '0';
  const limit = Number.parseInt(written, 10);
  const most = written.endsWith('%') ? Math.floor((clusters.length * limit) / 100) : limit;
  const failed = clusters.filter(isFailed).length;
  if (failed <= most && run.status.rollbackStatus === undefined) return [];
  const why = failed > most ? `although ${failed} clusters have failed` : 'although it rolls back';
  return [{ rule: 'started-after-failure', message: `run ${run.name} would update ${started}, ${why}` }];
}

/**
 * A rollback starts only in a run whose file requests it. It returns stages in reverse order, one after the other, and only clusters
 * that the run had reached, to the snapshot that they had when it reached them.
 */
export function forbiddenRollbacks({ run, before }: RunChange, evidence: Evidence): GuardFinding[] {
  const finding = (message: string): GuardFinding => ({
    rule: 'rollback-forbidden',
    message: `run ${run.name} ${message}`,
  });
  const findings = wrongMemories(run, before, evidence).map((cluster) =>
    finding(`records that ${cluster} had another snapshot than its binding has`),
  );
  const { rollbackStatus, stagesStatus = [] } = run.status;
  if (rollbackStatus === undefined) return findings;
  const asked = writtenRun(run, evidence)?.metadata.annotations?.['gitfleet.dev/on-failure'] === 'rollback';
  if (before?.rollbackStatus === undefined && !asked)
    findings.push(finding('would roll back, but its file does not have on-failure: rollback'));
  const places = rollbackStatus.stagesStatus.map(({ stageName }) =>
    stagesStatus.findIndex((stage) => stage.stageName === stageName),
  );
  if (places.some((place, at) => place < 0 || (at > 0 && place >= places[at - 1]!)))
    findings.push(finding('would not roll its stages back in reverse order'));
  const reached = new Set(
    clustersIn(stagesStatus)
      .filter(isStarted)
      .map(({ clusterName }) => clusterName),
  );
  let open: string | undefined;
  for (const { stageName, clusters } of rollbackStatus.stagesStatus) {
    const started = clusters.filter(isStarted);
    if (open !== undefined && started.length > 0)
      findings.push(finding(`would roll back stage ${stageName} before stage ${open}`));
    const foreign = started.find(({ clusterName }) => !reached.has(clusterName));
    if (foreign) findings.push(finding(`would roll back ${foreign.clusterName}, which it has not reached`));
    if (!clusters.every(isDone)) open ??= stageName;
  }
  return findings;
}

/** Clusters started by this plan for which it records another snapshot than they had. */
function wrongMemories(run: PlannedRun, before: UpdateRunStatus | undefined, evidence: Evidence): string[] {
  const known = new Set(
    clustersIn(before?.stagesStatus)
      .filter(isStarted)
      .map(({ clusterName }) => clusterName),
  );
  const bindings = bindingsOf(run, evidence);
  return clustersIn(run.status.stagesStatus).flatMap(({ clusterName, previous }) => {
    if (previous === undefined || known.has(clusterName)) return [];
    const had = bindings.filter(({ targetCluster, deleting }) => targetCluster === clusterName && !deleting);
    return had.some(({ resourceSnapshotIndex }) => resourceSnapshotIndex === previous.resourceSnapshotIndex)
      ? []
      : [clusterName];
  });
}

/** Those of its placement, as recorded. */
function bindingsOf(run: PlannedRun, evidence: Evidence): readonly Binding[] {
  const placement = writtenRun(run, evidence)?.spec.placementName;
  if (placement === undefined) return [];
  const { namespace } = run;
  const key = placementKey({ name: placement, ...(namespace === undefined ? {} : { namespace }) });
  return evidence.record.placements.get(key)?.state.bindings ?? [];
}

/** Whether a cluster had what the run gives it: the snapshot, and the override snapshots. */
const hasAll = (
  { targetCluster, resourceSnapshotIndex, deleting, ...had }: Binding,
  { clusterName, ...given }: ClusterUpdatingStatus,
  { status }: PlannedRun,
): boolean =>
  targetCluster === clusterName &&
  !deleting &&
  resourceSnapshotIndex === Number(status.resourceSnapshotIndexUsed) &&
  overridesOf(had) === overridesOf(given);

const isUpdated = ({ conditions }: ClusterUpdatingStatus): boolean => is(conditions, 'Succeeded') === 'True';

const clustersIn = (stages: readonly StageStatus[] = []): readonly ClusterUpdatingStatus[] =>
  stages.flatMap(({ clusters }) => clusters);

function newlyStarted(
  stages: StageStatus[] | undefined,
  before: StageStatus[] | undefined,
): readonly ClusterUpdatingStatus[] {
  const known = new Set(
    clustersIn(before)
      .filter(isStarted)
      .map(({ clusterName }) => clusterName),
  );
  return clustersIn(stages).filter((cluster) => isStarted(cluster) && !known.has(cluster.clusterName));
}

/** Its file, or the recorded version while that is invalid. */
const writtenRun = (run: PlannedRun, { fleet, record }: Evidence): StagedUpdateRun | undefined =>
  fleet.runs.find((file) => file.kind === run.kind && placementKey(file.metadata) === placementKey(run)) ??
  record.runs.get(placementKey(run));
