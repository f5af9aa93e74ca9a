import type { Clock } from '../clock.ts';

/** A time limit for one exchange, combined with other reasons to abort it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the time limit, because something was received. */
  renew(ms: number): void;
  /** Ends the exchange for another reason than time. */
  abort(reason: Error): void;
  /** True if the time limit was reached; false if something else aborted it, or nothing did. */
  expired(): boolean;
  /** Stops the timer and removes the listeners. Must be called. */
  end(): void;
}

/**
 * A signal that is aborted after `ms` of the clock's time or by any of `by`. `end` removes the listeners, since the signal of a
 * member lives for months and would otherwise collect one for every request.
 */
export function deadline(input: {
  readonly clock: Clock;
  readonly ms: number;
  readonly by: readonly (AbortSignal | undefined)[];
}): Deadline {
  const abort = new AbortController();
  const others = input.by.filter((signal) => signal !== undefined);
  const follow = () => abort.abort(new Error(others.some(isTimeout) ? 'no response in time' : 'aborted'));
  let cancel = () => {};
  let expired = false;
  const renew = (ms: number) => {
    cancel();
    cancel = input.clock.after(ms, () => {
      expired ||= !abort.signal.aborted;
      abort.abort(new Error(`nothing received for ${Math.round(ms / 1000)} s`));
    });
  };
  for (const signal of others) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  renew(input.ms);
  return {
    signal: abort.signal,
    renew,
    abort: (reason) => abort.abort(reason),
    expired: () => expired,
    end() {
      cancel();
      for (const signal of others) signal.removeEventListener('abort', follow);
    },
  };
}

/** Of `AbortSignal.timeout`. */
const isTimeout = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

/** Settles as `promise`, or rejects with the signal's reason if that is earlier: a transport may ignore the signal. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const settled = () => signal.removeEventListener('abort', abort);
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error) => {
        settled();
        reject(error);
      },
    );
  });
}
