import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { PlacementState } from '../../src/api/placement-state.ts';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { member, placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const runFile = 'runs/web-1.yaml';
const stateFile = 'placements/web/state.yaml';
const canaryOnly = ['web:1', undefined, undefined];
const everywhere = ['web:1', 'web:1', 'web:1'];

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
type Run = Mutable<StagedUpdateRun>;
type State = Mutable<PlacementState>;

const withRun = (change: (run: Run) => void) => (files: Files) => {
  const value = parse(files[runFile]!) as Run;
  change(value);
  files[runFile] = stringify(value);
};
const withState = (change: (state: State) => void) => (files: Files) => {
  const value = parse(files[stateFile]!) as State;
  change(value);
  files[stateFile] = stringify(value);
};
const yes = (type: string) => ({
  type,
  status: 'True' as const,
  reason: 'Forged',
  lastTransitionTime: '2026-11-20T10:00:00Z',
});

const passGate = (run: Run): void => {
  run.status!.stagesStatus![0]!.afterStageTaskStatus![0]!.conditions!.push(yes('ApprovalRequestApproved'));
};
const finishCanary = (run: Run): void => {
  run.status!.stagesStatus![0]!.conditions = [yes('Succeeded')];
};
const start = (run: Run): void => {
  for (const cluster of run.status!.stagesStatus![1]!.clusters) cluster.conditions = [yes('Started')];
};

const attacks: Readonly<Record<string, (files: Files, tip: string) => void>> = {
  'counts the gate as passed': withRun(passGate),
  'counts the gate as passed by an approval of the commit in effect': (files) =>
    withRun((it) => {
      passGate(it);
      const approved = `web-1-after-canary=${it.metadata.annotations!['gitfleet.dev/initialized-from']}`;
      it.metadata.annotations!['gitfleet.dev/approved-in'] = approved;
    })(files),
  'ends the stage before the gate': withRun(finishCanary),
  'starts the stage behind the gate': withRun((it) => {
    passGate(it);
    finishCanary(it);
    start(it);
  }),
  'takes the gate out of the run and of its strategy': withRun((it) => {
    delete it.status!.stagesStatus![0]!.afterStageTaskStatus;
    delete it.status!.stagedUpdateStrategySnapshot!.stages[0]!.afterStageTasks;
  }),
  'lists clusters behind the gate in the stage before it': withRun((it) => {
    const [first, second] = it.status!.stagesStatus!;
    first!.clusters.push(...second!.clusters);
    second!.clusters = [];
  }),
  'empties the stage that has the gate': withRun((it) => {
    it.status!.stagesStatus![0]!.clusters = [];
  }),
  'swaps the stages': withRun((it) => {
    it.status!.stagesStatus!.reverse();
  }),
  'gives the snapshot to the clusters behind the gate': withState((it) => {
    for (const binding of it.bindings) Object.assign(binding, { state: 'Bound', resourceSnapshotIndex: 0 });
  }),
  'does all of this at once': (files) => {
    withRun((it) => {
      passGate(it);
      finishCanary(it);
      start(it);
    })(files);
    withState((it) => {
      for (const binding of it.bindings) Object.assign(binding, { state: 'Bound', resourceSnapshotIndex: 0 });
    })(files);
  },
  'forgets the run and gives the snapshot to all': (files) => {
    delete files[runFile];
    withState((it) => {
      for (const binding of it.bindings) Object.assign(binding, { state: 'Bound', resourceSnapshotIndex: 0 });
    })(files);
  },
  'says that the placement rolls out by itself': (files) => {
    files['placements/web/status.yaml'] = files['placements/web/status.yaml']!.replace(
      'type: External',
      'type: RollingUpdate',
    );
  },
};

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
])('an edit of the status branch %s', (_, stopped) => {
  it.each(Object.keys(attacks))('that %s passes no gate, and the fleet continues once it is approved', async (what) => {
    world = await AttackedFleet.atGate();
    expect(world.images()).toEqual(canaryOnly);
    if (stopped) world.daemon.kill();
    await world.edit((files) => attacks[what]!(files, world.fleet.repo.tip('main')!));
    if (stopped) world.start();
    await world.fleet.run(120);
    expect(world.images()).toEqual(canaryOnly);
    expect(world.images('tools')).toEqual(['tools:1', 'tools:1', 'tools:1']);

    // People look, and start over: the run has another name then, and its gate is asked for.
    world.fleet.commit({ 'runs/web-1.yaml': undefined, 'runs/web-2.yaml': run('web-2') });
    await world.untilGate('gitfleet/approve/web-2-after-canary');
    expect(world.images()).toEqual(canaryOnly);
    await world.approve('gitfleet/approve/web-2-after-canary');
    await world.fleet.until('it is everywhere', () => world.images().join() === everywhere.join(), 600);
    expect(world.imagesSent()).toEqual(new Set(['web:1', 'tools:1']));
  });
});

describe.each([
  [
    'a taint',
    { 'clusters/canary-1.yaml': member('canary-1', { env: 'canary' }, 'taints: [{key: new, effect: NoSchedule}]') },
  ],
  [
    'a number of clusters',
    { 'placements/web.yaml': placement('web', '{placementType: PickN, numberOfClusters: 2}', '{type: External}') },
  ],
])('a stage with a gate from which %s keeps its cluster', (_, changed) => {
  it('is skipped, and the run continues through restarts', async () => {
    const files = { ...gatedFleet('web:1'), ...changed };
    world = await AttackedFleet.open(files);
    await world.fleet.until('prod has begun', () => world.images()[1] === 'web:1', 600);
    await world.restart();
    const hasSucceeded = () =>
      world.daemon.plan().runs[0]?.status?.conditions?.some(({ type }) => type === 'Succeeded');
    await world.fleet.until('the run has succeeded', () => hasSucceeded() === true, 600);
    expect([world.images(), world.problems()]).toEqual([[undefined, 'web:1', 'web:1'], []]);
  });
});

it('a stage with a gate whose cluster does not respond is skipped, and the run continues', async () => {
  const { 'runs/web-1.yaml': first, 'placements/web.yaml': placed, ...files } = gatedFleet('web:1');
  world = await AttackedFleet.open(files);
  await world.fleet.run(60);
  world.fleet.fault('canary-1', { type: 'Unreachable' });
  await world.fleet.run(420);
  world.fleet.commit({ 'runs/web-1.yaml': first, 'placements/web.yaml': placed });
  await world.fleet.until('prod has begun', () => world.images()[1] === 'web:1', 600);
  await world.restart();
  world.fleet.fault('canary-1');
  await world.fleet.run(60);
  await world.restart();
  await world.fleet.until('prod has ended', () => world.images()[2] === 'web:1', 600);
  expect(world.problems()).toEqual([]);
});

it('so is one whose cluster joins with the run', async () => {
  const { 'runs/web-1.yaml': first, 'placements/web.yaml': placed, ...all } = gatedFleet('web:1');
  const { 'clusters/canary-1.yaml': joining, ...files } = all;
  world = await AttackedFleet.open(files);
  await world.fleet.run(60);
  world.fleet.commit({ 'runs/web-1.yaml': first, 'placements/web.yaml': placed, 'clusters/canary-1.yaml': joining });
  await world.fleet.until('prod has begun', () => world.images()[1] === 'web:1', 600);
  await world.restart();
  await world.fleet.until('prod has ended', () => world.images()[2] === 'web:1', 600);
  expect(world.problems()).toEqual([]);
});

it('a gate that was approved stays so through a restart, also when the approval file is gone', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.until('prod has begun', () => world.images()[1] === 'web:1', 60);
  world.fleet.commit({ 'approvals/web-1-after-canary.yaml': undefined });
  await world.restart();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere.join(), 600);
  expect(world.problems()).toEqual([]);
});

it('the state of removed runs counts where the clusters show it', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere.join(), 600);
  world.fleet.commit({ 'runs/web-1.yaml': undefined });
  await world.fleet.run(60);
  await world.restart();
  await world.fleet.run(60);
  expect(world.problems()).toEqual([]);
  await world.fleet.ask('prod-1', 'DELETE', '/apis/apps/v1/namespaces/web/deployments/web');
  await world.fleet.run(60);
  expect(world.images()).toEqual(everywhere);
});

it('a cluster that was emptied while no daemon ran gets back what the last finished run gave it', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere.join(), 600);
  await world.fleet.run(60);
  world.daemon.kill();
  await world.fleet.join({ name: 'prod-1' });
  world.start();
  await world.fleet.until('it is everywhere again', () => world.images().join() === everywhere.join(), 300);
  expect(world.images('tools')).toEqual(['tools:1', 'tools:1', 'tools:1']);
  expect(world.problems()).toEqual([]);
});

describe.each(['running', 'stopped'])('while the daemon is %s, a gate before a stage', (how) => {
  const stagesOf = (stages: string): string =>
    gatedFleet('web:1')['strategy.yaml']!.replace(/( {2}stages:\n)[\s\S]*/, `$1${stages}`);
  const canary = '    - {name: canary, labelSelector: {matchLabels: {env: canary}}, maxConcurrency: 2}\n';
  const gated = (env: string) =>
    `    - {name: ${env}, labelSelector: {matchLabels: {env: ${env}}}, maxConcurrency: 2, beforeStageTasks: [{type: Approval}]}\n`;
  const last = '    - {name: prod, labelSelector: {matchLabels: {env: prod}}, maxConcurrency: 2}\n';
  const staging = { 'clusters/prod-1.yaml': member('prod-1', { env: 'staging' }) };
  const condition = (type: string, reason = 'Forged') => [{ ...yes(type), reason }];
  const finish =
    (conditions: ReturnType<typeof condition>, isStageDone = true) =>
    (it: Run): void => {
      const stage = it.status!.stagesStatus![1]!;
      for (const cluster of stage.clusters) cluster.conditions = conditions;
      if (isStageDone) stage.conditions = [yes('Succeeded')];
    };

  it.each<[string, Files, string, (files: Files, tip: string) => void]>([
    [
      'clusters that count as gone have the snapshot already',
      { 'strategy.yaml': stagesOf(canary + gated('prod')) },
      'prod',
      (files) => {
        withRun(finish(condition('Skipped', 'ClusterLeft'), false))(files);
        withState((it) => {
          for (const binding of it.bindings) Object.assign(binding, { state: 'Bound', resourceSnapshotIndex: 0 });
        })(files);
      },
    ],
    [
      'its clusters count as gone',
      { 'strategy.yaml': stagesOf(canary + gated('staging') + last), ...staging },
      'staging',
      withRun(finish(condition('Skipped', 'ClusterLeft'))),
    ],
    [
      'its clusters count as done',
      { 'strategy.yaml': stagesOf(canary + gated('staging') + last), ...staging },
      'staging',
      withRun(finish(condition('Succeeded'))),
    ],
  ])('is not passed when %s', async (_, files, stage, edit) => {
    world = await AttackedFleet.open({ ...gatedFleet('web:1'), ...files });
    await world.untilGate(`gitfleet/approve/web-1-before-${stage}`);
    const before = world.images();
    if (how === 'stopped') world.daemon.kill();
    await world.edit((there) => edit(there, ''));
    if (how === 'stopped') world.start();
    await world.fleet.run(180);
    expect(world.images()).toEqual(before);
    expect(world.problems().join()).toContain('counts as skipped before its gate');
  });

  it('is skipped when its clusters left the fleet', async () => {
    world = await AttackedFleet.open({
      ...gatedFleet('web:1'),
      'strategy.yaml': stagesOf(canary + gated('staging') + last),
      ...staging,
    });
    await world.untilGate('gitfleet/approve/web-1-before-staging');
    if (how === 'stopped') world.daemon.kill();
    world.fleet.commit({ 'clusters/prod-1.yaml': undefined });
    if (how === 'stopped') world.start();
    await world.fleet.until('prod-2 has it', () => world.images()[2] === 'web:1', 300);
    await world.restart();
    await world.fleet.run(60);
    expect(world.problems()).toEqual([]);
  });
});
