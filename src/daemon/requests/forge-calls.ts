import { ForgeError, type ForgeErrorCode } from '../../forge/forge.ts';
import type { Clock } from '../../members/clock.ts';

/** How the calls of a forge go. */
export interface ForgeCalls {
  /** When the open pull requests were listed; undefined: they must be. */
  readonly listedMs: number | undefined;
  readonly failures: number;
  readonly failing: { readonly sinceMs: number; readonly code: ForgeErrorCode; readonly why: string } | undefined;
  /** Nothing is asked before. */
  readonly notBeforeMs: number;
}

export const firstCalls: ForgeCalls = { listedMs: undefined, failures: 0, failing: undefined, notBeforeMs: 0 };

/** A call to make now, else when to look again; neither: nothing is to be done until something happens. */
export interface Due<Call> {
  readonly call?: Call;
  readonly atMs?: number;
}

export interface FailedCall<Call> {
  readonly kind: 'failed';
  readonly call: Call;
  readonly code: ForgeErrorCode;
  readonly why: string;
  readonly retryAfterMs: number | undefined;
}

/** Milliseconds. Without a webhook, what happens to a pull request is seen after this time. */
export const listEveryMs = 60_000;
/** Readers and forges get at most one edit of a text, or of a status, in this time. */
export const editEveryMs = 60_000;
/** What the forge does not accept, or cannot be read, is tried again after this time; others are not affected. */
export const refusedMs = 5 * 60_000;
const firstRetryMs = 2_000;
const longestRetryMs = 5 * 60_000;
/** A forge that is down for less is no problem. */
const toleratedMs = 60_000;
/** Of many deliveries of a webhook the next one, or the usual look, sees the rest. */
const lookEveryMs = 5_000;

/** `code`: of what is no error of the forge. */
export const failedCall = <Call>(
  call: Call,
  error: unknown,
  { code, why }: { readonly code: ForgeErrorCode; readonly why: string },
): FailedCall<Call> => ({
  kind: 'failed',
  call,
  code: error instanceof ForgeError ? error.code : code,
  why,
  retryAfterMs: error instanceof ForgeError ? error.retryAfterMs : undefined,
});

export const succeeded = <S extends ForgeCalls>(state: S): S => ({
  ...state,
  failures: 0,
  failing: undefined,
  notBeforeMs: 0,
});

/** The forge cannot be used: every failure waits longer. */
export function afterFailedCall<S extends ForgeCalls>(
  state: S,
  { code, why, retryAfterMs }: FailedCall<unknown>,
  nowMs: number,
): S {
  const failures = state.failures + 1;
  const waitMs = Math.max(retryAfterMs ?? 0, Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs));
  const failing = { sinceMs: state.failing?.sinceMs ?? nowMs, code, why };
  return { ...state, failures, failing, notBeforeMs: nowMs + waitMs };
}

/** Why the forge cannot be used, if that lasts or an operator must act. */
export function lastingTrouble({ failing }: ForgeCalls, nowMs: number): readonly string[] {
  if (failing === undefined) return [];
  const isTemporary = failing.code === 'unreachable' || failing.code === 'limited' || failing.code === 'exists';
  return isTemporary && nowMs - failing.sinceMs < toleratedMs ? [] : [failing.why];
}

/** The state in which the forge lists its pull requests again; unchanged soon after a list, and while calls fail. */
export const lookAgain = <S extends ForgeCalls>(state: S, nowMs: number): S =>
  state.failing === undefined && nowMs - (state.listedMs ?? 0) >= lookEveryMs
    ? { ...state, listedMs: undefined }
    : state;

export interface CallLoop {
  /** Looks what is to be done, unless a call is being made: that is followed by a look. */
  go(): void;
  /** Whether it looks again by itself. */
  isWaiting(): boolean;
  /** Forgets when to look again. */
  cancel(): void;
  stop(): void;
  isStopped(): boolean;
}

/** Makes one call after the other. `next`: undefined while nothing can be asked. */
export function callLoop<Call>(
  pace: Clock,
  next: () => Due<Call> | undefined,
  ask: (call: Call) => Promise<void>,
): CallLoop {
  let waiting: (() => void) | undefined;
  let running = false;
  let stopped = false;

  async function run(): Promise<void> {
    running = true;
    try {
      for (let due = next(); due !== undefined; due = stopped ? undefined : next()) {
        if (due.call === undefined) {
          if (due.atMs !== undefined) waiting = pace.after(Math.max(due.atMs - pace.now(), 0), go);
          return;
        }
        await ask(due.call);
      }
    } finally {
      running = false;
    }
  }

  function cancel(): void {
    waiting?.();
    waiting = undefined;
  }

  function go(): void {
    cancel();
    if (!running && !stopped) void run();
  }

  return {
    go,
    isWaiting: () => waiting !== undefined,
    cancel,
    stop() {
      stopped = true;
      cancel();
    },
    isStopped: () => stopped,
  };
}
