import { messageOf } from '../../api/message-of.ts';
import { GitError } from '../../git/git-error.ts';
import type { Clock } from '../../members/clock.ts';
import type { FleetMembers } from '../members.ts';
import type { Logger } from '../report/log.ts';
import type { Metrics } from '../report/metrics.ts';
import { reportMembers } from '../report/plan-metrics.ts';

/** Intervals without a finished pass after which the daemon counts as stuck (argo-cd issue 20785). */
const stuckIntervals = 3;
/**
 * A git server that hangs is no reason to restart. Every request ends within ten minutes, and a pass makes a few. A daemon that waits
 * longer does not wait for the server.
 */
const longestGitMs = 30 * 60_000;
/** First wait after a pass that failed, milliseconds; doubles up to the interval. */
const firstRetryMs = 1_000;

/** Results of recent passes. */
export interface PassHealth {
  succeeded(): void;
  failed(error: unknown, reasons: readonly string[]): void;
  /** Wait before the next pass after one that failed, milliseconds. */
  retryMs(): number;
  /** Why the daemon seems to be stuck; undefined if it is not. */
  stuck(): string | undefined;
  /** Why the last pass failed; undefined if it succeeded. */
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
  let trouble: string | undefined = 'no reconciliation has finished yet';
  let failures = 0;
  return {
    succeeded() {
      lastPassMs = pace.now();
      if (failures > 0) log.info({ failures }, 'reconciliation succeeds again');
      failures = 0;
      trouble = undefined;
    },
    failed(error, reasons) {
      failures++;
      metrics.count('gitfleet_reconcile_total', { result: 'failed' });
      reportMembers(members, metrics);
      const next = error instanceof GitError && error.remedy === 'user' ? 'needs user action' : 'will retry';
      const message = `reconciliation failed, ${next}: ${messageOf(error)}`;
      // A git error ends a pass but counts as progress. A bug does not: a restart may help.
      if (error instanceof GitError) lastPassMs = pace.now();
      // A stack trace does not help with a git error. Logged as error once: repeats at every interval would hide everything else.
      const fields = error instanceof GitError ? { code: error.code, reasons } : { err: error, reasons };
      if (message === trouble) log.debug(fields, message);
      else log.error(fields, message);
      trouble = message;
    },
    retryMs: () => Math.min(firstRetryMs * 2 ** (failures - 1), intervalMs),
    stuck() {
      const silent = pace.now() - lastPassMs;
      const patience = Math.max(stuckIntervals * intervalMs, input.waitsForGit?.() ? longestGitMs : 0);
      return silent > patience ? `no reconciliation has finished for ${Math.round(silent / 1000)} s` : undefined;
    },
    trouble: () => trouble,
  };
}
