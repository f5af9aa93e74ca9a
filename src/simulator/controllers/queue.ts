import type { SimClock } from '../clock.ts';

/** The work queue of controllers. Work with one name is queued once. */
export interface Queue {
  /** Soon, together with everything else that is due then. */
  soon(name: string, run: () => void): void;
  /** After `ms` of simulated time; a repeated call for the same name moves it. */
  after(ms: number, name: string, run: () => void): void;
  /** The same, but keeps a wait of that name that is already set. */
  once(ms: number, name: string, run: () => void): void;
  cancel(name: string): void;
  stop(): void;
}

/** An idle queue holds no timer. */
export function openQueue(clock: SimClock, reactionMs: number): Queue {
  const soon = new Map<string, () => void>();
  const later = new Map<string, () => void>();
  let cancelTick: (() => void) | undefined;
  let stopped = false;

  function tick(): void {
    cancelTick = undefined;
    const due = [...soon.values()];
    soon.clear();
    for (const run of due) run();
  }

  function after(ms: number, name: string, run: () => void): void {
    if (stopped) return;
    later.get(name)?.();
    later.set(
      name,
      clock.after(ms, () => {
        later.delete(name);
        run();
      }),
    );
  }

  return {
    soon(name, run) {
      if (stopped) return;
      soon.set(name, run);
      cancelTick ??= clock.after(reactionMs, tick);
    },
    after,
    once(ms, name, run) {
      if (!later.has(name)) after(ms, name, run);
    },
    cancel(name) {
      later.get(name)?.();
      later.delete(name);
      soon.delete(name);
    },
    stop() {
      stopped = true;
      cancelTick?.();
      for (const cancel of later.values()) cancel();
      soon.clear();
      later.clear();
    },
  };
}
