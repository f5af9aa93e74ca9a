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
   * A pass, and when the members have come to rest others that record what came of it; as long as these let more begin, so
   * on. `published` when any of them changed the status branch.
   */
  runOnce(): Promise<PassResult>;
  /** A member changed: plan again. */
  wake(reason: string): void;
  /** The repo may have changed: ask where its branches are, and plan again. */
  look(reason: string): void;
  readonly stuck: () => string | undefined;
  readonly notReady: () => string | undefined;
  /** Starts nothing new; what is under way may end within the grace period. */
  stop(): void;
}

export interface DaemonInput {
  readonly reconciler: Reconciler;
  readonly members: FleetMembers;
  /** The fleet's time, in which the instants of plans are. */
  readonly clock: Clock;
  /** The time in which polls, pushes and people wait: real even where the fleet's time runs faster. */
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The repo is polled at least this often, milliseconds of pace. */
  readonly intervalMs: number;
  /** What is under way when the daemon is stopped may take this long to end, milliseconds of pace. */
  readonly graceMs: number;
  /** Forgets where the branches of the repo were. */
  readonly forgetRefs: () => void;
  /** A request to a git server has not ended yet. */
  readonly waitsForGit?: () => boolean;
  readonly passed?: (result: PassResult) => void;
}

/** Passes, one after the other, whenever something gives a reason to look and at least once an interval. */
export function daemon(input: DaemonInput): Daemon {
  const { reconciler, members, pace, log, intervalMs } = input;
  const waking: Wake = wake(input.clock, pace);
  const graceOver = new AbortController();
  const health = passHealth(input);
  let stopped = false;
  const tell = passReporter({ ...input, problems: input.passed === undefined });
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

  /** `began`: when the pass did, as `performance.now` told it. */
  function succeeded(result: PassResult, began: number, reasons: readonly string[]): void {
    health.succeeded();
    tell({ result, seconds: (performance.now() - began) / 1000, reasons });
    if (result.kind !== 'moved') input.passed?.(result);
  }

  /** When to look again without any hint. */
  function planNext(result: PassResult | undefined): void {
    if (result === undefined) {
      lookIn(health.retryMs() * (0.75 + Math.random() / 4), 'again after a failure');
      return;
    }
    if (result.kind === 'moved') {
      lookIn(Math.random() * 200, 'another writer was first');
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
      if (ended === 'cut short') log.warn('the grace period is over: something was still under way');
      return ended;
    },
    async runOnce() {
      const result = await untilRecorded({ members, pace }, async () => {
        const began = performance.now();
        const passed = await reconciler.pass();
        succeeded(passed, began, ['once']);
        return passed;
      });
      // Of several passes each may have had nothing to tell; whoever has started them waits for a word.
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

/** A race with one promise for the life of the daemon would keep what every pass came to, its whole plan, until the end. */
async function unlessCutShort<T>(work: Promise<T>, graceOver: AbortSignal): Promise<T | 'cut short'> {
  try {
    return await orAborted(work, graceOver);
  } catch (error) {
    if (graceOver.aborted) return 'cut short';
    throw error;
  }
}
