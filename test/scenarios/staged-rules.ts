import { expect } from 'vitest';
import type { Condition } from '../../src/api/meta.ts';
import type { ClusterUpdatingStatus, StageStatus, UpdateRunStatus } from '../../src/api/staged.ts';
import type { Plan, PlannedRun } from '../../src/engine/plan-document.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';

/**
 * Stages keep to maxConcurrency, begin one after the other, and only once their gates are passed. `yes`: approvals that a file ever
 * approved.
 */
export function keepsToItsStages({ name, status }: PlannedRun, yes: ReadonlySet<string>): void {
  const { stagesStatus = [], stagedUpdateStrategySnapshot } = status;
  const stages = stagedUpdateStrategySnapshot?.stages ?? [];
  let endOfAll = 0;
  for (const [at, stage] of stagesStatus.entries()) {
    const config = stages[at]!;
    const began = stage.clusters.filter(({ conditions }) => is(conditions, 'Started'));
    const limit = String(config.maxConcurrency ?? 1);
    const most = limit.endsWith('%')
      ? Math.max(1, Math.floor((Number(limit.slice(0, -1)) * stage.clusters.length) / 100))
      : Number(limit);
    expect(stage.clusters.filter(isInFlight).length, `in flight in ${name} ${stage.stageName}`).toBeLessThanOrEqual(
      most,
    );
    if (began.length > 0) {
      for (const earlier of stagesStatus.slice(0, at)) expect(is(earlier.conditions, 'Succeeded')).toBe(true);
      if (config.beforeStageTasks?.length) expect([...yes]).toContain(`${name}-before-${stage.stageName}`);
      for (const { conditions } of began) expect(timeOf(conditions, 'Started')).toBeGreaterThanOrEqual(endOfAll);
    }
    if (!is(stage.conditions, 'Succeeded')) continue;
    expect(stage.clusters.every(isDone), `${name} ${stage.stageName} is done`).toBe(true);
    if (stage.clusters.length === 0) continue;
    const soaked = config.afterStageTasks?.some(({ type }) => type === 'TimedWait') ? 60_000 : 0;
    const lastDone = Math.max(
      ...stage.clusters.map(({ conditions }) =>
        Math.max(
          ...['Succeeded', 'Skipped'].map(
            (type) => Date.parse(conditionOf(conditions, type)?.lastTransitionTime ?? '') || 0,
          ),
        ),
      ),
    );
    endOfAll = Math.max(endOfAll, lastDone + soaked);
    expect(Date.parse(stage.endTime!)).toBeGreaterThanOrEqual(endOfAll);
    if (config.afterStageTasks?.some(({ type }) => type === 'Approval'))
      expect([...yes]).toContain(`${name}-after-${stage.stageName}`);
  }
}

/** What is over stays as it is; one that is stopped, frozen or refused starts nothing. */
export function changesAsItMay(
  { name, status }: PlannedRun,
  before: PlannedRun | undefined,
  files: Readonly<Record<string, string>>,
): void {
  if (before && isOver(before.status)) expect(withoutGeneration(status)).toEqual(withoutGeneration(before.status));
  const file = Object.values(files).find((text) => text.includes(`metadata: {name: ${name},`));
  const isStopped = file?.includes('state: Stop') && before !== undefined;
  const mayStart = !isStopped && !('fleet.yaml' in files) && !file?.includes('state: Initialize');
  const startedBefore = new Set(startsIn(before));
  const started = startsIn({ status });
  if (!mayStart)
    expect(
      started.filter((start) => !startedBefore.has(start)),
      `${name} starts nothing`,
    ).toEqual([]);
  for (const stage of before ? stagesOf(before.status) : []) {
    const now = stagesOf(status).find(({ stageName }) => stageName === stage.stageName);
    const done = stage.clusters.filter(isDone).map(({ clusterName }) => clusterName);
    expect(now?.clusters.filter(isDone).map(({ clusterName }) => clusterName)).toEqual(expect.arrayContaining(done));
    expect(now?.clusters.map(({ clusterName }) => clusterName)).toEqual(
      stage.clusters.map(({ clusterName }) => clusterName),
    );
  }
}

/** What a cluster is told to run changes only when a run comes to it. */
export function onlyRunsMove(plan: Plan, before: Plan | undefined): void {
  for (const { clusterName, placement, remove, resourceSnapshotIndex } of placementTargets(plan.targets)) {
    if (placement.name !== 'web' || remove) continue;
    const earlier = placementTargets(before?.targets ?? []).find(
      (it) => it.clusterName === clusterName && it.placement.name === 'web',
    );
    if (earlier?.resourceSnapshotIndex === resourceSnapshotIndex) continue;
    const startedNow = plan.runs.filter(({ name, status }) => {
      const earlierRun = before?.runs.find((run) => run.name === name);
      const isNew = (starts: readonly string[], known: readonly string[]) =>
        starts.some((start) => start.startsWith(`${clusterName} `) && !known.includes(start));
      const had = stagesOf(status)
        .flatMap(({ clusters }) => clusters)
        .find((it) => it.clusterName === clusterName)?.previous?.resourceSnapshotIndex;
      return (
        (status.resourceSnapshotIndexUsed === String(resourceSnapshotIndex) &&
          isNew(startsIn({ status }), startsIn(earlierRun))) ||
        (had === resourceSnapshotIndex && isNew(returnsIn({ status }), returnsIn(earlierRun)))
      );
    });
    expect(startedNow.length, `${clusterName} moves by a run`).toBeGreaterThan(0);
  }
}

const conditionOf = (conditions: readonly Condition[] | undefined, type: string) =>
  conditions?.find((condition) => condition.type === type);
export const is = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditionOf(conditions, type)?.status === 'True';
const timeOf = (conditions: readonly Condition[] | undefined, type: string): number =>
  is(conditions, type) ? Date.parse(conditionOf(conditions, type)!.lastTransitionTime!) : 0;

const isDone = ({ conditions }: ClusterUpdatingStatus): boolean =>
  conditionOf(conditions, 'Succeeded') !== undefined || is(conditions, 'Skipped');
const isInFlight = (cluster: ClusterUpdatingStatus): boolean => is(cluster.conditions, 'Started') && !isDone(cluster);
export const isOver = ({ conditions }: UpdateRunStatus): boolean =>
  conditionOf(conditions, 'Succeeded') !== undefined || conditionOf(conditions, 'Initialized')?.status === 'False';
const stagesOf = ({ stagesStatus = [], deletionStageStatus }: UpdateRunStatus): readonly StageStatus[] => [
  ...stagesStatus,
  ...(deletionStageStatus ? [deletionStageStatus] : []),
];
/** When clusters of a run were started: one that was evicted in flight is started again. */
const startsIn = (run: Pick<PlannedRun, 'status'> | undefined): string[] => startsOf(run ? stagesOf(run.status) : []);
/** The same of its rollback. */
const returnsIn = (run: Pick<PlannedRun, 'status'> | undefined): string[] =>
  startsOf(run?.status.rollbackStatus?.stagesStatus ?? []);
const startsOf = (stages: readonly StageStatus[]): string[] =>
  stages
    .flatMap(({ clusters }) => clusters)
    .flatMap(({ clusterName, conditions }) =>
      is(conditions, 'Started') ? [`${clusterName} ${timeOf(conditions, 'Started')}`] : [],
    );
const withoutGeneration = (status: UpdateRunStatus): unknown =>
  JSON.parse(JSON.stringify(status, (key, value: unknown) => (key === 'observedGeneration' ? undefined : value)));
