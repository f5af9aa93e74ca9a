import type { AllowedRemoval, GuardFinding, PlanSection } from '../plan-document.ts';
import { evictionRules } from './evict/eviction-rules.ts';
import { type GuardRequest, gatherEvidence, type RuleSet } from './evidence/evidence.ts';
import { allowedRemoval } from './fleet/blast-radius.ts';
import { fleetRules } from './fleet/fleet-rules.ts';
import { nodeRules } from './nodes/node-rules.ts';
import { placementRules } from './placement/placement-rules.ts';
import { recordRules } from './record/record-rules.ts';
import { stagedRules } from './staged/staged-rules.ts';
import { upgradeRules } from './upgrade/upgrade-rules.ts';

/** One row for each domain, in the order in which its findings are listed. */
const ruleSets: { readonly [Domain in PlanSection | 'record' | 'fleet']: RuleSet } = {
  record: recordRules,
  placements: placementRules,
  runs: stagedRules,
  evictions: evictionRules,
  upgrades: upgradeRules,
  nodes: nodeRules,
  fleet: fleetRules,
};

/**
 * Checks a plan independently and reports what must not happen. Shares no decision with the planner: a rule that both took from the
 * same line would not be a check. Both use `kernel/`, whose answers others have defined and tested: calendars and cron
 * (a table of cases of upstream), time zones, label selectors, JSON patches. What a window, a budget or an override means is written twice.
 * Non-empty = the plan is refused. Findings with a `removalDigest` pass once a RemovalApproval of that digest is on main; the others never
 * do. `removal`: what such an approval allows, or would allow.
 */
export function guard(request: GuardRequest): {
  readonly findings: readonly GuardFinding[];
  readonly removal: AllowedRemoval | undefined;
} {
  const evidence = gatherEvidence(request);
  return {
    findings: Object.values(ruleSets).flatMap((findings) => findings(evidence)),
    removal: allowedRemoval(evidence),
  };
}
