import type { Binding } from '../../../api/placement-state.ts';
import { describeRef } from '../../../engine/selection/object-key.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { failureText } from '../../../report/cause.ts';
import { isAllRepaired } from '../../../report/placements/new-differences.ts';
import { differenceLines } from '../../status/difference-lines.ts';

/** Snapshots of the overrides in effect on the binding's cluster. */
export const overridesOf = (binding: Binding): string[] => [
  ...(binding.clusterResourceOverrideSnapshots ?? []),
  ...(binding.resourceOverrideSnapshots ?? []).map(titleOf),
];

/** None of its objects fails or differs now: what drifted was repaired. */
export const isAsDesired = ({ failedPlacements, driftedPlacements, diffedPlacements }: Binding): boolean =>
  !failedPlacements?.length &&
  !diffedPlacements?.length &&
  (driftedPlacements ?? []).every(({ observedDrifts }) => isAllRepaired(observedDrifts ?? []));

/** Objects of a binding that fail, drifted or differ, one line each, with the differences below. */
export function objectIssues(binding: Binding): string[] {
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
