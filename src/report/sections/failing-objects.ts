import { type PerClusterPlacementStatus, type Placement, placementKey } from '../../api/placement.ts';
import { reportedDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { isRepaired } from '../../engine/bindings/conditions/reported-repairs.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import { recordedObjects } from '../../repo/record/recorded-objects.ts';
import { titleOf } from '../../repo/title-of.ts';
import { failureText } from '../cause.ts';
import { isBeingRemoved } from '../tally.ts';
import { type Item, list, type Section, type SectionInput, type SectionSource } from './section.ts';

/** What differs from the repo on clusters and is not repaired: only reported, or reverted after each repair. */
export const differing: SectionSource = (input) => sectionOf('Differs from the repo', input, differingItems);

/** Objects that were applied and that their clusters do not report as available, with the reported causes. */
export const notAvailable: SectionSource = (input) => sectionOf('Not available', input, notAvailableItems);

function sectionOf(
  title: string,
  { inEffect }: SectionInput,
  itemsOf: (placement: Placement) => readonly Item[],
): Section {
  // The status of a removed placement stays as it was until its objects are gone.
  const isRemoved = ({ bindings }: PlannedPlacement): boolean => bindings.length > 0 && bindings.every(isBeingRemoved);
  const staying = new Set<string>(inEffect.placements.filter((it) => !isRemoved(it)).map(placementKey));
  const items = [...recordedObjects('statuses', inEffect)].flatMap(([key, { value }]) =>
    staying.has(key) ? itemsOf(value) : [],
  );
  return list(title, items, { folder: 'placements', attention: items.filter(({ needsUser }) => needsUser).length });
}

/** An object that is not as desired, and since when. */
interface Found {
  readonly text: string;
  readonly since: string | undefined;
  readonly needsUser?: boolean;
}

const differingItems = itemsWith(({ driftedPlacements = [], diffedPlacements = [] }) =>
  [
    ...driftedPlacements.map((it) => ({ it, details: it.observedDrifts, since: it.firstDriftedObservedTime })),
    ...diffedPlacements.map((it) => ({ it, details: it.observedDiffs, since: it.firstDiffedObservedTime })),
  ].flatMap(({ it, details = [], since }) => {
    const open = details.filter((detail) => !isRepaired(detail));
    return open.length === 0 ? [] : [{ text: reportedDifferences(it, open), since }];
  }),
);

/** Of pods that get ready only with another manifest, image or credentials. A scheduler may find room later. */
const stuckReasons = [
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CrashLoopBackOff',
] as const;

/** What could not be applied is among the problems. */
const notAvailableItems = itemsWith(({ failedPlacements = [] }) =>
  failedPlacements
    .filter(({ condition }) => condition.type === 'Available')
    .map((failed) => ({
      text: failureText(failed),
      since: failed.condition.lastTransitionTime,
      needsUser: stuckReasons.some((reason) => failed.condition.message?.includes(reason)),
    })),
);

/** One row for clusters with the same. A placement of which nothing changed is the value that was published before. */
function itemsWith(
  find: (status: PerClusterPlacementStatus) => readonly Found[],
): (placement: Placement) => readonly Item[] {
  return memoize((placement: Placement) => {
    const failing = failingClusters(placement).flatMap((of) => {
      const found = find(of);
      const since = found.flatMap((each) => each.since ?? []);
      return found.length === 0
        ? []
        : [
            {
              cluster: of.clusterName ?? '',
              since,
              what: shortList(found.map(({ text }) => text)),
              needsUser: found.some(({ needsUser = false }) => needsUser),
            },
          ];
    });
    return [...Map.groupBy(failing, ({ what }) => what)].map(([what, rows]) => {
      const first = rows.flatMap(({ since }) => since).sort()[0];
      const names = shortList(rows.map(({ cluster }) => cluster));
      const where = rows.length === 1 ? names : `${rows.length} clusters (${names})`;
      const when = first === undefined ? '' : `, since ${first}`;
      return {
        line: [{ bold: titleOf(placement.metadata) }, ` on ${where}${when}: ${what}`],
        needsUser: rows.some(({ needsUser }) => needsUser),
      };
    });
  });
}

/** Clusters that may have rows: of a hundred thousand nearly none. */
const failingClusters = memoize(({ status }: Placement) =>
  (status?.placementStatuses ?? []).filter(
    ({ failedPlacements, driftedPlacements, diffedPlacements }) =>
      failedPlacements !== undefined || driftedPlacements !== undefined || diffedPlacements !== undefined,
  ),
);
