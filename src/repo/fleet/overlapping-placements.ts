import type { ObjectRef } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet } from '../../engine/input.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { refsIn } from '../../engine/selection/listed-objects.ts';
import { describeRef, objectKey } from '../../engine/selection/object-key.ts';
import { recordPathOf } from '../record/path.ts';
import { fieldWarning } from './field-warning.ts';

/**
 * Objects that two placements bring to the same clusters: no object can be of two, so members refuse it to the one that comes
 * second. A daemon tells that once it has happened; whoever writes the files wants to know before. Warnings, at the second
 * placement by name. What is only compared takes nothing.
 */
export function overlappingPlacements(plan: Pick<Plan, 'placements' | 'record'>, fleet: Fleet): Problem[] {
  return overlaps(plan, fleet).flatMap(({ first, second, objects }): Problem[] => {
    const clusters = [...picked(second).intersection(picked(first))].sort();
    if (clusters.length === 0) return [];
    const why = `${describeRef(first)} brings ${shortList(objects.map(describeRef))} to ${shortList(clusters)} as well: a cluster rejects the placement that comes second`;
    const fix = 'select every object in one placement, or pick other clusters';
    return [fieldWarning(fleet, second, { code: 'contested-object', path: 'spec.resourceSelectors', why, fix })];
  });
}

interface Overlap {
  readonly first: PlannedPlacement;
  readonly second: PlannedPlacement;
  readonly objects: readonly ObjectRef[];
}

/** Of the objects that several placements bring, wherever to: each placement but the first against the first. */
function overlaps(plan: Pick<Plan, 'placements' | 'record'>, fleet: Fleet): Overlap[] {
  const selected = selections(plan);
  const comparing = new Set(
    fleet.placements.flatMap(({ metadata, spec }) =>
      spec.strategy.applyStrategy.type === 'ReportDiff' ? [placementKey(metadata)] : [],
    ),
  );
  const takers = new Map<string, PlannedPlacement[]>();
  for (const placement of plan.placements.filter((it) => !comparing.has(placementKey(it))))
    for (const key of selected.get(placement)?.keys() ?? []) takers.set(key, [...(takers.get(key) ?? []), placement]);
  const pairs = new Map<PlannedPlacement, Map<PlannedPlacement, ObjectRef[]>>();
  for (const [key, [first, ...others]] of takers)
    for (const second of others) {
      const of = pairs.get(second) ?? new Map<PlannedPlacement, ObjectRef[]>();
      pairs.set(second, of.set(first!, [...(of.get(first!) ?? []), selected.get(second)!.get(key)!]));
    }
  return [...pairs].flatMap(([second, by]) => [...by].map(([first, objects]) => ({ first, second, objects })));
}

const picked = ({ decisions }: PlannedPlacement): Set<string> =>
  new Set(decisions.flatMap(({ selected, clusterName }) => (selected ? [clusterName] : [])));

/** What each placement brings to clusters now, by key; of an envelope what it holds. */
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
