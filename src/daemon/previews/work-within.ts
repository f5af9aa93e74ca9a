import type { InSteps } from '../../forecast/steps.ts';

export interface Spending {
  /** Milliseconds of computing that were spent before. */
  readonly spentMs: number;
  readonly mostMs: number;
  /** Lets everything else happen, at least for so many milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Milliseconds since any instant. */
  readonly stopwatch: () => number;
}

/** Does work with a pause after each step that is as long as the step. Without a value where it takes longer than `mostMs`. */
export async function workWithin<T>(
  work: InSteps<T>,
  { spentMs: before, mostMs, pause, stopwatch }: Spending,
): Promise<{ readonly done: { readonly value: T } | undefined; readonly spentMs: number }> {
  let spentMs = before;
  while (spentMs <= mostMs) {
    const began = stopwatch();
    const { done, value } = work.next();
    const tookMs = stopwatch() - began;
    spentMs += tookMs;
    if (done) return { done: { value }, spentMs };
    await pause(tookMs);
  }
  return { done: undefined, spentMs };
}
