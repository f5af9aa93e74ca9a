/** Values made of texts, for as long as those are asked for. */
export interface RoundCache<T> {
  /** The value of a text; made when it is not known. */
  get(text: string, make: () => T): T;
  /** Ends a round: what was asked for neither in it nor in the one before is forgotten. */
  endRound(): void;
}

/** A status branch is read whole each time, so a text that two readings left out is gone from it. */
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
