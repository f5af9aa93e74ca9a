import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { changedRecord } from './changed-record.ts';
import { missingRecovery } from './missing-recovery.ts';
import { unsupportedRecovery } from './unsupported-recovery.ts';

/**
 * The recovered record, which everything else is compared with: it has the readable parts unchanged, and the rebuilt parts match
 * what members show.
 */
export const recordRules: RuleSet = (evidence: Evidence) => [
  ...changedRecord(evidence),
  ...unsupportedRecovery(evidence),
  ...missingRecovery(evidence),
];
