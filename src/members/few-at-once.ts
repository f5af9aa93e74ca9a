import type { Clock } from './clock.ts';

/** Limits how much work of all members runs at once. */
export interface FewAtOnce {
  /** Starts `work` when a place is free, in the order of calls; settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Number of tasks at once in the fleet. All share one processor, so a thousand at once finish no sooner, and their partial results
 * fill memory. Fewer would be slow, since distant members take long to respond.
 */
const most = 64;
/** A task releases its place after this time, milliseconds: it is waiting for a response, and must not block other members. */
const placeMs = 1_000;

export function fewAtOnce(clock: Clock): FewAtOnce {
  /** Since when each place is taken, the longest first. */
  const taken = new Map<symbol, number>();
  const waiting: (() => void)[] = [];
  let watched = false;

  function take(): symbol {
    const place = Symbol();
    taken.set(place, clock.now());
    return place;
  }

  function leave(place: symbol): void {
    if (!taken.delete(place)) return;
    waiting.shift()?.();
  }

  /** Runs only while tasks wait, so that a small fleet needs no timer. */
  function watch(): void {
    const [oldest] = taken.values();
    if (watched || waiting.length === 0 || oldest === undefined) return;
    watched = true;
    clock.after(Math.max(1, oldest + placeMs - clock.now()), () => {
      watched = false;
      const overdue = clock.now() - placeMs;
      for (const [place, since] of [...taken]) if (since <= overdue) leave(place);
      watch();
    });
  }

  return {
    async run(work) {
      const place =
        taken.size < most
          ? take()
          : await new Promise<symbol>((resolve) => {
              // The place passes directly to the next in the queue, so that no new call takes it first.
              waiting.push(() => resolve(take()));
              watch();
            });
      try {
        return await work();
      } finally {
        leave(place);
      }
    },
  };
}
