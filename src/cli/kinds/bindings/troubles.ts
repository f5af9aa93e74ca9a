import type { Binding } from '../../../api/placement-state.ts';
import { describeRef } from '../../../engine/selection/object-key.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { failureText } from '../../../report/cause.ts';
import { isAllRepaired } from '../../../report/placements/new-differences.ts';
import { differenceLines } from '../../status/difference-lines.ts';

/** Snapshots of the overrides that change what this cluster gets. */
export const overridesOf = (binding: Binding): string[] => [
  ...(binding.clusterResourceOverrideSnapshots ?? []),
  ...(binding.resourceOverrideSnapshots ?? []).map(titleOf),
];

/** What fails, drifted or differs of a binding, one line each and the differences under it. */
export function troubles(binding: Binding): string[] {
  return [
    ...(binding.failedPlacements ?? []).map((failed) => `✗ ${failureText(failed)}`),
    ...(binding.driftedPlacements ?? []).flatMap((found) => [
      isAllRepaired(found.observedDrifts ?? [])
        ? `✓ ${describeRef(found)} drifted at ${found.firstDriftedObservedTime ?? 'an unknown time'} and was repaired`
        : `≠ ${describeRef(found)} drifted since ${found.firstDriftedObservedTime ?? 'an unknown time'}`,
      ...details({ drifted: found }),
    ]),
    ...(binding.diffedPlacements ?? []).flatMap((found) => [
      `≠ ${describeRef(found)} differs since ${found.firstDiffedObservedTime ?? 'an unknown time'}`,
      ...details({ diffed: found }),
    ]),
  ];
}

const details = (found: Parameters<typeof differenceLines>[0]): string[] =>
  differenceLines(found).map((line) => `    ${line}`);
