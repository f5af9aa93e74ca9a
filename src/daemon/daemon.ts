import { parseInstant } from '../engine/kernel/instant.ts';
import type { Plan } from '../engine/plan-document.ts';
import type { Clock } from '../members/clock.ts';
import type { Logger } from './log.ts';
import type { FleetMembers } from './members.ts';
import type { Metrics } from './metrics.ts';
import type { PassResult, Reconciler } from './reconciler.ts';
import { type Wake, wake } from './wake.ts';

/** A pass that takes longer than this many intervals to come means that the daemon is stuck (argo-cd issue 20785). */
const stuckIntervals = 3;
/** First wait after a pass that failed; doubles up to a minute. */
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export interface Daemon {
  /** Runs until stopped. */
  run(): Promise<void>;
  /** One pass, again while others interfere; then waits for the members to come to rest. */
  runOnce(): Promise<PassResult>;
  wake(reason: string): void;
  readonly stuck: () => string | undefined;
  readonly notReady: () => string | undefined;
  stop(): void;
}

export interface DaemonInput {
  readonly reconciler: Reconciler;
  readonly members: FleetMembers;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The repo is polled at least this often, milliseconds of real time. */
  readonly intervalMs: number;
  readonly passed?: (result: PassResult) => void;
}

/** Passes, one after the other, whenever something gives a reason to look and at least once an interval. */
export function daemon(input: DaemonInput): Daemon {
  const { reconciler, log, metrics, intervalMs } = input;
  const waking: Wake = wake(input.clock);
  let lastPass = Date.now();
  let succeeded = false;
  let stopped = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function wakeIn(ms: number, reason: string): void {
    clearTimeout(timer);
    timer = setTimeout(() => waking.now(reason), ms);
  }

  async function pass(reasons: readonly string[]): Promise<PassResult | undefined> {
    const began = performance.now();
    try {
      const result = await reconciler.pass();
      failures = 0;
      lastPass = Date.now();
      report(result, (performance.now() - began) / 1000, reasons);
      return result;
    } catch (error) {
      failures++;
      metrics.count('gitfleet_reconcile_total', { result: 'failed' });
      log.error({ err: error, reasons }, `pass failed: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  function report(result: PassResult, seconds: number, reasons: readonly string[]): void {
    metrics.count('gitfleet_reconcile_total', { result: result.kind });
    metrics.observe('gitfleet_reconcile_duration_seconds', seconds);
    metrics.set('gitfleet_last_success_timestamp_seconds', Date.now() / 1000);
    if (result.kind === 'moved') return;
    succeeded = true;
    const { plan } = result;
    gauges(plan, metrics);
    metrics.set('gitfleet_member_requests_total', input.members.requests());
    const line = { commit: plan.commit, planDigest: plan.digest, seconds: Number(seconds.toFixed(3)), reasons };
    if (result.kind === 'unchanged') log.debug(line, 'nothing to do');
    else if (result.kind === 'refused') log.warn({ ...line, guard: plan.guard }, 'refused by the guard');
    else log.info(line, result.kind === 'published' ? 'plan published' : 'gathering changes until the next push');
    input.passed?.(result);
  }

  /** When to look again without any hint. */
  function planNext(result: PassResult | undefined): void {
    if (result === undefined) {
      const wait = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
      wakeIn(wait * (0.75 + Math.random() / 2), 'again after a failure');
      return;
    }
    if (result.kind === 'moved') {
      wakeIn(Math.random() * 200, 'another writer was first');
      return;
    }
    waking.at(result.plan.wakeAt === undefined ? undefined : parseInstant(result.plan.wakeAt));
    if (result.kind === 'gathering') wakeIn(Math.max(result.pushAtMs - Date.now(), 0), 'time to push');
    else wakeIn(intervalMs * (0.9 + Math.random() * 0.2), 'poll');
  }

  return {
    async run() {
      waking.now('start', true);
      while (!stopped) {
        const reasons = await waking.next();
        if (stopped) break;
        planNext(await pass(reasons));
      }
    },
    async runOnce() {
      for (let attempt = 1; ; attempt++) {
        const result = await reconciler.pass();
        lastPass = Date.now();
        report(result, 0, ['once']);
        if (result.kind === 'published' || result.kind === 'unchanged') await input.members.settled(30_000);
        if (result.kind === 'gathering')
          await new Promise((resolve) => setTimeout(resolve, Math.max(result.pushAtMs - Date.now(), 0)));
        else if (result.kind !== 'moved') return result;
        if (attempt >= 10)
          throw new Error('the status branch kept moving: another daemon is publishing to it all the time');
      }
    },
    wake: (reason) => waking.now(reason),
    stuck() {
      const silent = Date.now() - lastPass;
      return silent > stuckIntervals * intervalMs
        ? `no pass has finished for ${Math.round(silent / 1000)} s`
        : undefined;
    },
    notReady: () => (succeeded ? undefined : 'no pass has succeeded yet'),
    stop() {
      stopped = true;
      clearTimeout(timer);
      waking.stop();
      input.members.stop();
    },
  };
}

function gauges(plan: Plan, metrics: Metrics): void {
  const count = (items: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
    return counts;
  };
  const moves = count(plan.placements.flatMap(({ bindings }) => bindings.map(({ move }) => move)));
  for (const action of ['add', 'update', 'remove', 'wait', 'keep'])
    metrics.set('gitfleet_plan_changes', moves.get(action) ?? 0, { action });
  for (const [reason, value] of count(plan.holds.map(({ reason }) => reason)))
    metrics.set('gitfleet_plan_holds', value, { reason });
  const problems = count(plan.problems.map(({ severity }) => severity));
  for (const severity of ['error', 'warning', 'info'])
    metrics.set('gitfleet_problems', problems.get(severity) ?? 0, { severity });
}
