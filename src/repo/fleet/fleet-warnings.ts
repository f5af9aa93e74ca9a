import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../engine/input.ts';
import { memoize } from '../../engine/kernel/memoize.ts';
import { danglingReferences } from './dangling.ts';
import { idleSelectors } from './idle-selectors.ts';
import { lostVariables } from './lost-variables.ts';
import { misscopedSelectors } from './override-scopes.ts';
import { unknownProperties } from './unknown-properties.ts';

/**
 * What the files of a whole fleet name, select and fill in by mistake although each is valid by itself: warnings with the place
 * of the object; `placeProblems` looks up that of the field. Of a part of a fleet nothing can be said.
 */
export const fleetWarnings = (fleet: Fleet, record: FleetRecord): Problem[] => [
  ...danglingReferences(fleet, record),
  ...ofFiles(fleet),
];

/** The same for each commit, whatever became of it. */
const ofFiles = memoize((fleet: Fleet): readonly Problem[] => [
  ...lostVariables(fleet),
  ...idleSelectors(fleet),
  ...misscopedSelectors(fleet),
  ...unknownProperties(fleet),
]);
