import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../../git/git-error.ts';
import type { Clock } from '../../members/clock.ts';
import type { FleetMembers } from '../members.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import { reportMembers } from '../report/plan-metrics.ts';

/** A pass that takes longer than this many intervals to come means that the daemon is stuck (argo-cd issue 20785). */
const stuckIntervals = 3;
/**
 * A git server that hangs is no reason to restart. Every request ends by itself within ten minutes, and a pass makes a few; a daemon
 * that waits for longer does not wait for the server.
 */
const longestGitMs = 30 * 60_000;
/** First wait after a pass that failed, milliseconds; doubles up to the interval. */
const firstRetryMs = 1_000;

/** How passes have gone of late. */
export interface PassHealth {
  succeeded(): void;
  failed(error: unknown, reasons: readonly string[]): void;
  /** Wait before the next pass after one that failed, milliseconds. */
  retryMs(): number;
  /** Why the daemon seems to be stuck; undefined while it is not. */
  stuck(): string | undefined;
  /** Why the last pass failed; undefined where it did not. */
  trouble(): string | undefined;
}

export function passHealth(input: {
  readonly pace: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly members: FleetMembers;
  /** Passes follow each other at least this often, milliseconds of pace. */
  readonly intervalMs: number;
  /** A request to a git server has not ended yet. */
  readonly waitsForGit?: () => boolean;
}): PassHealth {
  const { pace, log, metrics, members, intervalMs } = input;
  let lastPassMs = pace.now();
  let trouble: string | undefined = 'no pass has finished yet';
  let failures = 0;
  return {
    succeeded() {
      lastPassMs = pace.now();
      if (failures > 0) log.info({ failures }, 'passes succeed again');
      failures = 0;
      trouble = undefined;
    },
    failed(error, reasons) {
      failures++;
      metrics.count('gitfleet_reconcile_total', { result: 'failed' });
      reportMembers(members, metrics);
      const said = error instanceof GitError && error.remedy === 'person' ? 'waits for a person' : 'will try again';
      const message = `pass failed, ${said}: ${messageOf(error)}`;
      // A server that answers no, or not at all, ended the pass. A bug may be cured by a restart: that is not progress.
      if (error instanceof GitError) lastPassMs = pace.now();
      // Where in the program a server's answer came in tells nobody anything. Said once: the same sentence every interval hides everything else.
      const fields = error instanceof GitError ? { code: error.code, reasons } : { err: error, reasons };
      if (message === trouble) log.debug(fields, message);
      else log.error(fields, message);
      trouble = message;
    },
    retryMs: () => Math.min(firstRetryMs * 2 ** (failures - 1), intervalMs),
    stuck() {
      const silent = pace.now() - lastPassMs;
      const patience = Math.max(stuckIntervals * intervalMs, input.waitsForGit?.() ? longestGitMs : 0);
      return silent > patience ? `no pass has finished for ${Math.round(silent / 1000)} s` : undefined;
    },
    trouble: () => trouble,
  };
}
