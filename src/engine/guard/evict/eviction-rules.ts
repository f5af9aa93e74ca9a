import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { brokenDisruptionBudgets } from './disruption-budget.ts';
import { unaskedEvictions } from './unasked-evictions.ts';

/** Evictions need a file, are carried out once, and keep the placement's disruption budget. */
export const evictionRules: RuleSet = (evidence: Evidence) => [
  ...unaskedEvictions(evidence),
  ...brokenDisruptionBudgets(evidence),
];
