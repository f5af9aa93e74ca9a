import type { PerClusterPlacementStatus, Placement } from '../../api/placement.ts';
import { toldDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { isRepaired } from '../../engine/bindings/conditions/reported-repairs.ts';
import { onceFor } from '../../engine/kernel/once-for.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { markdownText } from '../../repo/markdown-text.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import type { InForce } from '../in-force.ts';
import { mostRows } from './rows.ts';

/** What clusters have otherwise than the repo, and nobody has put right: reported only, or undone again and again. */
export const differing = (plan: Pick<InForce, 'record'>): readonly string[] => rowsFrom(plan, differingRows);

/** Objects that were applied and that their clusters do not call available, with what they say of it. */
export const notAvailable = (plan: Pick<InForce, 'record'>): readonly string[] => rowsFrom(plan, notAvailableRows);

function rowsFrom(
  { record }: Pick<InForce, 'record'>,
  rowsOf: (placement: Placement) => readonly string[],
): readonly string[] {
  const rows = [...recordedObjects('statuses', { record }).values()].flatMap(({ value }) => rowsOf(value));
  return rows.length > mostRows
    ? [...rows.slice(0, mostRows), `- … and ${rows.length - mostRows} more under [placements](placements)`]
    : rows;
}

/** An object that is not as it is to be: what there is to say of it, and since when. */
interface Found {
  readonly told: string;
  readonly since: string | undefined;
}

const differingRows = rowsWith(({ driftedPlacements = [], diffedPlacements = [] }) =>
  [
    ...driftedPlacements.map((it) => ({ it, details: it.observedDrifts, since: it.firstDriftedObservedTime })),
    ...diffedPlacements.map((it) => ({ it, details: it.observedDiffs, since: it.firstDiffedObservedTime })),
  ].flatMap(({ it, details = [], since }) => {
    const open = details.filter((detail) => !isRepaired(detail));
    return open.length === 0 ? [] : [{ told: toldDifferences(it, open), since }];
  }),
);

/** What could not be applied is among the problems. */
const notAvailableRows = rowsWith(({ failedPlacements = [] }) =>
  failedPlacements.flatMap(({ condition, ...it }) =>
    condition.type === 'Available'
      ? [{ told: `${describeRef(it)}: ${condition.message || condition.reason}`, since: condition.lastTransitionTime }]
      : [],
  ),
);

/** One row for each cluster. A placement of which nothing changed is the value that was published before. */
function rowsWith(
  find: (status: PerClusterPlacementStatus) => readonly Found[],
): (placement: Placement) => readonly string[] {
  return onceFor((placement: Placement) =>
    clustersAmiss(placement).flatMap((of) => {
      const found = find(of);
      if (found.length === 0) return [];
      const since = found.flatMap((each) => each.since ?? []).sort()[0];
      const when = since === undefined ? '' : `, since ${since}`;
      const what = fewOf(found.map(({ told }) => told));
      return [
        `- **${markdownText(titleOf(placement.metadata))}** on ${markdownText(of.clusterName ?? '')}${when}: ${markdownText(what)}`,
      ];
    }),
  );
}

/** Those of which there may be anything to say: of a hundred thousand nearly none. */
const clustersAmiss = onceFor(({ status }: Placement) =>
  (status?.placementStatuses ?? []).filter(
    ({ failedPlacements, driftedPlacements, diffedPlacements }) =>
      failedPlacements !== undefined || driftedPlacements !== undefined || diffedPlacements !== undefined,
  ),
);
