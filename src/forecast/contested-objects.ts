import type { Manifest, ObjectRef, PlacementKey } from '../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import { appliedIn } from '../engine/bindings/applied-snapshot.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { strategyOf } from '../engine/delivery/staying-bindings.ts';
import { nextContents } from '../engine/delivery/wanted-objects.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import { memoize, memoizePair } from '../engine/kernel/memoize.ts';
import { by } from '../engine/kernel/ordering.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';
import type { PlacementWork } from '../engine/placement-work.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlacementTarget, Plan } from '../engine/plan-document.ts';
import { apiVersionOf } from '../engine/selection/group-version.ts';
import { listedObjects, refsIn } from '../engine/selection/listed-objects.ts';
import { describeRef, objectKey } from '../engine/selection/object-key.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import { titleOf } from '../repo/title-of.ts';

/** An object that a placement is to apply on a cluster and another one has there: the cluster refuses it (FailedToTakeOver). */
export interface Contested {
  readonly target: PlacementTarget;
  readonly object: ObjectRef;
  readonly holder: PlacementRef;
}

/** By the targets of a plan. Where no placement has an object yet, the first one by name gets it. */
export const contestedIn = ({ plan, contents }: Pick<PlanResult, 'plan' | 'contents'>): readonly Contested[] =>
  contestedBy(plan, contents);

const contestedBy = memoizePair((plan: Plan, contents: PlanContents): readonly Contested[] => {
  const shared = sharedObjects(contents.staying);
  if (shared.size === 0) return [];
  const wanting = new Map<string, { readonly object: ObjectRef; readonly targets: PlacementTarget[] }>();
  for (const target of placementTargets(plan.targets)) {
    const key = placementKey(target.placement);
    const work = shared.has(key) ? contents.works.get(key) : undefined;
    if (!work || target.remove) continue;
    for (const object of target.objects) {
      if (!shared.get(key)!.has(objectKey(object))) continue;
      const id = `${target.clusterName} ${objectKey(object)}`;
      const known = wanting.get(id);
      if (known) known.targets.push(target);
      else wanting.set(id, { object, targets: [target] });
    }
  }
  return [...wanting.values()].flatMap(({ object, targets }) => {
    const rivals = targets.toSorted(by(({ placement }) => placementKey(placement)));
    // One that only compares keeps what it has applied before, and applies nothing.
    const claiming = rivals.filter((target) => !onlyCompares(target, contents));
    const holder = rivals.find((target) => hasApplied(target, object, contents)) ?? claiming[0];
    return claiming.flatMap((target) => (target === holder ? [] : [{ target, object, holder: holder!.placement }]));
  });
});

function onlyCompares({ placement, clusterName }: PlacementTarget, { works }: PlanContents): boolean {
  const work = works.get(placementKey(placement));
  return work !== undefined && strategyOf(work, clusterName).type === 'ReportDiff';
}

/** Objects that several placements list or select, by placement. Nearly always there are none. */
export function sharedObjects(works: readonly PlacementWork[]): ReadonlyMap<PlacementKey, ReadonlySet<string>> {
  const first = new Map<string, PlacementKey>();
  const shared = new Map<PlacementKey, Set<string>>();
  const add = (placement: PlacementKey, object: string): void => {
    shared.set(placement, (shared.get(placement) ?? new Set()).add(object));
  };
  for (const work of works) {
    const placement = placementKey(refOf(work.placement));
    for (const object of objectsOf(work)) {
      const other = first.get(object);
      if (other === undefined) first.set(object, placement);
      else for (const key of [other, placement]) add(key, object);
    }
  }
  return shared;
}

const objectsOf = memoize(
  (work: PlacementWork): ReadonlySet<string> => listedObjects(work.contents).keys.union(nextKeys(nextContents(work))),
);

const nextKeys = memoize((manifests: readonly Manifest[]) => new Set(refsIn(manifests).map(objectKey)));

/** By the record: the cluster has applied a snapshot of the placement with the object, and not refused this one. */
function hasApplied(target: PlacementTarget, object: ObjectRef, { world }: PlanContents): boolean {
  const recorded = world.record.placements.get(placementKey(target.placement));
  const binding = recorded?.state.bindings.find((of) => of.targetCluster === target.clusterName && !of.deleting);
  if (!recorded || !binding || isRefused(binding, object)) return false;
  const isGiven = (findCondition(binding.conditions, 'Applied')?.status ?? 'Unknown') !== 'Unknown';
  const index = appliedIn(binding) ?? (isGiven ? binding.resourceSnapshotIndex : undefined);
  const contents = index === undefined ? undefined : recorded.snapshots.get(index);
  return contents !== undefined && nextKeys(contents).has(objectKey(object));
}

const isRefused = ({ failedPlacements = [] }: Binding, object: ObjectRef): boolean =>
  failedPlacements.some(
    ({ group = '', version, kind, namespace, name, condition }) =>
      condition.type === 'Applied' &&
      objectKey({ apiVersion: apiVersionOf(group, version), kind, namespace, name }) === objectKey(object),
  );

/** `Deployment web/web is already placed by web: two placements may not share an object` */
export function contestedText(contested: readonly Pick<Contested, 'object' | 'holder'>[]): string {
  const objects = listUpTo([...new Set(contested.map(({ object }) => describeRef(object)))].sort(), 3);
  const holders = listUpTo([...new Set(contested.map(({ holder }) => titleOf(holder)))].sort(), 3);
  const are = contested.length === 1 ? 'is' : 'are';
  return `${objects} ${are} already placed by ${holders}: two placements may not share an object`;
}
