import type { ClusterName, Manifest } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import { areTooManyObjects, mostClusters } from '../../engine/guard/fleet/blast-radius.ts';
import { findCondition } from '../../engine/kernel/condition.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import { concurrencyOf } from '../../engine/staged/execute/current-stage.ts';
import { rollsBack } from '../../engine/staged/failure-policy.ts';
import { placementOfRun } from '../../engine/update-run.ts';
import type { StageEffect } from '../../forecast/stage-effect.ts';
import type { GuardRefusal } from './approval-starts.ts';
import { namesOf, type Opened, stagesAhead } from './opened.ts';
import { type Recorded, returningIn, unknownOn } from './rollback-texts.ts';

/** Why the guard may refuse what follows from an answer. `opened`, `effect`: what an approval starts, and what that changes. */
export function guardRefusal(
  run: StagedUpdateRun,
  opened: Opened<ClusterUpdatingStatus>,
  {
    effect,
    contents,
    record,
  }: {
    readonly effect: StageEffect;
    readonly contents: PlanContents;
    readonly record: Recorded;
  },
): GuardRefusal {
  const { stages, removed } = opened;
  const lost = new Map<string, number>();
  for (const { action, clusters } of effect.changes)
    if (action === 'remove') for (const cluster of clusters) lost.set(cluster, (lost.get(cluster) ?? 0) + 1);
  const lossOf: LossOf = ({ clusterName }) => lost.get(clusterName) ?? 0;
  const dropping = isDropApproved(run, contents) ? [] : stages;
  const steps = [
    ...dropping.map((stage): Step => ({ ...stage, atOnce: atOnceIn(run, stage.name) })),
    // Without contents any of them may lose something.
    { clusters: removed, atOnce: removed.length },
  ];
  const isDropping = dropping.some(({ clusters }) => clusters.some((of) => lossOf(of) > 0));
  const starts = refusalText('it removes objects', {
    steps,
    lossOf: effect.isKnown ? lossOf : () => 1,
    contents,
    others: [...(isDropping ? vanished(run, effect, contents) : []), ...misspelt(run, removed, contents)],
  });
  if (!rollsBack(run)) return starts === undefined ? {} : { starts };
  const returning = returningIn(run, record).stages;
  const unknown = unknownOn(run, record);
  const ahead = stagesAhead(opened).map(
    ({ name: stageName, clusters }): Returned => ({
      stageName,
      clusters: clusters.filter(({ clusterName }) => !unknown.has(clusterName)),
    }),
  );
  const returnText = (of: Iterable<Returned>): string | undefined =>
    refusalText('a rollback removes what the run added', {
      steps: [...of].map(({ stageName, clusters }) => ({ clusters, atOnce: atOnceIn(run, stageName) })),
      lossOf: returnLosses(run, contents),
      contents,
    });
  const rejection = returnText(returning);
  const rollback = returnText(merged(returning, ahead));
  return {
    ...(starts !== undefined && { starts }),
    ...(rollback !== undefined && { rollback }),
    ...(rejection !== undefined && { rejection }),
  };
}

type Returned = Pick<StageStatus, 'stageName' | 'clusters'>;

type LossOf = (cluster: Pick<ClusterUpdatingStatus, 'clusterName'>) => number;

interface Step {
  readonly clusters: readonly Pick<ClusterUpdatingStatus, 'clusterName'>[];
  /** So many of them start in one plan. */
  readonly atOnce: number;
}

const atOnceIn = ({ status = {} }: StagedUpdateRun, stage: string): number =>
  concurrencyOf(status, status.stagesStatus?.findIndex(({ stageName }) => stageName === stage) ?? -1);

/** Stages that were reached, with what would have been reached as well. */
function merged(reached: readonly Returned[], ahead: readonly Returned[]): Iterable<Returned> {
  const all = new Map(reached.map((stage) => [stage.stageName, stage]));
  for (const { stageName, clusters } of ahead) {
    const known = all.get(stageName)?.clusters ?? [];
    const names = new Set(known.map(({ clusterName }) => clusterName));
    const more = clusters.filter(({ clusterName }) => !names.has(clusterName));
    all.set(stageName, { stageName, clusters: [...known, ...more] });
  }
  return all.values();
}

/** An approval of removals that was given for one step of a run covers all of its steps, but not what another run removes. */
function isDropApproved(run: StagedUpdateRun, { world }: PlanContents): boolean {
  const key = placementKey(placementOfRun(run));
  const start = startOf(run);
  if (start === undefined) return false;
  return [...world.input.record.removals.values()].some(
    ({ status: { at, underWay = [] } }) =>
      at !== undefined &&
      at >= start &&
      underWay.some(({ placement, clusterName }) => placement === key && clusterName === undefined),
  );
}

/** When its first cluster started. */
const startOf = ({ status = {} }: StagedUpdateRun): string | undefined =>
  (status.stagesStatus ?? [])
    .flatMap((stage) => stage.clusters.flatMap(({ conditions }) => startedAt(conditions) ?? []))
    .sort()[0];

const startedAt = (conditions: ClusterUpdatingStatus['conditions']): string | undefined =>
  findCondition(conditions, 'Started')?.lastTransitionTime;

/** How many objects a cluster loses as it returns to what it had before the run. Overrides, and other placements, do not count. */
function returnLosses(run: StagedUpdateRun, { works }: PlanContents): LossOf {
  const { status = {} } = run;
  const work = works.get(placementKey(placementOfRun(run)));
  const contentsOf = (index: number): readonly Manifest[] | undefined => work?.contents.get(index);
  const given = new Set(contentsOf(Number(status.resourceSnapshotIndexUsed ?? Number.NaN))?.map(keyOfManifest));
  const reached = new Map(
    (status.stagesStatus ?? []).flatMap(({ clusters }) => clusters.map((of) => [of.clusterName, of.previous])),
  );
  const bound = new Map<string, number | undefined>(
    work?.bindings.map(({ binding }) => [binding.targetCluster, binding.resourceSnapshotIndex]),
  );
  const losses = new Map<number, number>();
  return ({ clusterName }) => {
    const index = reached.get(clusterName)?.resourceSnapshotIndex ?? bound.get(clusterName);
    // Nothing was there: it keeps what it has.
    if (index === undefined) return 0;
    if (!losses.has(index)) {
      const before = contentsOf(index)?.map(keyOfManifest);
      losses.set(index, before ? given.difference(new Set(before)).size : 0);
    }
    return losses.get(index)!;
  };
}

/** That a drop looks like a mistake: the repo has no resources, or still has what the snapshot does not. */
function vanished(run: StagedUpdateRun, effect: StageEffect, { works, world }: PlanContents): string[] {
  const { resources } = world.input.fleet;
  if (resources.length === 0) return ['the repo has no resources'];
  const work = works.get(placementKey(placementOfRun(run)));
  if (work?.contents.get(Number(run.status?.resourceSnapshotIndexUsed))?.length !== 0) return [];
  const inRepo = new Set(resources.map(({ manifest }) => keyOfManifest(manifest)));
  const isThere = effect.changes.some(({ action, object }) => action === 'remove' && inRepo.has(objectKey(object)));
  return isThere ? ['its resource selectors match nothing, and the repo still has some of them'] : [];
}

/** That the removal from clusters at the end looks like one: none that the placement names is in the fleet. */
function misspelt(run: StagedUpdateRun, removed: readonly unknown[], { works, world }: PlanContents): string[] {
  const policy = works.get(placementKey(placementOfRun(run)))?.placement.spec.policy;
  if (removed.length === 0 || policy?.placementType !== 'PickFixed') return [];
  const { clusterNames = [] } = policy;
  const isAnyThere = clusterNames.some((name) => world.members.get(name as ClusterName)?.leaving === false);
  return clusterNames.length === 0 || isAnyThere ? [] : ['none of the clusters that it names is in the fleet'];
}

/** Undefined where it keeps within the limits. `others`: what else the guard does not let pass. */
function refusalText(
  what: string,
  {
    steps,
    lossOf,
    contents: { world },
    others = [],
  }: {
    readonly steps: readonly Step[];
    readonly lossOf: LossOf;
    readonly contents: PlanContents;
    readonly others?: readonly string[];
  },
): string | undefined {
  const { input } = world;
  const losing = steps.map(({ clusters, atOnce }) => ({ clusters: clusters.filter((of) => lossOf(of) > 0), atOnce }));
  const most = Math.floor(mostClusters(input.fleet));
  const largest = Math.max(0, ...losing.map(({ clusters, atOnce }) => Math.min(clusters.length, atOnce)));
  const emptied = losing.flatMap(({ clusters }) =>
    clusters.filter((of) => areTooManyObjects(lossOf(of), of.clusterName as ClusterName, input)),
  );
  const reasons = [
    ...(largest > most
      ? [`at most ${most} ${most === 1 ? 'cluster' : 'clusters'} may lose something at once, and ${largest} would`]
      : []),
    ...(emptied.length > 0
      ? [`${namesOf(emptied)} would lose too many of ${emptied.length === 1 ? 'its' : 'their'} objects`]
      : []),
    ...others,
  ];
  return reasons.length === 0
    ? undefined
    : `${what}, which the guard may refuse (${reasons.join('; ')}): then gitfleet requests an approval of removals, and nothing else rolls out before it is given`;
}
