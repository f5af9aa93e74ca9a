import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { strategyOf } from '../engine/delivery/staying-bindings.ts';
import type { PlacementWork } from '../engine/placement-work.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlacementTarget } from '../engine/plan-document.ts';
import { placementTargets } from '../engine/target-kinds.ts';

/** Clusters on which a change only changes with what a placement is compared (ReportDiff), or that it is: nothing is applied. */
export interface OnlyCompared {
  readonly placement: PlacementRef;
  readonly clusters: readonly ClusterName[];
}

/** `before`, `after`: once everything has settled, without the change and with it. */
export function onlyCompared(before: PlanResult, after: PlanResult): readonly OnlyCompared[] {
  const now = comparedIn(after);
  if (now.size === 0) return [];
  const was = comparedIn(before);
  const changed = [...now].flatMap(([id, target]) => (was.get(id)?.digest === target.digest ? [] : [target]));
  return [...Map.groupBy(changed, ({ placement }) => placementKey(placement)).values()].map((targets) => ({
    placement: targets[0]!.placement,
    clusters: targets.map(({ clusterName }) => clusterName).sort(),
  }));
}

function comparedIn({ plan, contents: { works } }: PlanResult): ReadonlyMap<string, PlacementTarget> {
  const comparing = new Map([...works].filter(([, work]) => mayCompare(work)));
  const found = new Map<string, PlacementTarget>();
  for (const target of comparing.size === 0 ? [] : placementTargets(plan.targets)) {
    const key = placementKey(target.placement);
    const work = comparing.get(key);
    if (work && !target.remove && strategyOf(work, target.clusterName).type === 'ReportDiff')
      found.set(`${key} ${target.clusterName}`, target);
  }
  return found;
}

/** Most fleets have no such placement. */
const mayCompare = ({ placement: { spec }, bindings }: PlacementWork): boolean =>
  spec.strategy.applyStrategy.type === 'ReportDiff' ||
  (spec.strategy.type === 'External' && bindings.some(({ binding }) => binding.applyStrategy?.type === 'ReportDiff'));
