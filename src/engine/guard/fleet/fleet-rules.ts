import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { blastRadius } from './blast-radius.ts';
import { changesInFreeze } from './freeze-windows.ts';
import { removalsOfUnread } from './unreadable-files.ts';

/** What holds for the fleet as a whole: files that cannot be read, freeze windows, how much goes at once. */
export const fleetRules: RuleSet = (evidence: Evidence) => [
  ...removalsOfUnread(evidence),
  ...changesInFreeze(evidence),
  ...blastRadius(evidence),
];
