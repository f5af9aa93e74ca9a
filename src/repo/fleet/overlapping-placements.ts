import type { ObjectRef } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { refsIn } from '../../engine/selection/listed-objects.ts';
import { describeRef, objectKey } from '../../engine/selection/object-key.ts';
import { recordPathOf } from '../record/path.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Objects that two placements would apply to the same clusters. An object belongs to one placement, so members refuse the second.
 * The daemon reports that after it happens; these warnings come before, at a placement that clusters do not have yet, else at the second
 * one by name. ReportDiff placements only
 * compare and do not count.
 */
export function overlappingPlacements(plan: Pick<Plan, 'placements' | 'record'>, fleet: Fleet): Problem[] {
  return overlaps(plan, fleet).flatMap(({ first, second, objects }): Problem[] => {
    const clusters = [...picked(second).intersection(picked(first))].sort();
    if (clusters.length === 0) return [];
    const why = `${describeRef(first)} also applies ${shortList(objects.map(describeRef))} to ${shortList(clusters)}: a cluster rejects the second placement`;
    const fix = 'select every object in one placement, or pick other clusters';
    return [fieldWarning(fleet, second, { code: 'contested-object', path: 'spec.resourceSelectors', why, fix })];
  });
}

interface Overlap {
  readonly first: PlannedPlacement;
  readonly second: PlannedPlacement;
  readonly objects: readonly ObjectRef[];
}

/** Pairs of placements that select the same objects, each with the one that has them first. */
function overlaps(plan: Pick<Plan, 'placements' | 'record'>, fleet: Fleet): Overlap[] {
  const selected = selections(plan);
  const comparing = new Set(
    fleet.placements.flatMap(({ metadata, spec }) =>
      spec.strategy.applyStrategy.type === 'ReportDiff' ? [placementKey(metadata)] : [],
    ),
  );
  const takers = new Map<string, PlannedPlacement[]>();
  const applying = plan.placements.filter((it) => !comparing.has(placementKey(it)));
  for (const placement of applying.toSorted((a, b) => Number(isApplied(b)) - Number(isApplied(a))))
    for (const key of selected.get(placement)?.keys() ?? []) takers.set(key, [...(takers.get(key) ?? []), placement]);
  const pairs = new Map<PlannedPlacement, Map<PlannedPlacement, ObjectRef[]>>();
  for (const [key, [first, ...others]] of takers)
    for (const second of others) {
      const of = pairs.get(second) ?? new Map<PlannedPlacement, ObjectRef[]>();
      pairs.set(second, of.set(first!, [...(of.get(first!) ?? []), selected.get(second)!.get(key)!]));
    }
  return [...pairs].flatMap(([second, by]) => [...by].map(([first, objects]) => ({ first, second, objects })));
}

const isApplied = ({ bindings }: PlannedPlacement): boolean =>
  bindings.some(({ conditions }) => conditionIs(conditions, 'Applied', 'True'));

const picked = ({ decisions }: PlannedPlacement): Set<string> =>
  new Set(decisions.flatMap(({ selected, clusterName }) => (selected ? [clusterName] : [])));

/** The objects that each placement applies now, by key; for an envelope its contents. */
function selections({
  placements,
  record,
}: Pick<Plan, 'placements' | 'record'>): ReadonlyMap<PlannedPlacement, ReadonlyMap<string, ObjectRef>> {
  const latest = new Map(
    placements.map((placement) => [
      `${placementKey(placement)}/snapshots/${placement.resourceSnapshotIndex}.yaml`,
      placement,
    ]),
  );
  const found = new Map<PlannedPlacement, ReadonlyMap<string, ObjectRef>>();
  for (const [path, document] of record) {
    if (document.kind !== 'manifests') continue;
    const { directory, name, rest } = recordPathOf(path) ?? {};
    const placement = directory === 'placements' ? latest.get(`${name}/${rest}`) : undefined;
    if (placement === undefined) continue;
    found.set(placement, new Map(refsIn(document.value).map((ref) => [objectKey(ref), ref])));
  }
  return found;
}
