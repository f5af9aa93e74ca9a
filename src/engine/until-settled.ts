/** What leaves frees a cluster that the scheduler fills anew, and that may let something else leave. */
export const mostRounds = 8;

/** Repeats a step until it leaves nothing to do, at least once and at most `mostRounds` times. */
export function untilSettled<Start, State extends Start>(
  first: Start,
  { step, isSettled }: { readonly step: (before: Start) => State; readonly isSettled: (state: State) => boolean },
): { readonly state: State; readonly settled: boolean } {
  let state = step(first);
  for (let round = 1; round < mostRounds && !isSettled(state); round++) state = step(state);
  return { state, settled: isSettled(state) };
}
