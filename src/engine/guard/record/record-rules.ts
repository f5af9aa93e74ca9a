import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { changedRecord } from './changed-record.ts';
import { missingRecovery } from './missing-recovery.ts';
import { unsupportedRecovery } from './unsupported-recovery.ts';

/**
 * The recovered record, which everything else is compared with: what could be read is in it unchanged, and what was rebuilt is
 * what members show (decision 32).
 */
export const recordRules: RuleSet = (evidence: Evidence) => [
  ...changedRecord(evidence),
  ...unsupportedRecovery(evidence),
  ...missingRecovery(evidence),
];
