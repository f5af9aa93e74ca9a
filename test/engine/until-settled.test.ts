import { describe, expect, it } from 'vitest';
import { mostRounds, untilSettled } from '../../src/engine/until-settled.ts';

describe('a step that is repeated until it is settled', () => {
  const countTo = (last: number) =>
    untilSettled(0, { step: (count) => count + 1, isSettled: (count) => count >= last });

  it('is done at least once', () => {
    expect(countTo(0)).toEqual({ state: 1, settled: true });
  });

  it('is repeated while it leaves something to do', () => {
    expect(countTo(3)).toEqual({ state: 3, settled: true });
    expect(countTo(mostRounds)).toEqual({ state: mostRounds, settled: true });
  });

  it('is given up when it never settles, and that is told', () => {
    expect(countTo(Number.POSITIVE_INFINITY)).toEqual({ state: mostRounds, settled: false });
  });
});
