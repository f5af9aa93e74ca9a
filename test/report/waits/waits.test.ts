import { describe, expect, it } from 'vitest';
import type { ClusterName, Condition } from '../../../src/api/meta.ts';
import type { Binding } from '../../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../../src/api/staged.ts';
import { knownPlacements } from '../../../src/cli/status/known-placements.ts';
import type { UnreachableMember } from '../../../src/repo/record/daemon-memory.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import {
  waitsInRun,
  waitsOfApproval,
  waitsOfCluster,
  waitsOfPlacement,
  waitsOfRun,
} from '../../../src/report/waits/waits.ts';
import { whyLate } from '../../../src/report/waits/why-late.ts';

const unreachable = new Map([
  ['gone-1' as ClusterName, { cause: 'refused', lastContact: '2026-11-20T10:00:00Z' } as UnreachableMember],
]);
const bound = (given: Partial<Binding>): Binding => ({ targetCluster: 'eu-1', state: 'Bound', ...given });
const is = (type: string, status: Condition['status'], message = ''): Condition => ({
  type,
  status,
  reason: `${type}Reason`,
  message,
});
const failed = (name: string) => ({ kind: 'Deployment', version: 'v1', name, condition: is('Applied', 'False', 'no') });

describe('why one cluster is late', () => {
  it.each<[string, Binding, string | undefined]>([
    ['it is not', bound({ conditions: [is('Available', 'True')] }), undefined],
    ['it has compared', bound({ conditions: [is('DiffReported', 'True')] }), undefined],
    [
      'an unreachable cluster',
      bound({ targetCluster: 'gone-1' }),
      'does not respond since 2026-11-20T10:00:00Z: refused',
    ],
    [
      'a failing object before its condition',
      bound({ conditions: [is('Applied', 'False', 'all')], failedPlacements: [failed('a')] }),
      'Deployment a: AppliedReason: no',
    ],
    [
      'several failing objects',
      bound({ failedPlacements: [failed('a'), failed('b'), failed('c')] }),
      'Deployment a: AppliedReason: no (and 2 more)',
    ],
    [
      'an object that is not available, and one that cannot be applied',
      bound({ failedPlacements: [{ ...failed('a'), condition: is('Available', 'False', 'late') }, failed('b')] }),
      'Deployment b: AppliedReason: no (and 1 more)',
    ],
    [
      'a condition that is not True',
      bound({ conditions: [is('Applied', 'True'), is('Available', 'Unknown', 'who knows')] }),
      'AvailableReason: who knows',
    ],
    [
      'its rollout is held while what it had is available',
      bound({ conditions: [is('RolloutStarted', 'False', 'blocked'), is('Available', 'True')] }),
      'RolloutStartedReason: blocked',
    ],
    ['nothing started', bound({ state: 'Scheduled' }), 'nothing has started there yet'],
    ['nothing known', bound({}), 'is being applied'],
    ['it leaves', bound({ state: 'Unscheduled', conditions: [is('Available', 'True')] }), 'is being removed'],
    ['it is deleted', bound({ deleting: true, conditions: [is('Available', 'True')] }), 'is being removed'],
  ])('%s', (_, binding, expected) => {
    const [placement] = knownPlacements(
      readRecord(
        new Map([
          [
            'placements/web/state.yaml',
            'apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\n',
          ],
        ]),
      ).record,
    );
    expect(whyLate({ placement: placement!, binding }, { unreachable, holds: [] })).toBe(expected);
  });
});

describe('why a placement is late', () => {
  const lines = (annotations: string, strategy: string, bindings: string, files: Record<string, string> = {}) => {
    const head = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\n';
    const { record, holds } = readRecord(
      new Map([
        [
          'placements/web/status.yaml',
          `${head}metadata: {name: web, annotations: ${annotations}}\nspec: {resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], strategy: {type: ${strategy}}}\n`,
        ],
        [
          'placements/web/state.yaml',
          `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nbindings: ${bindings}\n`,
        ],
        ...Object.entries(files),
      ]),
    );
    return waitsOfPlacement(knownPlacements(record)[0]!, { record, unreachable, holds, notRolledOut: [] });
  };
  const up = 'state: Bound, conditions: [{type: Available, status: "True", reason: Up}]';
  const run = (status: string) =>
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: s}\n${status}\n`;

  const lost = (kind: string, name: string) =>
    `holds: [{subject: {kind: ${kind}, name: ${name}}, reason: RecordLost, message: contents unknown}]\n`;

  it('what holds it as a whole comes first', () => {
    expect(
      lines('{}', 'RollingUpdate', '[{targetCluster: a, state: Bound}]', {
        'summary.yaml': lost('ClusterResourcePlacement', 'web'),
      }),
    ).toEqual(['RecordLost: contents unknown', 'a: is being applied']);
  });

  it('what holds it as a whole is listed also where every cluster is up to date', () => {
    expect(
      lines('{}', 'External', `[{targetCluster: a, ${up}}]`, {
        'summary.yaml': lost('ClusterResourcePlacement', 'web'),
      }),
    ).toEqual(['RecordLost: contents unknown']);
  });

  it('it is not, when every cluster has it', () => {
    expect(lines('{gitfleet.dev/suspended: x}', 'External', `[{targetCluster: a, ${up}}]`)).toEqual([]);
  });

  it('a removal or a rollout that is held says what holds it', () => {
    const held = (cluster: string, reason: string, more = '') =>
      `{subject: {kind: ClusterResourcePlacement, name: web, clusterName: ${cluster}${more}}, reason: ${reason}, message: until then}`;
    const blocked = 'state: Bound, conditions: [{type: RolloutStarted, status: "False", reason: NotYet}]';
    const summary = `holds: [${held('a', 'ContainsForeignObjects')}, ${held('b', 'Freeze')}, ${held('c', 'Freeze', ', namespace: other')}, ${held('gone-1', 'Freeze')}, ${held('d', 'Freeze')}]\n`;
    expect(
      lines(
        '{}',
        'RollingUpdate',
        `[{targetCluster: a, state: Bound, deleting: true}, {targetCluster: b, ${blocked}}, {targetCluster: c, ${blocked}}, {targetCluster: gone-1, ${blocked}}, {targetCluster: d, ${up}}]`,
        { 'summary.yaml': summary },
      ),
    ).toEqual([
      'a: ContainsForeignObjects: until then',
      'b: Freeze: until then',
      'c: NotYet',
      'gone-1: does not respond since 2026-11-20T10:00:00Z: refused',
    ]);
  });

  it('a cluster that is up to date lists a removal that is held, and no hold of rollouts', () => {
    const summary =
      'holds: [{subject: {kind: ClusterResourcePlacement, name: web, clusterName: a}, reason: RemovalPending, message: on a ConfigMap old is being removed}]\n';
    expect(
      lines('{}', 'External', `[{targetCluster: a, ${up}}, {targetCluster: b, ${up}}]`, { 'summary.yaml': summary }),
    ).toEqual(['a: RemovalPending: on a ConfigMap old is being removed']);
  });

  describe('a rollout that waits for its turn names the limit', () => {
    const group = (count: number, message = 'is updated once maxUnavailable 0 allows it', more = '') =>
      `{subject: {kind: ClusterResourcePlacement, name: web}, reason: RolloutBudget, message: ${message}, clusters: [a, b${more}], count: ${count}}`;
    const blocked = 'state: Bound, conditions: [{type: RolloutStarted, status: "False", reason: NotYet}]';
    const three = `[{targetCluster: a, ${blocked}}, {targetCluster: b, ${blocked}}, {targetCluster: c, ${blocked}}]`;
    it.each<[string, string[], string[]]>([
      [
        'for those that the summary names',
        [group(2)],
        ['a, b: RolloutBudget: is updated once maxUnavailable 0 allows it', 'c: NotYet'],
      ],
      [
        'for those too for which it has no room',
        [group(3)],
        ['a, b, c: RolloutBudget: is updated once maxUnavailable 0 allows it'],
      ],
      [
        'unless they may wait for either of two things',
        [group(3), group(4, 'is to be removed')],
        ['a, b: RolloutBudget: is updated once maxUnavailable 0 allows it', 'c: NotYet'],
      ],
    ])('%s', (_, holds, expected) => {
      expect(lines('{}', 'RollingUpdate', three, { 'summary.yaml': `holds: [${holds.join(', ')}]\n` })).toEqual(
        expected,
      );
    });
  });

  it('clusters that wait for the same share a line', () => {
    expect(
      lines(
        '{}',
        'RollingUpdate',
        `[{targetCluster: a, ${up}}, {targetCluster: b, state: Bound}, {targetCluster: c, state: Bound}]`,
      ),
    ).toEqual(['b, c: is being applied']);
  });

  it.each([
    ['with a reason', '{gitfleet.dev/suspended: audit}', 'suspended (audit)'],
    ['without one', '{gitfleet.dev/suspended: ""}', 'suspended'],
  ])('it is suspended, %s', (_, annotations, expected) => {
    expect(lines(annotations, 'RollingUpdate', '[{targetCluster: a, state: Bound}]')).toEqual([
      expected,
      'a: is being applied',
    ]);
  });

  it('External: its run failed, and its clusters are well with an earlier snapshot', () => {
    const unmet =
      '\nstatus: {conditions: [{type: RolloutStarted, status: Unknown, reason: Waits, lastTransitionTime: "2026-11-20T10:00:00Z"}]}';
    const files = {
      'placements/web/status.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: web}\nspec: {resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], strategy: {type: External}}${unmet}\n`,
      'runs/web-1.yaml': run('status: {conditions: [{type: Succeeded, status: "False", reason: ApprovalRejected}]}'),
    };
    expect(lines('', '', `[{targetCluster: a, ${up}}]`, files)).toEqual([
      'it is External, and update run web-1 failed',
    ]);
  });

  it.each([
    ['it has no run', {}, 'it is External, and no update run is under way'],
    ['its run has not started', { 'runs/web-1.yaml': run('') }, 'run web-1: it has not started'],
    [
      'its run is held',
      { 'runs/web-1.yaml': run(''), 'summary.yaml': lost('ClusterStagedUpdateRun', 'web-1') },
      'run web-1: RecordLost: contents unknown',
    ],
    [
      'its run is over',
      { 'runs/web-1.yaml': run('status: {conditions: [{type: Succeeded, status: "False", reason: Failed}]}') },
      'it is External, and update run web-1 failed',
    ],
    [
      'its run is on the way',
      {
        'runs/web-1.yaml': run(
          'status: {conditions: [{type: Progressing, status: "True", reason: Going, message: the update run is updating stage one}], stagesStatus: [{stageName: one, clusters: [{clusterName: a, conditions: [{type: Started, status: "True", reason: Begun}]}]}]}',
        ),
      },
      'run web-1: updating stage one, under way on a',
    ],
  ])('External: %s', (_, files, expected) => {
    expect(lines('{}', 'External', '[{targetCluster: a, state: Scheduled}]', files)).toEqual([
      expected,
      'a: nothing has started there yet',
    ]);
  });
});

it('a placement that is available everywhere waits for a run that brings what the repo holds', () => {
  const web = (name: string) => ({ placement: { kind: 'ClusterResourcePlacement', name } as const, why: `of ${name}` });
  const { record } = readRecord(
    new Map([
      [
        'placements/web/status.yaml',
        'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterResourcePlacement\nmetadata: {name: web}\nspec: {resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], strategy: {type: External}}\nstatus: {conditions: [{type: ClusterResourcePlacementAvailable, status: "True", reason: Up}]}\n',
      ],
      [
        'placements/web/state.yaml',
        'apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nbindings: [{targetCluster: a, state: Bound, conditions: [{type: Available, status: "True", reason: Up}]}, {targetCluster: b, state: Unscheduled, conditions: [{type: Available, status: "True", reason: Up}]}]\n',
      ],
    ]),
  );
  const of = { record, unreachable, holds: [], notRolledOut: [web('other'), web('web')] };
  expect(waitsOfPlacement(knownPlacements(record)[0]!, of)).toEqual([
    'needs a staged update run: of web',
    'to start a run, add a file with {apiVersion: placement.kubernetes-fleet.io/v1, kind: ClusterStagedUpdateRun, metadata: {name: NEW-NAME}, spec: {placementName: web, stagedRolloutStrategyName: STRATEGY}}',
    'b: is no longer selected, which a staged update run carries out',
  ]);
});

it('a run lists what its clusters in flight wait for, and only those', () => {
  const failing = 'conditions: [{type: Overridden, status: "False", reason: OverriddenFailed, message: no such label}]';
  const begun = 'conditions: [{type: Started, status: "True", reason: Begun}]';
  const { record } = readRecord(
    new Map([
      [
        'placements/web/state.yaml',
        `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\nbindings: [{targetCluster: a, state: Bound, ${failing}}, {targetCluster: b, state: Bound, ${failing}}, {targetCluster: c, state: Bound, ${failing}}]\n`,
      ],
      [
        'runs/web-1.yaml',
        `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: s}\nstatus: {stagesStatus: [{stageName: one, clusters: [{clusterName: a, ${begun}}, {clusterName: b, ${begun}}, {clusterName: c}]}]}\n`,
      ],
    ]),
  );
  const [run] = [...record.runs.values()];
  expect(waitsInRun(run!, knownPlacements(record)[0]!, { unreachable, holds: [] })).toEqual([
    'a, b: OverriddenFailed: no such label',
  ]);
});

it('a member that does not respond, or is not healthy', () => {
  const member = (name: string, conditions: Condition[]) =>
    ({
      apiVersion: 'cluster.kubernetes-fleet.io/v1',
      kind: 'MemberCluster',
      metadata: { name },
      spec: { heartbeatPeriodSeconds: 60 },
      status: { agentStatus: [{ type: 'MemberAgent', conditions }] },
    }) as Parameters<typeof waitsOfCluster>[0];
  expect(waitsOfCluster(member('gone-1', []), { unreachable })).toEqual([
    'does not respond since 2026-11-20T10:00:00Z: refused',
  ]);
  expect(
    waitsOfCluster(member('eu-1', [is('Joined', 'True'), is('Healthy', 'False', 'ill')]), { unreachable }),
  ).toEqual(['Healthy is False: HealthyReason: ill']);
});

it('a request names the branch to merge until it is answered', () => {
  const request = (conditions: Condition[]) =>
    ({ metadata: { name: 'a', namespace: 'b' }, status: { conditions } }) as Parameters<typeof waitsOfApproval>[0];
  expect(waitsOfApproval(request([]))).toEqual(['merge branch gitfleet/approve/b.a, or its pull request']);
  expect(waitsOfApproval(request([is('Approved', 'False')]))).toEqual([]);
});

describe('what an update run waits for', () => {
  const run = (state: string | undefined, conditions: Condition[], namespace?: string) =>
    ({
      kind: namespace === undefined ? 'ClusterStagedUpdateRun' : 'StagedUpdateRun',
      metadata: { name: 'web-1', ...(namespace && { namespace }) },
      spec: { placementName: 'web', stagedRolloutStrategyName: 'careful', ...(state && { state }) },
      status: { conditions, stagesStatus: [] },
    }) as unknown as StagedUpdateRun;
  const under = (reason: string, message: string): Condition[] => [
    { ...is('Progressing', reason === 'UpdateRunProgressing' ? 'True' : 'False', message), reason },
  ];
  const stopped = under('UpdateRunStopped', 'the update run is stopped in stage canary');
  it.each<[string, StagedUpdateRun, string | undefined]>([
    ['nothing, while it continues', run(undefined, under('UpdateRunProgressing', 'goes on')), undefined],
    [
      'someone to resume it, once it is stopped',
      run('Stop', stopped),
      'someone to resume it: gitfleet resume run web-1',
    ],
    ['the same in a namespace', run('Stop', stopped, 'shop'), 'someone to resume it: gitfleet resume run shop/web-1'],
    [
      'nothing, when it is over',
      run('Stop', [{ ...is('Succeeded', 'True'), reason: 'UpdateRunSucceeded' }]),
      undefined,
    ],
  ])('%s', (_, of, first) => {
    const [line] = waitsOfRun(of, { holds: [] });
    if (first === undefined) expect(line ?? '').not.toContain('resume');
    else expect(line).toBe(first);
  });
});
