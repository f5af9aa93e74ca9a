import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { StagedUpdateRun } from '../../src/api/staged.ts';
import { deployment } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, names, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const asksFor = (name: string, onFailure: string): string =>
  run(name).replace(`{name: ${name}}`, `{name: ${name}, annotations: {gitfleet.dev/on-failure: ${onFailure}}}`);

const recordOf = async (name: string): Promise<StagedUpdateRun> =>
  parse((await world.fleet.repo.files('fleet-status'))[`runs/${name}.yaml`]!) as StagedUpdateRun;

const withRun = (name: string, change: (status: NonNullable<StagedUpdateRun['status']>) => void) => (files: Files) => {
  const value = parse(files[`runs/${name}.yaml`]!) as StagedUpdateRun;
  change(value.status!);
  files[`runs/${name}.yaml`] = stringify(value);
};

/** Rolls out versions 1 and 2 everywhere, and 3 to canary, where its gate asks. */
async function atThirdGate(onFailure: string): Promise<void> {
  world = await AttackedFleet.atGate();
  await world.approve();
  await everywhere('web:1');
  await next('web-2', 'web:2', onFailure);
  await world.approve('gitfleet/approve/web-2-after-canary');
  await everywhere('web:2');
  await next('web-3', 'web:3', onFailure);
  expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
}

const everywhere = (image: string) =>
  world.fleet.until(`${image} is everywhere`, () => world.images().every((it) => it === image), 600);

async function next(name: string, image: string, onFailure: string): Promise<void> {
  await world.fleet.run(30);
  world.fleet.commit({
    [`runs/${name}.yaml`]: asksFor(name, onFailure),
    'resources/web.yaml': deployment('web', 'web', image),
  });
  await world.untilGate(`gitfleet/approve/${name}-after-canary`);
}

async function reject(name: string): Promise<void> {
  const asked = await world.fleet.repo.files(`gitfleet/approve/${name}-after-canary`);
  const path = `approvals/${name}-after-canary.yaml`;
  world.fleet.commit({ [path]: asked[path]!.replace(/status: "True"/, 'status: "False"') });
}

const rolledBack = (status: NonNullable<StagedUpdateRun['status']>, index: number): void => {
  status.stagesStatus![0]!.clusters[0]!.previous = { resourceSnapshotIndex: index };
  status.rollbackStatus = {
    reason: 'UpdateRunFailed',
    message: 'forged',
    stagesStatus: [{ stageName: 'canary', clusters: [{ clusterName: 'canary-1' }] }],
  };
};

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
])('an edit of the status branch %s', (_, stopped) => {
  const edited = async (change: (files: Files) => void) => {
    if (stopped) world.daemon.kill();
    await world.edit(change);
    if (stopped) world.start();
    await world.fleet.run(120);
  };
  it('rolls no run back whose file does not ask for it', async () => {
    await atThirdGate('stop');
    await edited(withRun('web-3', (status) => rolledBack(status, 1)));
    expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
    expect(world.problems().join()).toContain('does not request that');
  });
  it('rolls no cluster back to another version than it had', async () => {
    await atThirdGate('rollback');
    const sent = world.sent.length;
    await edited(withRun('web-3', (status) => rolledBack(status, 0)));
    expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
    expect(world.sent.slice(sent).some(({ body }) => body.includes('web:1'))).toBe(false);
    expect(world.problems().join()).toContain('what canary-1 had before the run');
  });
  it('does not choose what a later failure rolls back to', async () => {
    await atThirdGate('rollback');
    await edited(
      withRun('web-3', (status) => {
        status.stagesStatus![0]!.clusters[0]!.previous = { resourceSnapshotIndex: 0 };
      }),
    );
    await reject('web-3');
    await world.fleet.run(120);
    expect(world.images()[0]).not.toBe('web:1');
  });
});

describe.each([
  ['while the daemon runs', false],
  ['while the daemon is stopped', true],
])('a removed record of the run before, %s, proves no earlier version', (_, stopped) => {
  it.each([
    ['for a rollback', withRun('web-3', (status) => rolledBack(status, 0))],
    [
      'for clusters',
      (files: Files) => {
        files['placements/web/state.yaml'] = files['placements/web/state.yaml']!.replace(
          /resourceSnapshotIndex: 1/g,
          'resourceSnapshotIndex: 0',
        );
      },
    ],
  ])('%s', async (__, edit) => {
    await atThirdGate('rollback');
    if (stopped) world.daemon.kill();
    await world.edit((files) => {
      delete files['runs/web-2.yaml'];
      edit(files);
    });
    if (stopped) world.start();
    await world.fleet.run(120);
    expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
    expect(world.problems().join()).toContain('runs/web-2.yaml: the file is missing');
  });
});

it('a record of the run before that is not trusted proves no earlier version', async () => {
  await atThirdGate('rollback');
  world.daemon.kill();
  await world.edit((files) => {
    withRun('web-2', (status) => {
      status.conditions = status.conditions!.filter(({ type }) => type !== 'Succeeded');
      status.stagedUpdateStrategySnapshot!.stages[0]!.name = 'other';
    })(files);
    withRun('web-3', (status) => rolledBack(status, 0))(files);
    files['placements/web/state.yaml'] = files['placements/web/state.yaml']!.replace(
      /resourceSnapshotIndex: 1/g,
      'resourceSnapshotIndex: 0',
    );
  });
  world.start();
  await world.fleet.run(120);
  expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
  expect(world.problems().join()).toContain('runs/web-2.yaml: the run counts as lost');
});

describe('clusters that a rejected run did not reach get back what the run before gave them, if', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['all are emptied', names, undefined],
    ['one is emptied', ['prod-1'], undefined],
    ['they are emptied, and the next run is committed meanwhile', ['prod-1', 'prod-2'], 'web-4'],
  ])('%s', async (_, emptied, run) => {
    await atThirdGate('stop');
    await reject('web-3');
    await world.fleet.run(60);
    world.daemon.kill();
    for (const name of emptied) await world.fleet.join({ name });
    if (run) world.fleet.commit({ [`runs/${run}.yaml`]: asksFor(run, 'stop') });
    world.start();
    await world.fleet.until('it is back', () => world.images().join() === 'web:3,web:2,web:2', 300);
    expect(world.problems()).toEqual([]);
  });
});

it('clusters get nothing earlier back that show what a later run gave them, whose file is removed', async () => {
  await atThirdGate('rollback');
  await reject('web-3');
  await everywhere('web:2');
  await world.fleet.run(60);
  world.fleet.commit({ 'runs/web-2.yaml': undefined });
  await world.fleet.run(60);
  world.daemon.kill();
  await world.edit((files) => {
    files['placements/web/state.yaml'] = files['placements/web/state.yaml']!.replace(
      /resourceSnapshotIndex: 1/g,
      'resourceSnapshotIndex: 0',
    );
  });
  world.start();
  await world.fleet.run(200);
  expect(world.images()).toEqual(['web:2', 'web:2', 'web:2']);
});

it('a run that is held since its record was lost takes no proof from later ones', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await everywhere('web:1');
  await world.fleet.run(60);
  world.daemon.kill();
  await world.edit((files) => {
    delete files['runs/web-1.yaml'];
  });
  world.start();
  await world.fleet.run(60);
  await next('web-2', 'web:2', 'stop');
  await world.approve('gitfleet/approve/web-2-after-canary');
  await everywhere('web:2');
  await world.fleet.run(60);
  world.daemon.kill();
  for (const name of names) await world.fleet.join({ name });
  world.start();
  await everywhere('web:2');
});

it('clusters that were emptied get back what a run returned them to, also if the run before began with the same commit', async () => {
  await atThirdGate('stop');
  await world.approve('gitfleet/approve/web-3-after-canary');
  await everywhere('web:3');
  await world.fleet.run(30);
  const takes = (text: string, index: number) =>
    text.replace('{placementName', `{resourceSnapshotIndex: "${index}", placementName`);
  world.fleet.commit({
    'fast.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: fast}\nspec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 3}]}\n`,
    'runs/web-4.yaml': takes(run('web-4'), 0).replace('careful', 'fast'),
    'runs/web-5.yaml': takes(asksFor('web-5', 'rollback'), 2),
  });
  await world.untilGate('gitfleet/approve/web-5-after-canary');
  expect(world.images()).toEqual(['web:3', 'web:1', 'web:1']);
  await reject('web-5');
  await everywhere('web:1');
  await world.fleet.run(60);
  world.daemon.kill();
  for (const name of names) await world.fleet.join({ name });
  world.start();
  await everywhere('web:1');
  expect(world.problems()).toEqual([]);
});

it.each([
  ['the run as it was', false],
  ['another text in the run', true],
])(
  'what clusters had before a run is no longer known once the contents of that snapshot are exchanged: %s',
  async (_, touches) => {
    await atThirdGate('rollback');
    await world.fleet.run(30);
    await world.edit((files) => {
      const state = parse(files['placements/web/state.yaml']!) as { resourceSnapshots: { index: number }[] };
      const [zero, one] = [0, 1].map((index) => state.resourceSnapshots.findIndex((of) => of.index === index));
      state.resourceSnapshots[one!] = { ...state.resourceSnapshots[zero!], index: 1 };
      files['placements/web/state.yaml'] = stringify(state);
      files['placements/web/snapshots/1.yaml'] = files['placements/web/snapshots/0.yaml']!;
      if (touches)
        withRun('web-3', (status) => {
          status.conditions![0]!.message = 'another text';
        })(files);
    });
    await world.fleet.run(60);
    await reject('web-3');
    await world.fleet.run(200);
    expect(world.images()).toEqual(['web:3', 'web:2', 'web:2']);
  },
);

describe('a run that takes an earlier snapshot, after a restart', () => {
  const override = (replicas: number) =>
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, jsonPatchOverrides: [{op: replace, path: /spec/replicas, value: ${replicas}}]}]}\n`;
  const write = async (files: Files) => {
    world.fleet.commit(files);
    await world.fleet.run(60);
  };
  const textOf = (name: string, index: string) => run(name).replace('{placementName', `{${index}placementName`);
  const asks = async (name: string, index: string, files: Files = {}) => {
    await write({ ...files, [`runs/${name}.yaml`]: textOf(name, index) });
    await world.approve(`gitfleet/approve/${name}-after-canary`);
    await world.fleet.run(60);
  };
  const first = 'resourceSnapshotIndex: "0", ';

  /** Snapshot 0 was rolled out a second time, with 3 replicas; now there are 7. `laterTip`: of the commit that wanted 5. */
  async function rolledOutByIndex(): Promise<string> {
    world = await AttackedFleet.atGate();
    await world.approve();
    await everywhere('web:1');
    await write({ 'resources/web.yaml': deployment('web', 'web', 'web:2') });
    await write({ 'size.yaml': override(3) });
    await asks('web-2', first);
    await write({ 'size.yaml': override(5) });
    const later = world.fleet.repo.tip('main')!;
    await asks('web-3', '', { 'resources/web.yaml': deployment('web', 'web', 'web:3') });
    await write({ 'size.yaml': override(7) });
    await everywhere('web:3');
    return later;
  }

  it('gets the overrides that it had with the run that named it', async () => {
    await rolledOutByIndex();
    await world.restart();
    await asks('web-4', first);
    await everywhere('web:1');
    expect(world.problems()).toEqual([]);
  });

  it('is held where the status branch says that these were those of a later commit', async () => {
    const later = await rolledOutByIndex();
    world.daemon.kill();
    await world.edit((files) => {
      const state = parse(files['placements/web/state.yaml']!) as { resourceSnapshots: { overrides: string[] }[] };
      state.resourceSnapshots[0]!.overrides = state.resourceSnapshots[1]!.overrides;
      files['placements/web/state.yaml'] = stringify(state);
      const value = parse(files['runs/web-2.yaml']!) as StagedUpdateRun;
      const from = value.metadata.annotations!['gitfleet.dev/initialized-from']!;
      files['runs/web-2.yaml'] = stringify(value).replaceAll(from, later);
    });
    world.start();
    await write({ 'runs/web-4.yaml': textOf('web-4', first) });
    expect(world.problems()).toEqual([
      expect.stringContaining('run web-4 is held: of its resource snapshot 0, no commit'),
    ]);
    expect(world.images()).toEqual(['web:3', 'web:3', 'web:3']);
  });
});

describe('a rollback', () => {
  it('returns clusters to what this daemon saw, where the file of the run that gave it was removed and versions passed', async () => {
    world = await AttackedFleet.atGate();
    await world.approve();
    await everywhere('web:1');
    await world.fleet.run(60);
    world.fleet.commit({ 'runs/web-1.yaml': undefined });
    await world.fleet.run(60);
    world.fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') });
    await world.fleet.run(30);
    await next('web-3', 'web:3', 'rollback');
    await world.fleet.run(60);
    expect(world.images()).toEqual(['web:3', 'web:1', 'web:1']);
    expect(world.problems()).toEqual([]);
    await reject('web-3');
    await everywhere('web:1');
  });
  it.each([
    ['the files of earlier runs are there', false],
    ['they were removed', true],
  ])('continues after a kill where %s', async (_, removed) => {
    await atThirdGate('rollback');
    if (removed) world.fleet.commit({ 'runs/web-1.yaml': undefined, 'runs/web-2.yaml': undefined });
    await world.fleet.run(30);
    await reject('web-3');
    await world.fleet.until(
      'it rolls back',
      async () => (await recordOf('web-3')).status?.rollbackStatus !== undefined,
      60,
    );
    expect((await recordOf('web-3')).status!.conditions!.some(({ type }) => type === 'Succeeded')).toBe(false);
    await world.restart();
    await everywhere('web:2');
    await world.fleet.until(
      'it is over',
      async () => (await recordOf('web-3')).status!.conditions!.some(({ type }) => type === 'Succeeded'),
      300,
    );
    expect((await recordOf('web-3')).status!.conditions!.at(-1)).toMatchObject({
      reason: 'ApprovalRejected',
      message: expect.stringContaining('rolled back 1 of 1 clusters'),
    });
    expect(world.problems()).toEqual([]);
  });
  it('is proven by a run before that was rolled back itself', async () => {
    await atThirdGate('rollback');
    await reject('web-3');
    await everywhere('web:2');
    await next('web-4', 'web:4', 'rollback');
    await world.restart();
    await reject('web-4');
    await everywhere('web:2');
    expect(world.problems()).toEqual([]);
  });
  it.each([
    ['that failed before it reached a cluster', false],
    ['that failed before it reached a cluster, after a restart', true],
  ])('is proven by the run before one %s', async (_, isRestarted) => {
    await atThirdGate('rollback');
    await reject('web-3');
    await everywhere('web:2');
    for (const name of ['prod-1', 'prod-2'])
      world.fleet.fault(name, { type: 'DenyAdmission', verbs: ['patch'], resources: ['deployments.apps'] });
    await next('web-4', 'web:4', 'rollback, gitfleet.dev/progress-deadline: 2m');
    await world.approve('gitfleet/approve/web-4-after-canary');
    await world.fleet.run(60);
    expect(world.problems()).toEqual([]);
    if (isRestarted) await world.restart();
    await everywhere('web:2');
    await world.fleet.run(60);
    expect((await recordOf('web-4')).status!.conditions!.at(-1)!.message).toContain('rolled back 3 of 3 clusters');
    expect(world.problems()).toEqual([]);
  });
  it.each([
    ['another version', 'web:2'],
    ['the same version', 'web:1'],
  ])(
    'is proven by the followed branch where no run before reached a cluster, though one of %s failed',
    async (__, image) => {
      const { 'runs/web-1.yaml': _, ...files } = gatedFleet('web:1');
      const external = files['placements/web.yaml']!;
      world = await AttackedFleet.open({
        ...files,
        'placements/web.yaml': external.replace('{type: External}', '{type: RollingUpdate}'),
      });
      await everywhere('web:1');
      await world.fleet.run(30);
      world.fleet.commit({ 'placements/web.yaml': external });
      await next('web-2', image, 'rollback');
      await reject('web-2');
      await everywhere('web:1');
      await world.fleet.run(60);
      for (const name of ['prod-1', 'prod-2'])
        world.fleet.fault(name, { type: 'DenyAdmission', verbs: ['patch'], resources: ['deployments.apps'] });
      await next('web-3', 'web:3', 'rollback, gitfleet.dev/progress-deadline: 2m');
      await world.approve('gitfleet/approve/web-3-after-canary');
      await world.fleet.run(60);
      await world.restart();
      await everywhere('web:1');
      await world.fleet.run(60);
      expect((await recordOf('web-3')).status!.conditions!.at(-1)!.message).toContain('rolled back 3 of 3 clusters');
      expect(world.problems()).toEqual([]);
    },
  );
});
