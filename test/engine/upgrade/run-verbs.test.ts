import { describe, expect, it } from 'vitest';
import { inGroup, run, strategy, UpgradeFleet } from './upgrade-fleet.ts';

/** Gates and waits of the run, where it has some. */
function gatesOf(fleet: UpgradeFleet): string {
  return fleet
    .run()
    .stages.flatMap((stage) => [
      ...[stage, ...stage.groups].flatMap(({ name, beforeGates, afterGates }) => [
        ...beforeGates.map(({ status }) => `before ${name} ${status.state}`),
        ...afterGates.map(({ status }) => `after ${name} ${status.state}`),
      ]),
      ...(stage.afterStageWaitStatus ? [`wait ${stage.name} ${stage.afterStageWaitStatus.status.state}`] : []),
    ])
    .join(', ');
}

const approval = [{ type: 'Approval' }];
const skip = (type: string, name: string) => ({ skip: [{ type, name }] });
const [stopped, again] = [{ state: 'Stopped' }, { attempt: 2 }];

interface Row {
  /** Of stage `one`, its groups `x` and `y`. */
  readonly stage?: object;
  readonly x?: object;
  readonly y?: object;
  /** The file of the run as it begins. */
  readonly spec?: object;
  /** What happens before the edit, each followed by a plan. */
  readonly before?: readonly ((fleet: UpgradeFleet) => void)[];
  readonly edit: object;
  /** What happens after it, as before it. */
  readonly after?: readonly ((fleet: UpgradeFleet) => void)[];
  /** Run, stages and, where there are some, gates and waits. */
  readonly shown: readonly string[];
}

const edited = (spec: object) => (fleet: UpgradeFleet) =>
  void Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', ...spec }));
const succeed =
  (...names: string[]) =>
  (fleet: UpgradeFleet) =>
    void fleet.succeed(...names);
const fail =
  (...names: string[]) =>
  (fleet: UpgradeFleet) =>
    void fleet.fail(...names);
const down =
  (...names: string[]) =>
  (fleet: UpgradeFleet) => {
    for (const name of names) fleet.members.get(name)!.reachable = false;
  };
const merge =
  (name: string, state: 'Completed' | 'Rejected' = 'Completed') =>
  (fleet: UpgradeFleet) =>
    void fleet.merge(name, state);
const unmerge = (name: string) => (fleet: UpgradeFleet) => void delete fleet.files[`approvals/${name}.yaml`];
const hours = (count: number) => (fleet: UpgradeFleet) => void fleet.later(count * 3600);
const nothing = () => {};

const twoNotStarted = 'two NotStarted: z NotStarted [z1 NotStarted]';
const twoRunning = 'two Running: z Running [z1 Running]';
const oneDone = 'one Completed: x Completed [x1 Completed, x2 Completed] y Completed [y1 Completed]';
/** All of stage `one` at once. */
const wide = { maxConcurrency: '2' };

const rows: Readonly<Record<string, Row>> = {
  'start of a run that was committed as Stopped': {
    spec: stopped,
    edit: {},
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Running [y1 Running]', twoNotStarted],
  },
  'start of a run that is Stopping': {
    before: [nothing, edited(stopped)],
    edit: {},
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Running [y1 Running]', twoNotStarted],
  },
  'start of stage, groups and members that are Stopped': {
    before: [down('x1', 'x2', 'y1'), edited(stopped)],
    edit: {},
    shown: [
      'Pending',
      'one Pending: x Pending [x1 Pending/ClusterUnavailable, x2 Pending/ClusterUnavailable] y Pending [y1 Pending/ClusterUnavailable]',
      twoNotStarted,
    ],
  },
  'start behind a gate that was approved meanwhile': {
    stage: { beforeGates: approval },
    before: [nothing, edited(stopped), merge('k8s-before-one')],
    edit: {},
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Running [y1 Running]',
      twoNotStarted,
      'before one Completed',
    ],
  },
  'start after a wait that ended meanwhile': {
    stage: { afterStageWaitInSeconds: 3600 },
    x: wide,
    before: [nothing, succeed(), edited(stopped), hours(2)],
    edit: {},
    shown: ['Running', oneDone, twoRunning, 'wait one Completed'],
  },
  'start does nothing again of a run that Failed': {
    before: [nothing, fail('x1'), succeed('y1'), edited(stopped)],
    edit: {},
    shown: [
      'Failed/MembersFailed',
      'one Failed/MembersFailed: x Failed/MembersFailed [x1 Failed/UpgradeFailed, x2 NotStarted] y Completed [y1 Completed]',
      twoNotStarted,
    ],
  },

  'stop of a run, stage and groups with members in flight': {
    before: [nothing],
    edit: stopped,
    shown: ['Stopping', 'one Stopping: x Stopping [x1 Running, x2 NotStarted] y Stopping [y1 Running]', twoNotStarted],
  },
  'stop of a group without members in flight': {
    before: [down('y1')],
    edit: stopped,
    shown: ['Stopping', 'one Stopping: x Stopping [x1 Running, x2 NotStarted] y Stopped [y1 Stopped]', twoNotStarted],
  },
  'stop of members that wait': {
    before: [down('x1', 'x2', 'y1')],
    edit: stopped,
    shown: ['Stopped', 'one Stopped: x Stopped [x1 Stopped, x2 Stopped] y Stopped [y1 Stopped]', twoNotStarted],
  },
  'stop while gates are asked': {
    stage: { beforeGates: approval },
    y: { beforeGates: approval },
    before: [nothing],
    edit: stopped,
    after: [merge('k8s-before-one')],
    shown: [
      'Stopped',
      'one Stopped: x NotStarted [x1 NotStarted, x2 NotStarted] y NotStarted [y1 NotStarted]',
      twoNotStarted,
      'before one Pending, before y NotStarted',
    ],
  },
  'stop during the wait, which goes on': {
    stage: { afterStageWaitInSeconds: 3600 },
    x: wide,
    before: [nothing, succeed()],
    edit: stopped,
    shown: ['Stopped', oneDone.replace('one Completed', 'one Stopped'), twoNotStarted, 'wait one Running'],
  },
  'stop of a run that is Completed': {
    x: wide,
    before: [nothing, succeed(), succeed()],
    edit: stopped,
    shown: ['Completed', oneDone, 'two Completed: z Completed [z1 Completed]'],
  },

  'skip of a stage': {
    stage: { beforeGates: approval, afterGates: approval, afterStageWaitInSeconds: 3600 },
    y: { beforeGates: approval },
    before: [nothing],
    edit: skip('Stage', 'one'),
    shown: [
      'Running',
      'one Skipped: x Skipped [x1 Skipped/SkippedByUser, x2 Skipped/SkippedByUser] y Skipped [y1 Skipped/SkippedByUser]',
      twoRunning,
      'before one Skipped, after one Skipped, before y Skipped, wait one Skipped',
    ],
  },
  'skip of a group with its gates': {
    y: { beforeGates: approval, afterGates: approval },
    before: [nothing],
    edit: skip('Group', 'y'),
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Skipped [y1 Skipped/SkippedByUser]',
      twoNotStarted,
      'before y Skipped, after y Skipped',
    ],
  },
  'skip of a group that is done': {
    y: { afterGates: approval },
    before: [nothing, succeed('y1')],
    edit: skip('Group', 'y'),
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Skipped [y1 Completed]',
      twoNotStarted,
      'after y Skipped',
    ],
  },
  'skip of a member that has not started': {
    before: [nothing],
    edit: skip('Member', 'x2'),
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 Skipped/SkippedByUser] y Running [y1 Running]',
      twoNotStarted,
    ],
  },
  'skip of a member that waits': {
    before: [down('y1')],
    edit: skip('Member', 'y1'),
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Skipped [y1 Skipped/SkippedByUser]',
      twoNotStarted,
    ],
  },
  'skip of a member in flight, which fails': {
    before: [nothing],
    edit: skip('Member', 'x1'),
    after: [fail('x1')],
    shown: [
      'Running',
      'one Running: x Running [x1 Skipped/SkippedByUser, x2 Running] y Running [y1 Running]',
      twoNotStarted,
    ],
  },
  'skip of a member that failed, before its run is over': {
    before: [nothing, fail('x1')],
    edit: skip('Member', 'x1'),
    shown: [
      'Running',
      'one Running: x Running [x1 Skipped/SkippedByUser, x2 Running] y Running [y1 Running]',
      twoNotStarted,
    ],
  },
  'skip of a member that is Completed': {
    before: [nothing, succeed('y1')],
    edit: skip('Member', 'y1'),
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Completed [y1 Completed]', twoNotStarted],
  },
  'skip of a wait': {
    stage: { afterStageWaitInSeconds: 3600 },
    x: wide,
    before: [nothing, succeed()],
    edit: skip('AfterStageWait', 'one'),
    shown: ['Running', oneDone, twoRunning, 'wait one Skipped'],
  },
  'skip of a wait before it is reached, which leaves the gate beside it': {
    stage: { afterStageWaitInSeconds: 3600, afterGates: approval },
    x: wide,
    before: [nothing],
    edit: skip('AfterStageWait', 'one'),
    after: [succeed()],
    shown: [
      'Pending',
      oneDone.replace('one Completed', 'one Pending'),
      twoNotStarted,
      'after one Pending, wait one Skipped',
    ],
  },

  'skip of a member of a run that is not started': {
    spec: stopped,
    before: [nothing],
    edit: { ...stopped, ...skip('Member', 'x1') },
    shown: [
      'NotStarted',
      'one NotStarted: x NotStarted [x1 Skipped/SkippedByUser, x2 NotStarted] y NotStarted [y1 NotStarted]',
      twoNotStarted,
    ],
  },
  'skip of a group with its gates, in a run that is not started': {
    spec: stopped,
    y: { beforeGates: approval },
    before: [nothing],
    edit: { ...stopped, ...skip('Group', 'y') },
    shown: [
      'NotStarted',
      'one NotStarted: x NotStarted [x1 NotStarted, x2 NotStarted] y Skipped [y1 Skipped/SkippedByUser]',
      twoNotStarted,
      'before y Skipped',
    ],
  },
  'skip taken back before the run starts': {
    spec: { ...stopped, ...skip('Stage', 'one') },
    before: [nothing],
    edit: {},
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Running [y1 Running]', twoNotStarted],
  },

  'retry of run, stage, group and member that Failed': {
    before: [nothing, fail('x1'), succeed('y1')],
    edit: again,
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Completed [y1 Completed]', twoNotStarted],
  },
  'retry while others are in flight': {
    before: [nothing, fail('x1')],
    edit: again,
    shown: ['Running', 'one Running: x Running [x1 Running, x2 NotStarted] y Running [y1 Running]', twoNotStarted],
  },
  'retry of a run that is stopped': {
    before: [nothing, fail('x1'), succeed('y1')],
    edit: { ...again, ...stopped },
    shown: [
      'Stopped',
      'one Stopped: x Stopped [x1 NotStarted, x2 NotStarted] y Completed [y1 Completed]',
      twoNotStarted,
    ],
  },
  'retry of a run that is Completed, with members that were skipped': {
    spec: skip('Group', 'y'),
    x: wide,
    before: [nothing, succeed(), succeed()],
    edit: again,
    shown: [
      'Running',
      'one Running: x Completed [x1 Completed, x2 Completed] y Running [y1 Running]',
      'two Completed: z Completed [z1 Completed]',
    ],
  },
  'retry of a run that is Completed, with nothing left': {
    x: wide,
    before: [nothing, succeed(), succeed()],
    edit: again,
    shown: ['Completed', oneDone, 'two Completed: z Completed [z1 Completed]'],
  },
  'retry of a stage before the one that runs': {
    stage: { maxAllowedFailures: '1' },
    x: { ...wide, maxAllowedFailures: '1' },
    before: [nothing, (fleet) => void fleet.fail('x1').succeed('x2', 'y1')],
    edit: again,
    shown: ['Running', 'one Running: x Running [x1 Running, x2 Completed] y Completed [y1 Completed]', twoRunning],
  },
  'retry of a member that the file still skips': {
    spec: skip('Member', 'x1'),
    before: [nothing, fail('x2'), succeed('y1')],
    edit: { ...again, ...skip('Member', 'x1') },
    shown: [
      'Running',
      'one Running: x Running [x1 Skipped/SkippedByUser, x2 Running] y Completed [y1 Completed]',
      twoNotStarted,
    ],
  },
  'retry after a gate was rejected, which asks again once the file is gone': {
    stage: { beforeGates: approval },
    before: [nothing, merge('k8s-before-one', 'Rejected'), unmerge('k8s-before-one')],
    edit: again,
    shown: [
      'Pending',
      'one Pending: x NotStarted [x1 NotStarted, x2 NotStarted] y NotStarted [y1 NotStarted]',
      twoNotStarted,
      'before one Pending',
    ],
  },
  'retry behind a gate that was passed': {
    stage: { beforeGates: approval },
    before: [nothing, merge('k8s-before-one'), fail('x1'), succeed('y1')],
    edit: again,
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Completed [y1 Completed]',
      twoNotStarted,
      'before one Completed',
    ],
  },
  'retry of a group that was skipped, whose gates are asked again': {
    spec: skip('Group', 'y'),
    y: { beforeGates: approval, afterGates: approval },
    before: [nothing],
    edit: again,
    shown: [
      'Running',
      'one Running: x Running [x1 Running, x2 NotStarted] y Pending [y1 NotStarted]',
      twoNotStarted,
      'before y Pending, after y NotStarted',
    ],
  },
  'retry after a wait that has ended': {
    stage: { afterStageWaitInSeconds: 3600 },
    x: wide,
    before: [nothing, succeed(), hours(1), fail('z1')],
    edit: again,
    shown: ['Running', oneDone, twoRunning, 'wait one Completed'],
  },
  'retry after a wait that was skipped, which begins': {
    spec: skip('AfterStageWait', 'one'),
    stage: { afterStageWaitInSeconds: 3600 },
    x: wide,
    before: [nothing, succeed(), fail('z1')],
    edit: again,
    shown: [
      'Running',
      oneDone.replace('one Completed', 'one Running'),
      'two Pending: z Pending [z1 NotStarted]',
      'wait one Running',
    ],
  },
};

it.each(Object.entries(rows))('%s', async (_, { stage, x, y, spec = {}, before = [], edit, after = [], shown }) => {
  const fleet = new UpgradeFleet({
    ...strategy([
      {
        name: 'one',
        ...stage,
        groups: [
          { name: 'x', ...x },
          { name: 'y', ...y },
        ],
      },
      { name: 'two', groups: [{ name: 'z' }] },
    ]),
  })
    .with(['x1', 'x2'], inGroup('x'))
    .with(['y1'], inGroup('y'))
    .with(['z1'], inGroup('z'));
  edited(spec)(fleet);
  for (const step of [...before, edited(edit), ...after]) {
    step(fleet);
    await fleet.plan();
    fleet.later(60);
  }
  expect([...fleet.states(), gatesOf(fleet)].filter(Boolean)).toEqual(shown);
});

it.each(['Run', 'Gate'])('nothing else can be skipped, such as a %s', async (type) => {
  const fleet = new UpgradeFleet(run(skip(type, 'k8s'))).with(['a']);
  const plan = await fleet.plan();
  expect(plan.problems.map(({ path }) => path)).toEqual(['spec.skip.0.type']);
  expect(plan.upgrades).toEqual([]);
});

describe('a raised attempt', () => {
  const fleetWith = (one: object, spec: object = {}) =>
    new UpgradeFleet({
      ...strategy([
        { name: 'one', groups: [{ name: 'x' }], ...one },
        { name: 'two', groups: [{ name: 'z', maxConcurrency: '2' }] },
      ]),
      ...run({ updateStrategyId: 'test-then-prod', ...spec }),
    })
      .with(['x1'], inGroup('x'))
      .with(['z1', 'z2'], inGroup('z'));

  it('that opens an earlier stage again closes what had been entered after it', async () => {
    const fleet = fleetWith({ maxAllowedFailures: '1', groups: [{ name: 'x', maxAllowedFailures: '1' }] });
    down('z2')(fleet);
    await fleet.plan();
    await fleet.fail('x1').later(1).plan();
    expect(fleet.states()[2]).toBe('two Running: z Running [z1 Running, z2 Pending/ClusterUnavailable]');
    await fleet.fail('z1').later(1).plan();
    expect(fleet.states()[2]).toBe(
      'two Failed/MembersFailed: z Failed/MembersFailed [z1 Failed/UpgradeFailed, z2 Stopped]',
    );
    edited(again)(fleet);
    await fleet.later(1).plan();
    expect(fleet.states().slice(0, 2)).toEqual(['Running', 'one Running: x Running [x1 Running]']);
    expect(fleet.states()[2]).toContain('[z1 NotStarted, z2 NotStarted]');
    const text = JSON.stringify(fleet.run());
    await fleet.plan();
    expect(JSON.stringify(fleet.run())).toBe(text);
  });

  it('leaves a wait that its file still skips, and the end of its stage, as they were', async () => {
    const spec = skip('AfterStageWait', 'one');
    const fleet = fleetWith({ afterStageWaitInSeconds: 3600 }, spec);
    await fleet.plan();
    await fleet.succeed().later(60).plan();
    const before = fleet.run().stages[0];
    await fleet.fail('z1').later(60).plan();
    edited({ ...spec, ...again })(fleet);
    await fleet.later(60).plan();
    expect(fleet.run().stages[0]).toEqual(before);
  });
});

it('a member that is skipped with the attempt after it failed keeps when it started', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  await fleet.plan();
  fleet.later(60).fail('a');
  await fleet.plan();
  Object.assign(fleet.files, run({ attempt: 2, ...skip('Member', 'a') }));
  fleet.later(60);
  await fleet.plan();
  expect(fleet.run().stages[0]!.groups[0]!.members[0]!.status).toMatchObject({
    state: 'Skipped',
    startTime: '2026-11-20T10:00:00Z',
    completedTime: '2026-11-20T10:02:00Z',
  });
});
