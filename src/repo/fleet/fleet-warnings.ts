import { placementKey } from '../../api/placement.ts';
import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { danglingReferences } from './dangling.ts';
import { idleApprovals, unreviewedApprovals } from './idle-approvals.ts';
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

/**
 * A changed fleet with its warnings, and errors of approvals for gates that are to come, without those that it had before. `before`: with
 * its warnings, as it was planned.
 */
export function withAddedWarnings(next: Fleet, before: Fleet, record: FleetRecord): Fleet {
  const idOf = ({ code, file, message }: Problem): string => JSON.stringify([code, file, message]);
  const known = new Set([...before.problems, ...unreviewedAhead(before, record)].map(idOf));
  const all = [...fleetWarnings(next, record), ...unreviewedAhead(next, record)];
  return { ...next, problems: [...next.problems, ...all.filter((problem) => !known.has(idOf(problem)))] };
}

/** A plan reports them once their gate is reached. */
function unreviewedAhead(fleet: Fleet, record: FleetRecord): Problem[] {
  const isAhead = ({ metadata }: Fleet['approvals'][number] | Fleet['gates'][number]): boolean =>
    !record.approvals.has(placementKey(metadata));
  return unreviewedApprovals(
    { ...fleet, approvals: fleet.approvals.filter(isAhead), gates: fleet.gates.filter(isAhead) },
    record,
  );
}

/** Depends only on the commit. */
const ofFiles = memoize((fleet: Fleet): readonly Problem[] => [
  ...lostVariables(fleet),
  ...idleSelectors(fleet),
  ...misscopedSelectors(fleet),
  ...unknownProperties(fleet),
  ...upgradeGroupWarnings(fleet),
]);
