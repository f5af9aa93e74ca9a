/** A queue per key: work for one key runs in sequence, work for different keys in parallel. */
export interface KeyedQueue {
  /** Runs `work` after all earlier work for the key has settled. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function keyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    async run(key, work) {
      const before = last.get(key);
      const mine = before === undefined ? work() : before.then(work, work);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
  };
}
