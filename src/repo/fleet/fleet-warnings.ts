import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { danglingReferences } from './dangling.ts';
import { idleApprovals } from './idle-approvals.ts';
import { idleSelectors } from './idle-selectors.ts';
import { lostVariables } from './lost-variables.ts';
import { misscopedSelectors } from './override-scopes.ts';
import { unknownProperties } from './unknown-properties.ts';
import { unknownSkips } from './unknown-skips.ts';
import { unlistedVersions } from './unlisted-versions.ts';
import { upgradeGroupWarnings } from './upgrade-groups.ts';
import { withoutNameless } from './without-nameless.ts';

/**
 * Problems with names, selectors and variables that only the whole fleet can show, with the position of the object;
 * `placeProblems` adds that of the field. Do not call it with a part of a fleet.
 */
export function fleetWarnings(loaded: Fleet, record: FleetRecord): Problem[] {
  const fleet = withoutNameless(loaded);
  return [
    ...danglingReferences(fleet, record),
    ...unknownSkips(fleet, record),
    ...unlistedVersions(fleet, record),
    ...idleApprovals(fleet, record),
    ...ofFiles(fleet),
  ];
}

/** A changed fleet with its warnings, without those that it had before. `before`: with its warnings, as it was planned. */
export function withAddedWarnings(next: Fleet, before: Fleet, record: FleetRecord): Fleet {
  const idOf = ({ code, file, message }: Problem): string => JSON.stringify([code, file, message]);
  const known = new Set(before.problems.map(idOf));
  const added = fleetWarnings(next, record).filter((warning) => !known.has(idOf(warning)));
  return { ...next, problems: [...next.problems, ...added] };
}

/** Depends only on the commit. */
const ofFiles = memoize((fleet: Fleet): readonly Problem[] => [
  ...lostVariables(fleet),
  ...idleSelectors(fleet),
  ...misscopedSelectors(fleet),
  ...unknownProperties(fleet),
  ...upgradeGroupWarnings(fleet),
]);
