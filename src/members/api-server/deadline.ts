import type { Clock } from '../clock.ts';

/** The time one exchange may take, and whoever else may end it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Begins the time anew: something was heard. */
  renew(ms: number): void;
  /** Whether the time ran out, as opposed to: somebody else ended it, or nobody did. */
  expired(): boolean;
  /** Lets go of the timer and of the signals that were listened to. Must be called. */
  end(): void;
}

/**
 * A signal that is aborted after `ms` of the clock's time or by any of `by`. Listeners are taken off again, since a member
 * lives for months and its signal would gather one for every request.
 */
export function deadline(input: {
  readonly clock: Clock;
  readonly ms: number;
  readonly by: readonly (AbortSignal | undefined)[];
}): Deadline {
  const abort = new AbortController();
  const others = input.by.filter((signal) => signal !== undefined);
  const follow = () => abort.abort(new Error('given up'));
  let cancel = () => {};
  let expired = false;
  const renew = (ms: number) => {
    cancel();
    cancel = input.clock.after(ms, () => {
      expired ||= !abort.signal.aborted;
      abort.abort(new Error(`nothing heard for ${Math.round(ms / 1000)} s`));
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
    expired: () => expired,
    end() {
      cancel();
      for (const signal of others) signal.removeEventListener('abort', follow);
    },
  };
}

/** What `promise` comes to, or the signal's reason, whichever is first: a transport need not honour the signal while it is silent. */
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
