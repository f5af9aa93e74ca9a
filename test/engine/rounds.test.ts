import { describe, expect, it } from 'vitest';
import { markedForRemoval, type PlacementWork } from '../../src/engine/placement-work.ts';
import { inRounds, mostRounds, type Round } from '../../src/engine/rounds.ts';
import { bound, health, pickN, placementOf, workOf } from './rollout/world.ts';

const clusters = Array.from({ length: 20 }, (_, at) => `c${at}`);
const work = workOf(
  placementOf(pickN(20)),
  clusters.map((name) => bound(name, 0, health.ready)),
);
const first: Round<{ readonly works: readonly PlacementWork[] }> = { works: [work], moving: new Set([work]) };

/** Each round one more cluster is left, until so many are. */
function planned(leaving: number) {
  let rounds = 0;
  const result = inRounds(first, ({ works }) => {
    const left = Math.min(++rounds, leaving);
    const after = works.map((before) => ({
      ...before,
      bindings: before.bindings.map((step, at) => (at < left ? markedForRemoval(step.binding) : step)),
    }));
    return { works: after };
  });
  const left = result.works[0]!.bindings.filter(({ binding }) => binding.deleting).length;
  return { left, rounds, result };
}

describe('rounds of a plan', () => {
  it.each([
    ['nothing leaves', 0, 1],
    ['one cluster is left', 1, 2],
    ['as many are left as there are rounds but one', mostRounds - 1, mostRounds],
  ])('end when nothing more leaves: %s', (_, leaving, rounds) => {
    expect(planned(leaving)).toMatchObject({ left: leaving, rounds, result: { problems: [] } });
  });

  it('end after the last one although more would leave, with a problem that names the placements', () => {
    const { left, rounds, result } = planned(20);
    expect([left, rounds]).toEqual([mostRounds, mostRounds]);
    expect(result.problems).toMatchObject([
      { severity: 'warning', code: 'plan-not-settled', message: expect.stringContaining('still leave clusters: web.') },
    ]);
  });
});
