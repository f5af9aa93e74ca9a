import { expect, it } from 'vitest';
import type { PlacementState } from '../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { soFar } from '../../src/report/approval/so-far.ts';

const at = '2026-11-20T10:00:00Z';
const is = (type: string, status: 'True' | 'False') => ({
  type,
  status,
  reason: '',
  message: '',
  lastTransitionTime: at,
});
const cluster = (clusterName: string, ...conditions: object[]) => ({ clusterName, conditions });

const run = {
  metadata: { name: 'web-1' },
  spec: { placementName: 'web' },
  status: {
    stagesStatus: [
      {
        stageName: 'dev',
        clusters: [
          cluster('a', is('Started', 'True'), is('Succeeded', 'True')),
          cluster('b', is('Started', 'True'), is('Succeeded', 'True')),
          cluster('c', is('Succeeded', 'False')),
        ],
      },
      { stageName: 'prod', clusters: [cluster('d')] },
    ],
  },
} as unknown as StagedUpdateRun;

const binding = (targetCluster: string, available: 'True' | 'False', more: object = {}) => ({
  targetCluster,
  conditions: ['Overridden', 'WorkSynchronized', 'Applied']
    .map((type) => is(type, 'True'))
    .concat(is('Available', available)),
  ...more,
});

type RestartsOn = Parameters<typeof soFar>[2]['restartsOn'];

const said = (...bindings: object[]): string[] => texts({ bindings }, () => undefined);

const texts = (state: object, restarts: RestartsOn, of = run): string[] =>
  soFar(of, state as PlacementState, { restartsOn: restarts, isMember: () => true }).map(({ line }) =>
    line.map((part) => (typeof part === 'string' ? part : Object.values(part).join(''))).join(''),
  );

const web = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'web', name: 'web' };
const begin = 'dev: 2 of 3 clusters updated and available (a, b); failed: c';

it.each<[string, object[], string]>([
  ['all is well', [binding('a', 'True'), binding('b', 'True'), binding('d', 'False')], '; no drift'],
  ['nothing is known of them', [], ''],
  [
    'one has become unavailable',
    [
      binding('a', 'True'),
      binding('b', 'False', {
        failedPlacements: [
          { ...web, condition: { ...is('Available', 'False'), reason: 'NotAvailable', message: '1 of 2' } },
        ],
      }),
    ],
    '; ⚠️ no longer available: b (Deployment web/web: NotAvailable: 1 of 2); no drift',
  ],
  [
    'someone changed an object there',
    [
      binding('a', 'True', {
        driftedPlacements: [{ ...web, observedDrifts: [{ path: '/spec/replicas', manager: 'kubectl' }] }],
      }),
    ],
    '; drift: Deployment web/web (/spec/replicas by kubectl) on a',
  ],
])('who decides reads how the clusters are now: %s', (_, bindings, end) => {
  expect(said(...bindings)).toEqual([begin + end]);
});

it.each<[string, RestartsOn, string]>([
  ['none, on any of them', () => [], '; no restarts'],
  ['none that is known of', (name) => (name === 'a' ? [] : undefined), ''],
  [
    'some, since its update began',
    (name) => [
      {
        kind: 'Deployment',
        namespace: 'web',
        name,
        pods: 2,
        at: name === 'a' ? '2026-11-20T10:05:00Z' : '2026-11-20T09:59:00Z',
      },
    ],
    '; ⚠️ restarts: Deployment web/a on a (2 pods, last at 2026-11-20T10:05:00Z)',
  ],
])('who decides reads of restarts: %s', (_, restarts, end) => {
  expect(texts({ bindings: [] }, restarts)).toEqual([begin + end]);
});

it('who decides reads what was rolled back since, also what had failed, and what is not available after it', () => {
  const back = (name: string, status: 'True' | 'False') =>
    cluster(name, is('Started', 'True'), is('Succeeded', status));
  const returned = [back('c', 'True'), back('b', 'False'), back('a', 'True')];
  const rollbackStatus = { reason: '', message: '', stagesStatus: [{ stageName: 'dev', clusters: returned }] };
  const of = { ...run, status: { ...run.status, rollbackStatus } } as unknown as StagedUpdateRun;
  expect(texts({ bindings: [] }, () => undefined, of)).toEqual([
    `${begin}; rolled back since: a, c; rolled back since, and not available: b`,
  ]);
});
