import { parseInstant } from '../engine/kernel/instant.ts';
import { orAborted } from '../members/api-server/deadline.ts';
import type { Clock } from '../members/clock.ts';
import type { FleetMembers } from './members.ts';
import { passHealth } from './pass/pass-health.ts';
import type { PassResult } from './pass/pass-result.ts';
import type { Reconciler } from './pass/reconciler.ts';
import { untilRecorded } from './record/until-recorded.ts';
import type { Logger } from './report/log.ts';
import type { Metrics } from './report/metrics.ts';
import { passReporter } from './report/report-passes.ts';
import { type Wake, wake } from './wake.ts';

export interface Daemon {
  /** Runs until stopped. `cut short`: something was still under way when the grace period was over. */
  run(): Promise<'finished' | 'cut short'>;
  /**
   * Runs a pass, and further ones while they start more, each when the members have settled, until the outcome is recorded.
   * `published` when any of them changed the status branch.
   */
  runOnce(): Promise<PassResult>;
  /** A member changed: run a pass. */
  wake(reason: string): void;
  /** The repo may have changed: read its branches, and run a pass. */
  look(reason: string): void;
  readonly stuck: () => string | undefined;
  readonly notReady: () => string | undefined;
  /** Starts nothing new; work in progress may finish within the grace period. */
  stop(): void;
}

export interface DaemonInput {
  readonly reconciler: Reconciler;
  readonly members: FleetMembers;
  /** The fleet's time, used in plans. */
  readonly clock: Clock;
  /** The time of polls and pushes: real even if the fleet's time runs faster. */
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The repo is polled at least this often, milliseconds of pace. */
  readonly intervalMs: number;
  /** Time for work in progress to finish after a stop, milliseconds of pace. */
  readonly graceMs: number;
  /** Drops the cached branches of the repo. */
  readonly forgetRefs: () => void;
  /** A request to a git server has not ended yet. */
  readonly waitsForGit?: () => boolean;
  readonly passed?: (result: PassResult) => void;
}

/** Runs passes in sequence, after each wake-up and at least once an interval. */
export function daemon(input: DaemonInput): Daemon {
  const { reconciler, members, pace, log, intervalMs } = input;
  const waking: Wake = wake(input.clock, pace);
  const graceOver = new AbortController();
  const health = passHealth(input);
  let stopped = false;
  const report = passReporter({ ...input, problems: input.passed === undefined });
  let cancelTimer = () => {};
  let cancelGrace = () => {};

  function look(reason: string, urgent = false): void {
    input.forgetRefs();
    waking.now(reason, urgent);
  }

  function lookIn(ms: number, reason: string): void {
    cancelTimer();
    cancelTimer = pace.after(ms, () => look(reason));
  }

  async function pass(reasons: readonly string[]): Promise<PassResult | undefined> {
    const began = performance.now();
    try {
      const result = await reconciler.pass();
      succeeded(result, began, reasons);
      return result;
    } catch (error) {
      health.failed(error, reasons);
      return undefined;
    }
  }

  /** `began`: start of the pass, as of `performance.now`. */
  function succeeded(result: PassResult, began: number, reasons: readonly string[]): void {
    health.succeeded();
    report({ result, seconds: (performance.now() - began) / 1000, reasons });
    if (result.kind !== 'moved') input.passed?.(result);
  }

  /** Schedules the next pass, in case nothing wakes it earlier. */
  function planNext(result: PassResult | undefined): void {
    if (result === undefined) {
      lookIn(health.retryMs() * (0.75 + Math.random() / 4), 'retry after a failure');
      return;
    }
    if (result.kind === 'moved') {
      lookIn(Math.random() * 200, 'another writer pushed first');
      return;
    }
    waking.at(result.plan.wakeAt === undefined ? undefined : parseInstant(result.plan.wakeAt));
    if (result.kind === 'gathering') lookIn(Math.max(result.pushAtMs - pace.now(), 0), 'time to push');
    else lookIn(intervalMs * (0.9 + Math.random() * 0.1), 'poll');
  }

  return {
    async run() {
      look('start', true);
      while (!stopped) {
        const reasons = await waking.next();
        if (stopped) break;
        const result = await unlessCutShort(pass(reasons), graceOver.signal);
        if (result === 'cut short') break;
        if (!stopped) planNext(result);
      }
      const ended = await unlessCutShort(
        members.finish().then(() => 'finished' as const),
        graceOver.signal,
      );
      cancelGrace();
      if (ended === 'cut short') log.warn('the grace period is over: work was still in progress');
      return ended;
    },
    async runOnce() {
      const result = await untilRecorded({ members, pace }, async () => {
        const began = performance.now();
        const passed = await reconciler.pass();
        succeeded(passed, began, ['once']);
        return passed;
      });
      // Each pass may have logged nothing, but the user who started the command waits for an outcome.
      if (result.kind === 'unchanged')
        log.info({ commit: result.plan.commit, planDigest: result.plan.digest }, 'nothing to do');
      return result;
    },
    wake: (reason) => waking.now(reason),
    look,
    stuck: health.stuck,
    notReady: health.trouble,
    stop() {
      if (stopped) return;
      stopped = true;
      cancelTimer();
      waking.stop();
      cancelGrace = pace.after(input.graceMs, () => graceOver.abort());
    },
  };
}

/** Not a race with one long-lived promise: that would keep the result of every pass, with its plan, in memory. */
async function unlessCutShort<T>(work: Promise<T>, graceOver: AbortSignal): Promise<T | 'cut short'> {
  try {
    return await orAborted(work, graceOver);
  } catch (error) {
    if (graceOver.aborted) return 'cut short';
    throw error;
  }
}
