import type { RemovalApproval } from '../api/gitfleet.ts';
import { placementKey } from '../api/placement.ts';
import type { Fleet, PlanInput } from '../engine/input.ts';
import { type PlanResult, planFleet } from '../engine/plan.ts';
import { memoOf } from '../engine/reuse/memo.ts';
import { addedPauses, withPausesOf } from './added-pauses.ts';
import { type Uncounted, uncountedIn } from './given-answers.ts';
import { removalDigests } from './steps.ts';

/**
 * Which answers of a change do not count, the RemovalApprovals that do, and the runs that read theirs later. `planned`: the first plan of
 * the change.
 */
export function judgedAnswers(
  answers: readonly string[],
  {
    base,
    next,
    now,
    planned,
  }: {
    readonly base: PlanInput;
    readonly next: Pick<PlanInput, 'fleet' | 'commit'>;
    readonly now: PlanResult;
    readonly planned: () => PlanResult;
  },
): {
  readonly halted: readonly string[];
  readonly uncounted: readonly Uncounted[];
  readonly given: readonly RemovalApproval[];
  /** No approval at all counts with the change, as its `fleet.yaml` is not valid. */
  readonly noneCounts: boolean;
} {
  const noneCounts = next.fleet.noApprovalCounts;
  if (answers.length === 0) return { halted: [], uncounted: [], given: [], noneCounts };
  const input = { ...base, ...next };
  const { halted, resumed } = haltedUpgrades(input, answers);
  const { fleet } = input;
  const planOf = (of: Fleet) => planFleet({ ...input, fleet: of }, memoOf(now.parts)).plan;
  const others = fleet.removalApprovals.filter(({ metadata }) => !answers.includes(placementKey(metadata)));
  const isRemoval = others.length < fleet.removalApprovals.length;
  const unanswered = { ...fleet, removalApprovals: others };
  const asking = isRemoval ? planOf(unanswered) : planned().plan;
  const pauses = isRemoval ? addedPauses(base.fleet, fleet, input.now) : [];
  const required = removalDigests(asking);
  // Where the merge removes something else already, that needs another approval.
  const isHeld = pauses.length > 0 && required.length === 0;
  const later = isHeld ? removalDigests(planOf(withPausesOf(unanswered, base.fleet))) : [];
  const uncounted = uncountedIn(halted.length === 0 ? planned().plan : planOf(resumed), {
    ...{ answers, fleet },
    asked: new Set([...(input.record.askedRemovals ?? []), ...removalDigests(now.plan)]),
    required: new Set(required),
    later: { digests: new Set(later), pauses },
  });
  const counted = new Set(answers).difference(new Set(uncounted.map(({ approval }) => approval)));
  const given = fleet.removalApprovals.filter(({ metadata }) => counted.has(placementKey(metadata)));
  return { halted, uncounted, given, noneCounts };
}

/**
 * Names of cluster update runs that are stopped or failed in a fleet, of those whose gates are answered: they read an answer once they
 * continue. `resumed`: the fleet in which they do.
 */
function haltedUpgrades({ fleet, record }: Pick<PlanInput, 'fleet' | 'record'>, answers: readonly string[]) {
  const answered = new Set(
    fleet.gates.flatMap(({ metadata, spec }) =>
      answers.includes(metadata.name) ? [spec.target.updateRunProperties.name] : [],
    ),
  );
  const halted = new Set<string>();
  const upgradeRuns = fleet.upgradeRuns.map((run) => {
    const { name } = run.metadata;
    const before = record.upgrades.get(name)?.status;
    const hasFailed = before?.status.state === 'Failed' && run.spec.attempt <= before.attempt;
    if (!answered.has(name) || before === undefined || !(run.spec.state === 'Stopped' || hasFailed)) return run;
    halted.add(name);
    const attempt = hasFailed ? before.attempt + 1 : run.spec.attempt;
    return { ...run, spec: { ...run.spec, state: 'Started' as const, attempt } };
  });
  return { halted: [...halted], resumed: halted.size === 0 ? fleet : { ...fleet, upgradeRuns } };
}
