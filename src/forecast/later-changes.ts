import { type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../api/staged.ts';
import { sourceKey } from '../engine/input.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Hold } from '../engine/plan-document.ts';
import { keyOfManifest, refOfManifest } from '../engine/selection/object-key.ts';
import { hasFinished, hasStarted } from '../engine/staged/step.ts';
import { isInitialized, isOver, placementOfRun } from '../engine/update-run.ts';
import type { FailingCluster } from './failing-clusters.ts';
import { hasHold } from './held-by-change.ts';
import type { ForecastResult, HeldByCluster, HeldObject, KeptObject } from './held-objects.ts';
import { heldId, isForeign } from './kept-containers.ts';
import type { Leaving, ObjectChange } from './object-changes.ts';
import { pendingChanges } from './pending-changes.ts';
import { removedInPlan } from './run-removals.ts';
import { stageEffect } from './stage-effect.ts';
import type { InSteps } from './steps.ts';
import { isCompared, wantedOn } from './wanted-on.ts';

/** A change that does not happen by itself: it needs an update run, or is held. `returns`: what it removes is created anew. */
export type LaterChange = ObjectChange & { readonly isHeld?: true; readonly returns?: true };

/**
 * What would change for placements that need an update run, and for those that are held once they continue: where they are held without
 * the change, too, what it adds. `earlier`: the last plan without the change; `last`, `ends`, `leaving`: as of `pendingChanges`. `failing`:
 * clusters that it would not reach.
 */
export function* laterChanges(
  needRun: readonly PlacementRef[],
  {
    holds,
    earlier,
    ...of
  }: {
    readonly holds: readonly Hold[];
    readonly earlier: ForecastResult;
    readonly last: ForecastResult;
    readonly ends: Readonly<Record<'before' | 'after', HeldByCluster>>;
    readonly leaving: Leaving;
  },
): InSteps<{ readonly changes: readonly LaterChange[]; readonly failing: readonly FailingCluster[] }> {
  const needed = yield* pendingChanges(needRun, of);
  const begun = heldRuns(holds, of.last).filter(({ status }) => isInitialized(status));
  const moving = yield* pendingChanges(movingIn(holds, of.last), { ...of, usual: pendingAnyway(holds, earlier) });
  const waiting = yield* pendingChanges(waitingIn(holds, of.last), of);
  const changes = [...keptRemovals(holds, earlier, of.last), ...moving.changes, ...waiting.changes];
  for (const run of begun) {
    changes.push(...changesAhead(run, of.last));
    yield;
  }
  return {
    changes: [...needed.changes, ...changes.map((change) => ({ ...change, isHeld: true as const }))],
    failing: [...needed.failing, ...moving.failing, ...waiting.failing],
  };
}

/** Namespaces and CustomResourceDefinitions of such holds. What is not of their placements goes with them only by an approval. */
function keptRemovals(
  holds: readonly Hold[],
  { kept: anyway = [] }: ForecastResult,
  { kept = [] }: ForecastResult,
): ObjectChange[] {
  const held = new Set(holds.filter(isForeign).map(heldId));
  const idOf = ({ held: { placement, manifest }, cluster }: KeptObject): string =>
    `${placementKey(placement)} ${keyOfManifest(manifest)} ${cluster}`;
  const known = new Set(anyway.map(idOf));
  const isHeld = ({ held: { placement }, cluster }: KeptObject): boolean =>
    held.has(`${placementKey(placement)} ${cluster}`);
  return removalsOf(kept.filter((of) => isHeld(of) && !known.has(idOf(of))));
}

function removalsOf(kept: readonly KeptObject[]): ObjectChange[] {
  const idOf = ({ placement, manifest }: HeldObject): string => `${placementKey(placement)} ${keyOfManifest(manifest)}`;
  return [...Map.groupBy(kept, (of) => idOf(of.held)).values()].map((group) => {
    const { placement, manifest } = group[0]!.held;
    const clusters = group.map(({ cluster }) => cluster).sort();
    return { action: 'remove', placement, object: refOfManifest(manifest), clusters, diff: '' };
  });
}

/** What would change on clusters that are held without the change for the same reason. Under ReportDiff nothing would. */
const pendingAnyway =
  (holds: readonly Hold[], earlier: PlanResult) =>
  (placement: PlacementRef): ReturnType<typeof wantedOn> => {
    if (isCompared(earlier, placement)) return new Map();
    const added = holds.filter((hold) => isOf(hold, placement) && !hasHold(earlier.plan, hold));
    const clusters = new Set(added.map(({ subject }) => subject.clusterName));
    if (clusters.has(undefined)) return new Map();
    return new Map([...wantedOn(earlier, placement)].filter(([cluster]) => !clusters.has(cluster)));
  };

const isOf = ({ subject }: Hold, placement: PlacementRef): boolean =>
  subject.kind === placement.kind && placementKey(subject) === placementKey(placement);

/** Placements of other holds that roll out by themselves, or are deleted. */
function movingIn(holds: readonly Hold[], { contents: { works, world } }: PlanResult): PlacementRef[] {
  const others = holds.filter((hold) => !isForeign(hold));
  const held = new Set(others.map(({ subject }) => `${subject.kind} ${placementKey(subject)}`));
  const deleted = new Set(world.admitted.deleted.map(({ key }) => key));
  return [...works].flatMap(([key, { placement }]) => {
    const moves = placement.spec.strategy.type === 'RollingUpdate' || deleted.has(key);
    return moves && held.has(`${placement.kind} ${key}`) ? [refOf(placement)] : [];
  });
}

/** Placements of update runs of holds that are not initialized: those take what the repo holds. */
export const waitingIn = (holds: readonly Hold[], last: PlanResult): PlacementRef[] =>
  heldRuns(holds, last)
    .filter(({ status }) => !isInitialized(status))
    .map(placementOfRun);

/** Update runs of holds, as the plan has them. */
function heldRuns(holds: readonly Hold[], { plan, contents }: PlanResult) {
  const held = new Set(holds.map(({ subject }) => sourceKey(subject.kind, subject)));
  const statuses = new Map(plan.runs.map((run) => [sourceKey(run.kind, run), run.status]));
  return contents.world.admitted.runs.flatMap((run) => {
    const key = sourceKey(run.kind, run.metadata);
    const status = statuses.get(key);
    return held.has(key) && status && !isOver(status) ? [{ ...run, status }] : [];
  });
}

/** What a run would change on the clusters that it has not reached. */
function changesAhead(run: StagedUpdateRun, { contents }: PlanResult): readonly ObjectChange[] {
  const { stagesStatus = [], deletionStageStatus } = run.status ?? {};
  const isAhead = (cluster: ClusterUpdatingStatus): boolean => !hasFinished(cluster) && !hasStarted(cluster);
  const isRemovedFrom = removedInPlan(run, contents);
  const leaving = deletionStageStatus?.clusters.filter(({ clusterName }) => isRemovedFrom(clusterName)) ?? [];
  const { changes, held } = stageEffect(contents, run, {
    updated: stagesStatus.flatMap(({ clusters }) => clusters.filter(isAhead)),
    removed: leaving.filter(isAhead),
  });
  return [...removalsOf(held), ...changes];
}
