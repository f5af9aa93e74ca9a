import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shareDecisions } from '../../../../src/engine/placement/compiled/shared-decisions.ts';
import { surveyMembers } from '../../../../src/engine/placement/members.ts';
import { reasons } from '../../../../src/engine/placement/reasons.ts';
import { drawn } from '../../../support/law-runs.ts';
import { cluster } from '../worlds.ts';

const names = ['a', 'b', 'c'];
const members = surveyMembers({
  now: '2026-11-20T10:00:00Z',
  observations: undefined,
  fleet: { members: names.map((name) => cluster(name)) },
  record: { clusters: new Map() },
});

/** Scores that differ by one, next to one as far from them as there is. */
const farthest: [number, number, number, boolean][] = [0, 1].map((affinity) => [0, affinity, -(2 ** 31), false]);

describe('decisions that placements share', () => {
  it('are right for every cluster and score, whatever came before', () => {
    const score = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer());
    const asked = fc.array(fc.tuple(fc.nat(names.length - 1), score, score, fc.boolean()));
    fc.assert(
      fc.property(asked, (all) => {
        const { picked, outscored } = shareDecisions(members);
        for (const [row, affinityScore, topologySpreadScore, selected] of all) {
          const clusterName = names[row]!;
          const opening = selected ? reasons.pickedWith(clusterName) : reasons.outscoredBy(clusterName);
          expect((selected ? picked : outscored)(row, affinityScore, topologySpreadScore)).toEqual({
            clusterName,
            selected,
            clusterScore: { affinityScore, topologySpreadScore },
            reason: opening + reasons.scores(affinityScore, topologySpreadScore),
          });
        }
      }),
      { ...drawn(), examples: [[farthest]] },
    );
  });

  it('are the identical ones for the same cluster and score', () => {
    const { picked, outscored } = shareDecisions(members);
    const first = [picked(0, 1, 2), outscored(0, 1, 2), picked(1, 1, 2), picked(0, 2, 2)];
    expect(new Set(first).size).toBe(4);
    expect(picked(0, 1, 2)).toBe(first[0]);
    expect(outscored(0, 1, 2)).toBe(first[1]);
    expect(picked(0, 2, 2)).toBe(first[3]);
  });
});
