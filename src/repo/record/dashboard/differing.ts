import type { Placement } from '../../../api/placement.ts';
import { toldDifferences } from '../../../engine/delivery/told-differences.ts';
import { isRepaired } from '../../../engine/delivery/told-repairs.ts';
import { onceFor } from '../../../engine/kernel/once-for.ts';
import { fewOf } from '../../../engine/kernel/some-of.ts';
import { markdownText } from '../../markdown-text.ts';
import { titleOf } from '../../title-of.ts';
import type { InForce } from '../in-force.ts';
import { recordedObjects } from '../recorded-objects.ts';
import { mostRows } from './rows.ts';

/** What clusters have otherwise than the repo, and nobody has put right: reported only, or undone again and again. */
export function differing({ record }: Pick<InForce, 'record'>): readonly string[] {
  const rows = [...recordedObjects('statuses', { record }).values()].flatMap(({ value }) => rowsOf(value));
  return rows.length > mostRows
    ? [...rows.slice(0, mostRows), `- … and ${rows.length - mostRows} more: \`gitfleet get drift\``]
    : rows;
}

/** A placement of which nothing changed is the value that was published before. */
const rowsOf = onceFor(({ metadata, status }: Placement): readonly string[] =>
  (status?.placementStatuses ?? []).flatMap(({ clusterName, driftedPlacements = [], diffedPlacements = [] }) => {
    const found = [
      ...driftedPlacements.map((it) => ({ it, details: it.observedDrifts, since: it.firstDriftedObservedTime })),
      ...diffedPlacements.map((it) => ({ it, details: it.observedDiffs, since: it.firstDiffedObservedTime })),
    ].flatMap(({ it, details = [], since }) => {
      const open = details.filter((detail) => !isRepaired(detail));
      return open.length === 0 ? [] : [{ told: toldDifferences(it, open), since }];
    });
    if (found.length === 0) return [];
    const since = found.flatMap((each) => each.since ?? []).sort()[0];
    const when = since === undefined ? '' : `, since ${since}`;
    const what = fewOf(found.map(({ told }) => told));
    return [
      `- **${markdownText(titleOf(metadata))}** on ${markdownText(clusterName ?? '')}${when}: ${markdownText(what)}`,
    ];
  }),
);
