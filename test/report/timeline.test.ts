import { expect, it } from 'vitest';
import type { ClusterName } from '../../src/api/meta.ts';
import { placementKey } from '../../src/api/placement.ts';
import type { FleetRecord } from '../../src/engine/input.ts';
import type { Hold, Plan } from '../../src/engine/plan-document.ts';
import { timelineOf } from '../../src/report/events.ts';

/** As much of the record as events are made from. */
const recordOf = (plan: Plan | undefined): FleetRecord =>
  ({
    placements: new Map(
      plan?.placements.map(({ bindings, ...metadata }) => [
        placementKey(metadata),
        {
          state: {
            metadata,
            policySnapshots: [],
            resourceSnapshots: [],
            bindings: bindings.map(({ clusterName: targetCluster, ...rest }) => ({ ...rest, targetCluster })),
          },
        },
      ]),
    ),
    runs: new Map(plan?.runs.map((run) => [run.name, run])),
    approvals: new Map(),
    upgrades: new Map(),
    nodes: new Map(),
    clusters: new Map(),
  }) as unknown as FleetRecord;

const narrate = (earlier: Plan | undefined, plan: Plan) =>
  timelineOf({ before: recordOf(earlier), after: recordOf(plan), plan, earlier });

const planHeldBy = (...holds: Hold[]): Plan =>
  ({
    placements: [],
    targets: [],
    evictions: [],
    upgrades: [],
    nodes: [],
    runs: [],
    approvals: [],
    guard: [],
    problems: [],
    record: new Map(),
    holds,
  }) as unknown as Plan;

it('a wait is shown once, without what its line shows already and without milliseconds', () => {
  const hold: Hold = {
    subject: { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' },
    reason: 'WaitingForTime',
    message:
      'run web-1: stage canary finished at 2026-11-20T10:00:00.949Z and soaks for 1m0s, until 2026-11-20T10:01:00.949Z',
    until: '2026-11-20T10:01:00.949Z',
  };
  const plan = planHeldBy(hold);
  expect(narrate(undefined, plan)).toEqual([
    {
      tone: 'waiting',
      subject: 'web-1',
      text: 'stage canary finished at 2026-11-20T10:00:00Z and soaks for 1m0s, until 2026-11-20T10:01:00Z',
      until: '2026-11-20T10:01:00.949Z',
    },
  ]);
  expect(narrate(plan, plan)).toEqual([]);
});

it('clusters that wait for the same share a line; one that comes later has its own', () => {
  const frozen = (...names: string[]): Plan =>
    planHeldBy(
      ...names.map(
        (name): Hold => ({
          subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: name as ClusterName },
          reason: 'Freeze',
          message: `${name} is updated once the freeze ends`,
        }),
      ),
    );
  const reported = (before: Plan | undefined, next: Plan) => narrate(before, next).map(({ text }) => text);
  expect(reported(undefined, frozen('a', 'b', 'c'))).toEqual(['a, b, c: is updated once the freeze ends']);
  expect(reported(frozen('a', 'b'), frozen('a', 'b', 'c'))).toEqual(['c is updated once the freeze ends']);
  expect(reported(frozen('a', 'b', 'c'), frozen('a', 'c'))).toEqual([]);
});

it('errors and warnings are shown once, with place and what to write instead', () => {
  const plan = {
    ...planHeldBy(),
    problems: [
      {
        severity: 'warning',
        code: 'dangling-reference',
        file: 'runs/r.yaml',
        line: 8,
        message: 'run r: there is no placement wep',
        fix: 'did you mean web?',
      },
      { severity: 'error', code: 'rewound', message: 'main went back' },
      { severity: 'info', code: 'no-use', message: 'identity is not needed' },
      { severity: 'warning', code: 'failing-object', message: 'its cluster has a line of its own' },
    ],
  } as Plan;
  expect(narrate(undefined, plan)).toEqual([
    { tone: 'waiting', subject: 'runs/r.yaml:8', text: 'run r: there is no placement wep: did you mean web?' },
    { tone: 'bad', subject: 'repo', text: 'main went back' },
  ]);
  expect(narrate(plan, plan)).toEqual([]);
});

it('a run that cannot start and a stage that has soaked are shown', () => {
  const run = (status: object): Plan =>
    ({ ...planHeldBy(), runs: [{ kind: 'ClusterStagedUpdateRun', name: 'web-1', status }] }) as unknown as Plan;
  const refused = run({
    conditions: [{ type: 'Initialized', status: 'False', reason: 'Failed', message: 'parent placement wep not found' }],
  });
  expect(narrate(run({}), refused)).toEqual([
    { tone: 'bad', subject: 'web-1', text: '✗ the run cannot start: parent placement wep not found' },
  ]);
  expect(narrate(refused, refused)).toEqual([]);
  const stage = (conditions: readonly object[]) =>
    run({
      stagesStatus: [{ stageName: 'canary', clusters: [], afterStageTaskStatus: [{ type: 'TimedWait', conditions }] }],
    });
  const soaked = stage([{ type: 'WaitTimeElapsed', status: 'True' }]);
  expect(narrate(stage([]), soaked)).toEqual([{ tone: 'moving', subject: 'web-1', text: 'stage canary: has soaked' }]);
});

it('a cluster that fails as soon as it moves is shown once, with the cause', () => {
  const on = (move: string, conditions: readonly object[], resourceSnapshotIndex = 1): Plan =>
    ({
      ...planHeldBy(),
      placements: [
        {
          kind: 'ClusterResourcePlacement',
          name: 'web',
          decisions: [],
          bindings: [{ clusterName: 'a', state: 'Bound', move, resourceSnapshotIndex, conditions }],
        },
      ],
    }) as unknown as Plan;
  const conditions = [
    { type: 'Overridden', status: 'False', reason: 'OverriddenFailed', message: '"nope" does not exist' },
  ];
  const failed = on('update', conditions);
  const failure = { tone: 'bad', subject: 'web', text: '✗ a: OverriddenFailed: "nope" does not exist' };
  expect(narrate(on('keep', [], 0), failed)).toEqual([
    { tone: 'moving', subject: 'web', text: '→ a: updating to snapshot 1' },
    failure,
  ]);
  expect(narrate(failed, on('keep', conditions))).toEqual([]);
  expect(narrate(on('keep', []), on('keep', conditions))).toEqual([failure]);
});

it('a cluster that is done comes before the one that starts next', () => {
  const plan = (moves: Readonly<Record<string, string>>): Plan =>
    ({
      ...planHeldBy(),
      placements: [
        {
          kind: 'ClusterResourcePlacement',
          name: 'web',
          bindings: Object.entries(moves).map(([clusterName, move]) => ({
            clusterName,
            state: 'Bound',
            move,
            resourceSnapshotIndex: move === 'wait' ? 0 : 1,
            conditions: move === 'keep' ? [{ type: 'Available', status: 'True' }] : [],
          })),
        },
      ],
    }) as unknown as Plan;
  expect(narrate(plan({ a: 'wait', b: 'update' }), plan({ a: 'update', b: 'keep' })).map(({ text }) => text)).toEqual([
    '✓ b: snapshot 1 is available',
    '→ a: updating to snapshot 1',
  ]);
});

it('a run that fails and rolls back names the cluster, the stages and its end', () => {
  const time = { lastTransitionTime: '2026-11-20T10:00:00Z' };
  const planWith = (status: object): Plan =>
    ({ ...planHeldBy(), runs: [{ kind: 'ClusterStagedUpdateRun', name: 'web-1', status }] }) as unknown as Plan;
  const failed = { type: 'Succeeded', status: 'False', reason: 'ClusterUpdatingFailed', message: 'a is late', ...time };
  const stages = (conditions: object[]) => [{ stageName: 'prod', clusters: [{ clusterName: 'a', conditions }] }];
  const rollback = (reason: string) => ({
    reason: 'UpdateRunFailed',
    message: 'a is late',
    stagesStatus: [{ stageName: 'prod', clusters: [], conditions: [{ type: 'Progressing', status: 'True', reason }] }],
  });
  const before = planWith({ stagesStatus: stages([]) });
  const rolling = planWith({
    stagesStatus: stages([failed]),
    rollbackStatus: rollback('StageUpdatingStarted'),
    conditions: [
      { type: 'Progressing', status: 'True', reason: 'UpdateRunRollingBack', message: 'rolling back', ...time },
    ],
  });
  const texts = (entries: ReturnType<typeof narrate>) => entries.map(({ tone, text }) => `${tone} ${text}`);
  expect(texts(narrate(before, rolling))).toEqual(['bad ✗ a is late', 'moving stage prod: is being rolled back']);
  const over = planWith({
    stagesStatus: stages([failed]),
    rollbackStatus: rollback('StageUpdatingSucceeded'),
    conditions: [
      { type: 'Succeeded', status: 'False', reason: 'UpdateRunFailed', message: 'a is late; rolled back', ...time },
    ],
  });
  expect(texts(narrate(rolling, over))).toEqual([
    'good stage prod: rolled back',
    'bad ✗ the run failed: a is late; rolled back',
  ]);
});

it('clusters of which the same is told share a line, and more than two are counted unless something is wrong', () => {
  const plan = (...bindings: readonly object[]): Plan =>
    ({
      ...planHeldBy(),
      placements: [{ kind: 'ClusterResourcePlacement', name: 'web', decisions: [], bindings }],
    }) as unknown as Plan;
  const on = (clusterName: string, move: string, conditions: readonly object[] = []) => ({
    clusterName,
    state: 'Bound',
    move,
    resourceSnapshotIndex: 1,
    conditions,
  });
  const failed = [{ type: 'Applied', status: 'False', reason: 'ApplyFailed', message: 'no room' }];
  const told = (next: Plan) => narrate(undefined, next).map(({ text }) => text);
  expect(told(plan(on('a', 'add'), on('b', 'add')))).toEqual(['→ a, b: installing snapshot 1']);
  expect(told(plan(on('a', 'add'), on('b', 'add'), on('c', 'add')))).toEqual(['→ 3 clusters: installing snapshot 1']);
  expect(told(plan(...['a', 'b', 'c'].map((name) => on(name, 'keep', failed))))).toEqual([
    '✗ a, b, c: ApplyFailed: no room',
  ]);
});

it('a wait that ends by itself comes before what someone has to do', () => {
  const subject = { kind: 'ClusterStagedUpdateRun', name: 'web-1', stage: 'canary' };
  const approval: Hold = { subject, reason: 'WaitingForApproval', message: 'approve it' };
  const soak: Hold = { subject, reason: 'WaitingForTime', message: 'it soaks', until: '2026-11-20T10:01:00Z' };
  expect(narrate(undefined, planHeldBy(approval, soak)).map(({ text }) => text)).toEqual(['it soaks', 'approve it']);
});
