import type { Evidence, RuleSet } from '../evidence/evidence.ts';
import { duplicateTargets } from './duplicate-targets.ts';
import { unsupportedRemovals } from './removal-evidence.ts';
import { brokenRolloutBudgets } from './rollout-budget.ts';
import { olderSnapshots } from './snapshot-order.ts';
import { unfinishedRemovals } from './unfinished-removals.ts';

/** Targets, removals, versions and budgets of placements. */
export const placementRules: RuleSet = (evidence: Evidence) => [
  ...duplicateTargets(evidence.plan),
  ...unsupportedRemovals(evidence),
  ...unfinishedRemovals(evidence),
  ...olderSnapshots(evidence),
  ...brokenRolloutBudgets(evidence),
];
