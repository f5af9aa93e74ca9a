import { expect, it } from 'vitest';
import type { Condition } from '../../../src/api/meta.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../../src/api/staged.ts';
import { overridesInUse } from '../../../src/engine/overrides/in-use.ts';
import { runOf } from '../staged/world.ts';

const is = (type: string, status: Condition['status']): Condition => ({ type, status, reason: type });
const run = (...conditions: Condition[]): StagedUpdateRun => ({
  ...runOf(),
  status: {
    conditions,
    stagesStatus: [
      {
        stageName: 'all',
        clusters: [
          {
            clusterName: 'a',
            clusterResourceOverrideSnapshots: ['all-0'],
            resourceOverrideSnapshots: [{ namespace: 'web', name: 'size-1' }],
          },
        ],
      },
    ],
  },
});

it('overrides that bindings and recorded snapshots name are in use', () => {
  const bindings: Binding[] = [{ targetCluster: 'a', state: 'Bound', clusterResourceOverrideSnapshots: ['all-2'] }];
  const used = overridesInUse([{ bindings, resourceSnapshots: [{ index: 0, overrides: ['web/size-3'] }] }], []);
  expect([...used]).toEqual(['all-2', 'web/size-3']);
});

it.each<[string, Condition[], string[]]>([
  ['is under way', [is('Initialized', 'True'), is('Progressing', 'True')], ['all-0', 'web/size-1']],
  ['is stopped', [is('Initialized', 'True'), is('Progressing', 'False')], ['all-0', 'web/size-1']],
  ['has succeeded', [is('Initialized', 'True'), is('Succeeded', 'True')], []],
  ['has failed', [is('Initialized', 'True'), is('Succeeded', 'False')], []],
])('a run that %s keeps what its clusters name, unless it is over', (_, conditions, expected) => {
  expect([...overridesInUse([], [run(...conditions)])]).toEqual(expected);
});
