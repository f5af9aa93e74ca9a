import type { Manifest } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import { type Fleet, sourceKey } from '../../engine/input.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { unpack } from '../../engine/selection/envelope.ts';
import { describeRef, keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import { recordPathOf } from '../record/path.ts';

/**
 * Objects that two placements bring to the same clusters: no object can be of two, so members refuse it to the one that comes
 * second. A daemon tells that once it has happened; whoever writes the files wants to know before. Warnings, at the second
 * placement by name. What is only compared takes nothing.
 */
export function contestedObjects(plan: Pick<Plan, 'placements' | 'record'>, { placements, sources }: Fleet): Problem[] {
  const selected = selections(plan);
  const comparing = new Set(
    placements.flatMap(({ metadata, spec }) =>
      spec.strategy.applyStrategy.type === 'ReportDiff' ? [placementKey(metadata)] : [],
    ),
  );
  const takers = new Map<string, PlannedPlacement[]>();
  for (const placement of plan.placements.filter((it) => !comparing.has(placementKey(it))))
    for (const key of (selected.get(placement) ?? new Map<string, Manifest>()).keys())
      takers.set(key, [...(takers.get(key) ?? []), placement]);
  const pairs = new Map<PlannedPlacement, Map<PlannedPlacement, string[]>>();
  for (const [key, [first, ...others]] of takers)
    for (const other of others) {
      const of = pairs.get(other) ?? new Map<PlannedPlacement, string[]>();
      pairs.set(other, of.set(first!, [...(of.get(first!) ?? []), key]));
    }
  return [...pairs].flatMap(([second, others]) =>
    [...others].flatMap(([first, keys]): Problem[] => {
      const clusters = [...picked(second).intersection(picked(first))].sort();
      if (clusters.length === 0) return [];
      const objects = keys.map((key) => describeRef(refOfManifest(selected.get(second)!.get(key)!)));
      return [
        {
          severity: 'warning',
          code: 'contested-object',
          ...sources?.get(sourceKey(second.kind, second)),
          path: 'spec.resourceSelectors',
          message: `${titled(second)}: ${titled(first)} brings ${fewOf(objects)} to ${fewOf(clusters)} as well: a cluster refuses it to the one that comes second`,
          fix: 'select every object in one placement, or pick other clusters',
        },
      ];
    }),
  );
}

const titled = ({ kind, name, namespace }: PlacementRef): string => describeRef({ kind, name, namespace });

const picked = ({ decisions }: PlannedPlacement): Set<string> =>
  new Set(decisions.flatMap(({ selected, clusterName }) => (selected ? [clusterName] : [])));

/** What each placement brings to clusters now, by key; of an envelope what it holds. */
function selections({
  placements,
  record,
}: Pick<Plan, 'placements' | 'record'>): ReadonlyMap<PlannedPlacement, ReadonlyMap<string, Manifest>> {
  const latest = new Map(
    placements.map((placement) => [
      `${placementKey(placement)}/snapshots/${placement.resourceSnapshotIndex}.yaml`,
      placement,
    ]),
  );
  const found = new Map<PlannedPlacement, ReadonlyMap<string, Manifest>>();
  for (const [path, document] of record) {
    if (document.kind !== 'manifests') continue;
    const { directory, name, rest } = recordPathOf(path) ?? {};
    const placement = directory === 'placements' ? latest.get(`${name}/${rest}`) : undefined;
    if (placement === undefined) continue;
    const applied = document.value.flatMap((manifest) => {
      const opened = unpack(manifest);
      return opened === undefined ? [manifest] : opened.ok ? opened.manifests : [];
    });
    found.set(placement, new Map(applied.map((manifest) => [keyOfManifest(manifest), manifest])));
  }
  return found;
}
