import type { ClusterName, ObjectRef } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { sourceKey } from '../engine/input.ts';
import { by } from '../engine/kernel/ordering.ts';
import { objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import { isRunOf } from '../engine/update-run.ts';
import { answeredIn } from './answered.ts';
import type { HeldByCluster } from './held-objects.ts';
import type { Leaving } from './object-changes.ts';
import type { ForecastStep, InSteps } from './steps.ts';

/** An object that clusters have at both ends, and that is removed on the way and created anew: an eviction does that. */
export interface ReturningObject {
  readonly placement: PlacementRef;
  readonly object: ObjectRef;
  readonly clusters: readonly ClusterName[];
  /** Approvals without which it does not come back. */
  readonly approvals: readonly string[];
}

interface Removal {
  readonly placement: PlacementRef;
  readonly cluster: ClusterName;
  /** The first step that removes it, and the first one after it that brings it back. */
  readonly from: number;
  readonly to?: number;
}

/** Removals on the way with a change that are none on the way without it (`usual`). */
export function* returningObjects(
  { usual, steps }: Readonly<Record<'usual' | 'steps', readonly ForecastStep[]>>,
  { before, after, leaving }: Readonly<Record<'before' | 'after', HeldByCluster>> & { readonly leaving: Leaving },
): InSteps<readonly ReturningObject[]> {
  if (steps === usual) return [];
  const removals = removalsIn(steps);
  if (removals.size === 0) return [];
  yield;
  const known = removalsIn(usual);
  const groups = new Map<string, ReturningObject & { readonly clusters: ClusterName[] }>();
  for (const [key, { placement, cluster, from, to }] of removals) {
    if (known.has(key) || to === undefined || leaving.stays(placement, cluster)) continue;
    const approvals = approvalsBetween(steps, { placement, from, to });
    for (const [object, { placement: own, manifest, others = [] }] of before.get(cluster)?.objects ?? []) {
      const isRemoved = placementKey(own) === placementKey(placement) && others.length === 0;
      if (!isRemoved || !after.get(cluster)?.objects.has(object)) continue;
      if (leaving.taker(placement, { cluster, object }) ?? leaving.keeper(placement, { cluster, object })) continue;
      const id = JSON.stringify([placementKey(placement), object, approvals]);
      const group = groups.get(id) ?? { placement, object: refOfManifest(manifest), clusters: [], approvals };
      group.clusters.push(cluster);
      groups.set(id, group);
    }
  }
  return [...groups.values()]
    .map((group) => ({ ...group, clusters: group.clusters.sort() }))
    .sort(by(({ placement, object }) => `${placementKey(placement)} ${objectKey(object)}`));
}

/** Refused plans remove nothing. */
function removalsIn(steps: readonly ForecastStep[]): ReadonlyMap<string, Removal> {
  const removals = new Map<string, Removal>();
  for (const [at, { result }] of steps.entries()) {
    if (result.plan.guard.length > 0) continue;
    for (const { placement, clusterName: cluster, remove } of placementTargets(result.plan.targets)) {
      if (!remove && removals.size === 0) continue;
      const key = `${placementKey(placement)} ${cluster}`;
      const known = removals.get(key);
      if (remove && known === undefined) removals.set(key, { placement, cluster, from: at });
      else if (!remove && known && known.to === undefined) removals.set(key, { ...known, to: at });
    }
  }
  return removals;
}

/** Of update runs of the placement, given after one step and until another one. */
function approvalsBetween(
  steps: readonly ForecastStep[],
  { placement, from, to }: Pick<Removal, 'placement' | 'from'> & { readonly to: number },
): string[] {
  const { plan, contents } = steps[to]!.result;
  const own = new Set(
    contents.world.admitted.runs
      .filter((run) => isRunOf(run, placement))
      .map(({ kind, metadata }) => sourceKey(kind, metadata)),
  );
  const answeredAt = answeredIn(steps.slice(from, to + 1));
  return plan.approvals.flatMap(({ planned, subject, answer }) => {
    const isOwn = own.has(sourceKey(subject.kind, subject));
    return isOwn && answer === 'approved' && answeredAt(planned)! > steps[from]!.now ? [placementKey(planned)] : [];
  });
}
