import { describe, expect, it } from 'vitest';
import { picked } from '../../../support/plan-command.ts';
import { all, decide, fulfilled, outcome, pickN, short, where, zero } from './clusters.ts';

const eastProd = where({ region: 'east' }, 'env', 'In', 'prod');
const westNotProd = where({ region: 'west' }, 'env', 'NotIn', 'prod');
const centralProd = where({ region: 'central' }, 'env', 'In', 'prod');
const eastCanary = where({ region: 'east' }, 'env', 'In', 'canary');
const mixed = pickN(3, {
  required: [where({ env: 'prod' })],
  preferred: [[40, where({ region: 'east' })]],
  spread: [
    ['env', 'soft', 2],
    ['region', 'hard'],
  ],
});

describe('PickN over nine clusters', () => {
  it.each<[title: string, policy: object, expected: ReturnType<typeof outcome>]>([
    [
      'no wishes: the greatest names',
      pickN(3),
      { scheduled: fulfilled, picked: zero('c7 c6 c5'), outscored: zero('c4 c3 c2 c1'), filtered: all },
    ],
    [
      'more than there are',
      pickN(10),
      { scheduled: short, picked: zero('c7 c6 c5 c4 c3 c2 c1'), outscored: '', filtered: all },
    ],
    [
      'a required term',
      pickN(2, { required: [eastProd] }),
      { scheduled: fulfilled, picked: zero('c2 c1'), outscored: '', filtered: `c3 c4 c5 c6 c7 ${all}` },
    ],
    [
      'two required terms',
      pickN(4, { required: [eastProd, westNotProd] }),
      { scheduled: short, picked: zero('c7 c2 c1'), outscored: '', filtered: `c3 c4 c5 c6 ${all}` },
    ],
    [
      'a preferred term',
      pickN(4, { preferred: [[10, centralProd]] }),
      {
        scheduled: fulfilled,
        picked: 'c5 10/0, c4 10/0, c7 0/0, c6 0/0',
        outscored: zero('c3 c2 c1'),
        filtered: all,
      },
    ],
    [
      'two preferred terms',
      pickN(4, {
        preferred: [
          [10, centralProd],
          [20, eastCanary],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c3 20/0, c5 10/0, c4 10/0, c7 0/0',
        outscored: zero('c6 c2 c1'),
        filtered: all,
      },
    ],
    [
      'a hard spread: the region that has one is out',
      pickN(2, { spread: [['region', 'hard']] }),
      { scheduled: fulfilled, picked: 'c5 0/0, c7 0/-1', outscored: zero('c4 c3 c2 c1'), filtered: `c6 ${all}` },
    ],
    [
      'two hard spreads',
      pickN(2, {
        spread: [
          ['region', 'hard'],
          ['env', 'hard'],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/1, c7 0/-2',
        outscored: 'c4 0/1, c2 0/1, c1 0/1',
        filtered: `c3 c6 ${all}`,
      },
    ],
    [
      'a soft spread',
      pickN(2, { spread: [['region', 'soft']] }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/0, c7 0/-1',
        outscored: 'c4 0/0, c3 0/0, c2 0/0, c1 0/0, c6 0/-1000',
        filtered: all,
      },
    ],
    [
      'two soft spreads',
      pickN(2, {
        spread: [
          ['region', 'soft'],
          ['env', 'soft'],
        ],
      }),
      {
        scheduled: fulfilled,
        picked: 'c5 0/1, c7 0/-2',
        outscored: 'c4 0/1, c2 0/1, c1 0/1, c6 0/-999, c3 0/-1000',
        filtered: all,
      },
    ],
    [
      'a required term and a hard spread',
      pickN(2, {
        required: [{ labelSelector: { matchExpressions: [{ key: 'region', operator: 'NotIn', values: ['west'] }] } }],
        spread: [['region', 'hard']],
      }),
      { scheduled: fulfilled, picked: 'c3 0/0, c5 0/-1', outscored: zero('c2 c1'), filtered: `c4 c6 c7 ${all}` },
    ],
    [
      'a preferred term and a soft spread',
      pickN(6, { preferred: [[30, where({ region: 'east' })]], spread: [['env', 'soft']] }),
      {
        scheduled: fulfilled,
        picked: 'c2 30/1, c7 0/1, c3 30/-1, c1 30/-1, c6 0/-1, c5 0/-1000',
        outscored: 'c4 0/-1000',
        filtered: all,
      },
    ],
    [
      'all of them',
      mixed,
      {
        scheduled: fulfilled,
        picked: 'c6 0/-1, c2 40/-2, c5 0/-999',
        outscored: 'c4 0/-999',
        filtered: `c1 c3 c7 ${all}`,
      },
    ],
  ])('%s', async (_, policy, expected) => {
    expect(outcome(await decide(policy))).toEqual(expected);
  });

  it('scaling up adds, scaling down removes the smallest names', async () => {
    const one = await decide(pickN(1));
    expect(picked(one.placement())).toEqual(['c7 0/0']);
    const three = await decide(pickN(3), { recorded: one.recorded });
    expect(outcome(three)).toEqual({
      scheduled: fulfilled,
      picked: zero('c7 c6 c5'),
      outscored: zero('c4 c3 c2 c1'),
      filtered: all,
    });
    const again = await decide(pickN(1), { recorded: three.recorded });
    expect(picked(again.placement())).toEqual(['c7 0/0']);
  });

  it('a new policy picks again, one cluster a cycle', async () => {
    const before = await decide(mixed);
    const after = await decide(
      pickN(3, { preferred: [[50, where({ region: 'central' })]], spread: [['env', 'soft', 2]] }),
      { recorded: before.recorded },
    );
    expect(outcome(after)).toEqual({
      scheduled: fulfilled,
      picked: 'c7 0/1, c5 50/-1, c4 50/-1',
      outscored: 'c6 0/-1, c3 0/-1, c2 0/-1, c1 0/-1',
      filtered: all,
    });
  });
});
