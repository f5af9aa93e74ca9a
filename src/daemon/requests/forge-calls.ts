import { ForgeError, type ForgeErrorCode } from '../../forge/forge.ts';
import type { Clock } from '../../members/clock.ts';

/** How the calls of a forge go. */
export interface ForgeCalls {
  /** When the open pull requests were listed; undefined: they must be. */
  readonly listedMs: number | undefined;
  /** Of calls that are to be made again, by what they are for. Each waits for itself: that others succeed says nothing of it. */
  readonly failures: ReadonlyMap<string, Failure>;
  /** Nothing is asked before, as the forge said. */
  readonly notBeforeMs: number;
}

export interface Failure {
  /** Of the first one. Milliseconds, as `untilMs`. */
  readonly sinceMs: number;
  /** In a row. */
  readonly times: number;
  /** It is not tried again before. */
  readonly untilMs: number;
  readonly code: ForgeErrorCode;
  readonly why: string;
}

/** The name of lists among the failures. Nothing else is asked before one succeeds. */
export const listing = 'list';

export const firstCalls: ForgeCalls = { listedMs: undefined, failures: new Map(), notBeforeMs: 0 };

/** A call that is to be made, and from when on. Milliseconds; 0: now. */
export interface Need<Call> {
  readonly call: Call;
  readonly atMs: number;
}

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

export const succeeded = <S extends ForgeCalls>(state: S, name: string): S => onlyFailures(state, (it) => it !== name);

export const onlyFailures = <S extends ForgeCalls>(state: S, isKept: (name: string) => boolean): S => ({
  ...state,
  failures: new Map([...state.failures].filter(([name]) => isKept(name))),
});

/**
 * Every failure of the same waits longer. `waitMs`: after so many. What the forge says when to ask again holds for all. A list shows
 * whether the forge is down, so that not every call waits for it.
 */
export function afterFailedCall<S extends ForgeCalls>(
  state: S,
  { name, code, why, retryAfterMs = 0 }: Omit<FailedCall<unknown>, 'kind' | 'call'> & { readonly name: string },
  { nowMs, waitMs = backOffMs }: { readonly nowMs: number; readonly waitMs?: (times: number) => number },
): S {
  const { sinceMs = nowMs, times: before = 0 } = state.failures.get(name) ?? {};
  const times = before + 1;
  const untilMs = nowMs + Math.max(retryAfterMs, waitMs(times));
  const failures = new Map(state.failures).set(name, { sinceMs, times, untilMs, code, why });
  const isOld = code === 'unreachable' && nowMs - (state.listedMs ?? 0) >= lookEveryMs;
  const listedMs = isOld || name === listing ? undefined : state.listedMs;
  return { ...state, listedMs, failures, notBeforeMs: Math.max(state.notBeforeMs, nowMs + retryAfterMs) };
}

const backOffMs = (times: number): number => Math.min(firstRetryMs * 2 ** (times - 1), longestRetryMs);

/** Before that time it is not tried again; 0 without a failure. */
export const retryMs = ({ failures }: ForgeCalls, name: string): number => failures.get(name)?.untilMs ?? 0;

/** Whether the forge cannot be used, as far as is known. */
export const isDown = ({ failures, notBeforeMs }: ForgeCalls, nowMs: number): boolean =>
  failures.has(listing) || nowMs < notBeforeMs;

/** It lasts, or an operator must act. */
export const isTrouble = ({ code, sinceMs }: Failure, nowMs: number): boolean =>
  !(code === 'unreachable' || code === 'limited' || code === 'exists') || nowMs - sinceMs >= toleratedMs;

/** The state in which the forge lists its pull requests again; unchanged soon after a list, and while calls fail. */
export const lookAgain = <S extends ForgeCalls>(state: S, nowMs: number): S =>
  !state.failures.has(listing) && nowMs - (state.listedMs ?? 0) >= lookEveryMs
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
