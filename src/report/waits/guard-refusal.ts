import type { ClusterName, Manifest } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus } from '../../api/staged.ts';
import type { PlanContents } from '../../engine/delivery/plan-contents.ts';
import { areTooManyObjects, mostClusters } from '../../engine/guard/fleet/blast-radius.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { concurrencyOf } from '../../engine/staged/execute/current-stage.ts';
import { stagesToReturn } from '../../engine/staged/execute/roll-back.ts';
import { rollsBack } from '../../engine/staged/failure-policy.ts';
import { placementOfRun } from '../../engine/update-run.ts';
import type { StageEffect } from '../../forecast/stage-effect.ts';
import { namesOf, type Opened } from './opened.ts';

/** Why the guard may refuse what follows from an approval. It judges each plan as a whole: what else goes at the same time adds to it. */
export interface GuardRefusal {
  /** What the approval starts. */
  readonly starts?: string;
  /** The rollback if clusters fail. */
  readonly rollback?: string;
  /** The rollback if it is rejected. */
  readonly rejection?: string;
}

/** `opened`, `effect`: what the approval starts, and what that changes on clusters. */
export function guardRefusal(
  run: StagedUpdateRun,
  opened: Opened<ClusterUpdatingStatus>,
  { effect, contents }: { readonly effect: StageEffect; readonly contents: PlanContents },
): GuardRefusal {
  const { stages, removed, next } = opened;
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
  const starts = refusalText('it removes objects', steps, effect.isKnown ? lossOf : () => 1, contents);
  if (!rollsBack(run)) return starts === undefined ? {} : { starts };
  const returning = stagesToReturn(run.status ?? {});
  const ahead = [...stages, ...(next?.stage ? [next.stage] : [])];
  const returned = returnLosses(run, contents);
  const returnText = (of: readonly Returned[]): string | undefined =>
    refusalText(
      'a rollback removes what the run added',
      of.map(({ stageName, clusters }) => ({ clusters, atOnce: atOnceIn(run, stageName) })),
      returned,
      contents,
    );
  const rejection = returnText(returning);
  const rollback = returnText([...merged(returning, ahead)]);
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
function merged(reached: readonly StageStatus[], ahead: Opened<ClusterUpdatingStatus>['stages']): Iterable<Returned> {
  const all = new Map<string, Returned>(reached.map((stage) => [stage.stageName, stage]));
  for (const { name, clusters } of ahead) {
    const known = all.get(name)?.clusters ?? [];
    const names = new Set(known.map(({ clusterName }) => clusterName));
    const more = clusters.filter(({ clusterName }) => !names.has(clusterName));
    all.set(name, { stageName: name, clusters: [...known, ...more] });
  }
  return all.values();
}

/** An approval of removals that was given for one step of a rollout covers all of them. */
function isDropApproved(run: StagedUpdateRun, { world }: PlanContents): boolean {
  const key = placementKey(placementOfRun(run));
  return [...world.input.record.removals.values()].some(({ status }) =>
    status.underWay?.some(({ placement, clusterName }) => placement === key && clusterName === undefined),
  );
}

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

/** Undefined where it keeps within the limits. */
function refusalText(
  what: string,
  steps: readonly Step[],
  lossOf: LossOf,
  { world: { input } }: Pick<PlanContents, 'world'>,
): string | undefined {
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
  ];
  return reasons.length === 0
    ? undefined
    : `${what}, which the guard may refuse (${reasons.join('; ')}): then gitfleet requests an approval of removals, and nothing else rolls out before it is given`;
}
