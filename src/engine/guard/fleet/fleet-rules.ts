import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { blastRadius } from './blast-radius.ts';
import { changesInFreeze } from './freeze-windows.ts';
import { removalsOfUnread } from './unreadable-files.ts';

/** Rules for the fleet as a whole: unreadable files, freeze windows, how much is removed at once. */
export const fleetRules: RuleSet = (evidence: Evidence) => [
  ...removalsOfUnread(evidence),
  ...changesInFreeze(evidence),
  ...blastRadius(evidence),
];
