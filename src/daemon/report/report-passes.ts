import type { Problem } from '../../api/problem.ts';
import type { Clock } from '../../members/clock.ts';
import { newProblems } from '../../repo/fleet/positions.ts';
import type { FleetMembers } from '../members.ts';
import type { PassResult } from '../pass/pass-result.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { reportNodes } from './node-metrics.ts';
import { reportPlacements, successKeeper } from './placement-metrics.ts';
import { reportMembers, reportPlan } from './plan-metrics.ts';
import { reportUpgrades } from './upgrade-metrics.ts';

/**
 * Reports a pass: in metrics, in one line of the log, and in one line for each new problem. A refusal is logged once, since it
 * stays until someone acts and would otherwise repeat with every poll.
 */
export function passReporter(to: {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly members: FleetMembers;
  readonly pace: Clock;
  /** False if the caller reports the problems of passes. */
  readonly problems: boolean;
}): (pass: Pass) => void {
  let reported: readonly Problem[] = [];
  let refused = '';
  const succeeded = successKeeper(to.metrics);
  return (pass) => {
    const refusal = refusalOf(pass.result);
    reportPass(to, pass, refusal !== refused);
    refused = refusal;
    // What a refused plan shows is not in effect.
    if (pass.result.kind === 'published' || pass.result.kind === 'unchanged')
      succeeded(pass.result.plan, to.pace.now() / 1000);
    if (!to.problems || pass.result.kind === 'moved' || pass.result.kind === 'gathering') return;
    const { problems } = pass.result.plan;
    if (problems === reported) return;
    for (const { severity, code, file, line, column, message, fix } of newProblems(reported, problems))
      to.log[severity === 'error' ? 'error' : 'warn']({ code, file, line, column, fix }, message);
    reported = problems;
  };
}

interface Pass {
  readonly result: PassResult;
  readonly seconds: number;
  readonly reasons: readonly string[];
}

/** Empty if the plan is not refused. */
const refusalOf = (result: PassResult): string =>
  result.kind === 'refused' ? JSON.stringify([result.plan.commit, result.plan.guard]) : '';

/** `isNews`: the refusal differs from the one reported last. */
function reportPass(to: Parameters<typeof passReporter>[0], { result, seconds, reasons }: Pass, isNews: boolean): void {
  const { log, metrics } = to;
  metrics.count('gitfleet_reconcile_total', { result: result.kind });
  reportMembers(to.members, metrics);
  metrics.observe('gitfleet_reconcile_duration_seconds', seconds);
  metrics.set('gitfleet_last_success_timestamp_seconds', to.pace.now() / 1000);
  if (result.kind === 'moved') return;
  const { plan } = result;
  reportPlan(plan, metrics);
  reportPlacements(plan, metrics);
  reportUpgrades(result, to.members.observations(), metrics);
  reportNodes(plan, metrics);
  const line = { commit: plan.commit, planDigest: plan.digest, seconds: Number(seconds.toFixed(3)), reasons };
  // The first pass is always reported: the user who started the daemon waits for it.
  if (result.kind === 'unchanged') log[reasons.includes('start') ? 'info' : 'debug'](line, 'nothing to do');
  else if (result.kind === 'refused')
    log[isNews ? 'warn' : 'debug']({ ...line, guard: plan.guard }, 'refused by the guard');
  else if (result.kind === 'gathering') log.debug(line, 'gathering changes until the next push');
  else log.info(line, `published: ${result.subject}`);
}
