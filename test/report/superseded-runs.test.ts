import { expect, it } from 'vitest';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { supersededRuns } from '../../src/report/sections/halted.ts';

const run = (name: string, succeeded?: 'True' | 'False', minute = 0, placementName = 'web') =>
  ({
    kind: 'ClusterStagedUpdateRun',
    metadata: { name },
    spec: { placementName, stagedRolloutStrategyName: 's' },
    status: {
      conditions:
        succeeded === undefined
          ? []
          : [
              {
                type: 'Succeeded',
                status: succeeded,
                reason: 'R',
                lastTransitionTime: `2026-11-20T10:0${minute}:00Z`,
              },
            ],
    },
  }) as unknown as StagedUpdateRun;

it.each([
  ['a failed run stays listed while no other succeeded since', [run('a', 'True', 1), run('b', 'False', 2)], ['a']],
  [
    'a later failure does not list what was replaced',
    [run('a', 'False', 1), run('b', 'True', 2), run('c', 'False', 3)],
    ['a', 'b'],
  ],
  ['one that succeeded later replaces it', [run('a', 'False', 1), run('b', 'True', 2)], ['a', 'b']],
  ['one in progress does not replace it yet', [run('a', 'False', 1), run('b')], []],
  ['nor does one of another placement', [run('a', 'False', 1), run('b', 'True', 2, 'pay')], ['b']],
])('%s', (_, runs, expected) => {
  expect([...supersededRuns(runs)]).toEqual(expected);
});
