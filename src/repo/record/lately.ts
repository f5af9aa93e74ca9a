/** What was made of a text, for as long as it is asked for again. */
export interface Lately<T> {
  /** The value of a text; made when it is not known. */
  recall(text: string, make: () => T): T;
  /** A round is over: what was asked for neither in it nor in the one before is forgotten. */
  turn(): void;
}

/** A memory in rounds: a status branch is read whole each time, so what is left out of two readings is gone from it. */
export function lately<T>(): Lately<T> {
  let now = new Map<string, T>();
  let before = new Map<string, T>();
  return {
    recall(text, make) {
      if (now.has(text)) return now.get(text) as T;
      const value = before.has(text) ? (before.get(text) as T) : make();
      now.set(text, value);
      return value;
    },
    turn() {
      before = now;
      now = new Map();
    },
  };
}
