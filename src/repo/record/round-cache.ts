/** A cache of values made from texts, which keeps those in use. */
export interface RoundCache<T> {
  /** The value of a text, made if it is not cached. */
  get(text: string, make: () => T): T;
  /** Ends a round: drops values that neither this round nor the last one used. */
  endRound(): void;
}

/** A status branch is read completely each time, so a text missing from two readings is gone. */
export function roundCache<T>(): RoundCache<T> {
  let current = new Map<string, T>();
  let previous = new Map<string, T>();
  return {
    get(text, make) {
      if (current.has(text)) return current.get(text) as T;
      const value = previous.has(text) ? (previous.get(text) as T) : make();
      current.set(text, value);
      return value;
    },
    endRound() {
      previous = current;
      current = new Map();
    },
  };
}
