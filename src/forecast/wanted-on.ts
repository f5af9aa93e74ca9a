import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import { stayingOn } from '../engine/delivery/staying-bindings.ts';
import { compileOverrides, matchCompiled } from '../engine/overrides/match.ts';
import type { Rendered } from '../engine/overrides/render.ts';
import type { PlanResult } from '../engine/plan.ts';

/**
 * What clusters are to have of a placement by what the repo holds, whatever is rolled out; undefined where it leaves them. Empty: its
 * objects cannot be selected.
 */
export function wantedOn(
  { contents: { works, world } }: PlanResult,
  placement: PlacementRef,
): ReadonlyMap<ClusterName, Rendered | undefined> {
  const key = placementKey(placement);
  const work = works.get(key);
  const wanted = new Map<ClusterName, Rendered | undefined>();
  if (!work?.selection.ok) return wanted;
  const isDeleted = world.admitted.deleted.some((deleted) => deleted.key === key);
  const { manifests } = work.selection;
  const compiled = compileOverrides(placement, manifests, world.overrides);
  for (const [cluster, { state }] of stayingOn(work)) {
    const member = world.members.get(cluster);
    if (member === undefined) continue;
    const lists = matchCompiled(compiled, { name: cluster, labels: member.labels });
    const isLeft = state === 'Unscheduled' || isDeleted;
    wanted.set(cluster, isLeft ? undefined : world.render({ placement, manifests, lists, cluster }));
  }
  return wanted;
}

/** Nothing is applied under ReportDiff. What was applied before is removed where the placement leaves a cluster. */
export const isCompared = ({ contents: { works } }: PlanResult, placement: PlacementRef): boolean =>
  works.get(placementKey(placement))?.placement.spec.strategy.applyStrategy.type === 'ReportDiff';

/** Whether two plans want the same of a placement, on one cluster or on all. */
export function sameWanted(before: PlanResult, after: PlanResult) {
  const known = new Map<string, readonly ReadonlyMap<ClusterName, string>[]>();
  return (placement: PlacementRef, cluster?: ClusterName): boolean => {
    const key = placementKey(placement);
    const texts = known.get(key) ?? [before, after].map((result) => wantedTexts(result, placement));
    known.set(key, texts);
    const [was, is] = texts as [ReadonlyMap<ClusterName, string>, ReadonlyMap<ClusterName, string>];
    const clusters = cluster === undefined ? new Set([...was.keys(), ...is.keys()]) : [cluster];
    return [...clusters].every((on) => was.get(on) === is.get(on));
  };
}

function wantedTexts(result: PlanResult, placement: PlacementRef): ReadonlyMap<ClusterName, string> {
  const how = isCompared(result, placement) ? 'compared' : 'applied';
  return new Map(
    [...wantedOn(result, placement)].flatMap(([cluster, rendered]) =>
      rendered ? [[cluster, `${how} ${rendered.ok ? rendered.digest : rendered.message}`]] : [],
    ),
  );
}
