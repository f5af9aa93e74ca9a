import type { ApprovedRemoval } from '../../api/gitfleet.ts';
import type { ClusterName, Manifest } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import { askRemoval } from '../../engine/gate/removal-approval.ts';
import { areTooManyObjects, mostClusters } from '../../engine/guard/fleet/blast-radius.ts';
import type { Fleet } from '../../engine/input.ts';
import { removalDigestOf, removedObject } from '../../engine/kernel/removal-digest.ts';
import { wasBound } from '../../engine/placement/bindings.ts';
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
  const dropping = stages
    .map((stage): Step => ({ ...stage, atOnce: atOnceIn(run, stage.name) }))
    .filter((step) => !isDropApproved(run, step, { effect, contents }));
  const steps = [
    ...dropping,
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
  const lostBy = returnLosses(run, contents);
  const returnText = (of: Iterable<Returned>): string | undefined => {
    const steps = [...of].map(({ stageName, clusters }) => ({ clusters, atOnce: atOnceIn(run, stageName) }));
    const losses = steps.flatMap(({ clusters }) => clusters.map((cluster) => lostBy(cluster)));
    return refusalText('a rollback removes what the run added', {
      steps,
      lossOf: (cluster) => lostBy(cluster).objects.size,
      contents,
      others: losses.some(({ objects }) => objects.size > 0) ? vanishedBack(losses, contents) : [],
    });
  };
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

/**
 * Whether an approval of removals is given that the guard will require, as for an earlier step of the same rollout: its digest covers all
 * clusters of the placement. What else goes at the same time makes it another one.
 */
function isDropApproved(
  run: StagedUpdateRun,
  { clusters, atOnce }: Step,
  { effect, contents: { works, world } }: { readonly effect: StageEffect; readonly contents: PlanContents },
): boolean {
  const { input } = world;
  const starting = new Set<string>(clusters.map(({ clusterName }) => clusterName));
  const objects = effect.changes.flatMap(({ action, object, clusters: of }) =>
    action === 'remove' && of.some((cluster) => starting.has(cluster)) ? removedObject(object) : [],
  );
  if (objects.length === 0 || input.record.removals.size === 0) return false;
  const placement = placementKey(placementOfRun(run));
  const live = (works.get(placement)?.bindings ?? []).flatMap(({ binding }) => (binding.deleting ? [] : binding));
  const own = live.filter(({ targetCluster }) => starting.has(targetCluster));
  const isAlike = new Set(own.map(({ state, resourceSnapshotIndex }) => `${state} ${resourceSnapshotIndex}`)).size <= 1;
  // Batches that differ, or bring more clusters, have approvals of their own.
  if (clusters.length > atOnce && !(isAlike && own.every(wasBound))) return false;
  const bound = live.flatMap(({ targetCluster, state }) => (state === 'Scheduled' ? [] : targetCluster));
  const losing = new Set([...bound, ...clusters.map(({ clusterName }) => clusterName as ClusterName)]);
  const removals = [...losing].flatMap((clusterName) => objects.map((object) => ({ clusterName, placement, object })));
  // An approval counts for the run that used it.
  const name = placementKey(run.metadata);
  const used = [...input.record.removals].map(([hex, use]): [string, ApprovedRemoval] => {
    const { underWay, ...status } = use.status;
    return [hex, underWay?.some((it) => it.run === name) ? use : { ...use, status }];
  });
  const record = { ...input.record, removals: new Map(used) };
  return askRemoval((count) => removalDigestOf(removals, input.digest, { used: count }), { ...input, record }).approved;
}

/** What a cluster loses as it returns to what it had before a run. */
interface ReturnLoss {
  /** Keys of objects. Overrides, and other placements, do not count. */
  readonly objects: ReadonlySet<string>;
  /** It had nothing then, as its snapshot is empty. */
  readonly isAll: boolean;
}

const nothingLost: ReturnLoss = { objects: new Set(), isAll: false };

function returnLosses(
  run: StagedUpdateRun,
  { works }: PlanContents,
): (cluster: Pick<ClusterUpdatingStatus, 'clusterName'>) => ReturnLoss {
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
  const losses = new Map<number, ReturnLoss>();
  return ({ clusterName }) => {
    const index = reached.get(clusterName)?.resourceSnapshotIndex ?? bound.get(clusterName);
    // Nothing was there: it keeps what it has.
    if (index === undefined) return nothingLost;
    if (!losses.has(index)) {
      const before = contentsOf(index)?.map(keyOfManifest);
      const loss = before && { objects: given.difference(new Set(before)), isAll: before.length === 0 };
      losses.set(index, loss ?? nothingLost);
    }
    return losses.get(index)!;
  };
}

const noResources = 'the repo has no resources';

/** That a drop looks like a mistake: the repo has no resources, or still has what the snapshot does not. */
function vanished(run: StagedUpdateRun, effect: StageEffect, { works, world }: PlanContents): string[] {
  const { fleet } = world.input;
  if (fleet.resources.length === 0) return [noResources];
  const work = works.get(placementKey(placementOfRun(run)));
  if (work?.contents.get(Number(run.status?.resourceSnapshotIndexUsed))?.length !== 0) return [];
  const inRepo = keysInRepo(fleet);
  const isThere = effect.changes.some(({ action, object }) => action === 'remove' && inRepo.has(objectKey(object)));
  return isThere ? ['its resource selectors match nothing, and the repo still has some of them'] : [];
}

/** The same of a rollback. */
function vanishedBack(losses: readonly ReturnLoss[], { world }: PlanContents): string[] {
  const { fleet } = world.input;
  if (fleet.resources.length === 0) return [noResources];
  const inRepo = keysInRepo(fleet);
  const isThere = losses.some(({ objects, isAll }) => isAll && !inRepo.isDisjointFrom(objects));
  return isThere ? ['the snapshot of before the run is empty, and the repo still has some of what goes'] : [];
}

const keysInRepo = ({ resources }: Fleet): ReadonlySet<string> =>
  new Set(resources.map(({ manifest }) => keyOfManifest(manifest)));

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
