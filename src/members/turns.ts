/** Lets what concerns one thing happen one after the other; different things do not wait for each other. */
export interface Turns {
  /** Runs `work` once everything that asked before for the same key is over, however that ended. */
  take<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, work) {
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
