/** One holder's share of a common limit. */
export interface Share {
  /** Replaces the amount of this holder. May refuse a holder, also this one. */
  hold(amount: number): void;
  end(): void;
}

/**
 * A limit for all holders together. Beyond it the holder of the largest amount is refused, not the latest: one that takes much
 * must not affect the others. The refused holder must release everything; `refuse` is called once each time.
 */
export interface CommonLimit {
  open(refuse: () => void): Share;
}

export function commonLimit(most: number): CommonLimit {
  const held = new Map<symbol, { amount: number; readonly refuse: () => void }>();
  let total = 0;

  function refuseLargest(): void {
    let largest: { amount: number; readonly refuse: () => void } | undefined;
    for (const holder of held.values()) if (holder.amount > (largest?.amount ?? 0)) largest = holder;
    if (!largest) return;
    total -= largest.amount;
    largest.amount = 0;
    largest.refuse();
  }

  return {
    open(refuse) {
      const key = Symbol();
      const holder = { amount: 0, refuse };
      held.set(key, holder);
      return {
        hold(amount) {
          if (!held.has(key)) return;
          total += amount - holder.amount;
          holder.amount = amount;
          if (total > most) refuseLargest();
        },
        end() {
          if (held.delete(key)) total -= holder.amount;
        },
      };
    },
  };
}
