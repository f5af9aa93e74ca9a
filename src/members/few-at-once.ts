import type { Clock } from './clock.ts';

/** Work of all members that begins a little at a time. */
export interface FewAtOnce {
  /** Begins `work` as soon as there is a place, in the order of asking; settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * So many of a fleet are worked on at once. One processor serves all of them: a thousand begun together end no sooner, and what
 * each has half done lies in memory until the last is through. No fewer, since answers of far members take their time.
 */
const most = 64;
/** Who takes longer waits for an answer, which takes no processor: a member that hangs must not hold up the others. Milliseconds. */
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

  /** Only while somebody waits: a small fleet needs no timer. */
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
              // Taken at once by whoever lets go, so that nobody who asks in between is served first.
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
