import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { placement } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, names } from './attacked-fleet.ts';
import { type Anything, attacked, change, modes, truth, uidOn } from './record-edits.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const group = 'placement.kubernetes-fleet.io';
const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}';
const everywhere = (image: string) => names.map(() => image);

const toolsBy = (policy: string): Files => ({
  ...gatedFleet('web:1'),
  'placements/tools.yaml': placement('tools', policy, rolling),
});
const eviction = {
  'evictions/out.yaml': `apiVersion: ${group}/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: out}\nspec: {placementName: tools, clusterName: prod-1}\n`,
};
const budget = {
  'budget.yaml': `apiVersion: ${group}/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: tools}\nspec: {minAvailable: 3}\n`,
};

const leaving =
  (name: string, cluster: string, more: object = {}) =>
  (files: Files): void =>
    change(files, `placements/${name}/state.yaml`, ({ bindings }) => {
      for (const binding of bindings)
        if (binding.targetCluster === cluster) Object.assign(binding, { deleting: true, ...more });
    });

function executed(files: Files): void {
  const path = 'evictions/out.yaml';
  const value: Anything = parse(files[path] ?? eviction[path]);
  value.status = { conditions: [truth('Valid'), truth('Executed')] };
  files[path] = stringify(value);
  leaving('tools', 'prod-1', { deletionTimestamp: '2026-11-20T10:00:00Z' })(files);
}

/** Web is everywhere, and its run is over. */
async function finished(): Promise<void> {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.until('it is everywhere', () => world.images().join() === everywhere('web:1').join(), 600);
  await world.fleet.run(60);
}

const frozen = {
  'fleet.yaml':
    'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {freeze: [{name: all, schedule: "@daily", duration: 24h}]}\n',
};
const more = {
  'resources/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more, namespace: tools}\ndata: {a: b}\n',
};

/** As if the cluster already had the last version, of which it lacks an object. */
function onlyLastVersion(files: Files): void {
  executed(files);
  change(files, 'placements/tools/state.yaml', (state) => {
    const [last] = state.resourceSnapshots.toSorted((a: Anything, b: Anything) => b.index - a.index);
    state.resourceSnapshots = [last];
    for (const binding of state.bindings)
      if (binding.targetCluster === 'prod-1') binding.resourceSnapshotIndex = last.index;
    delete files['placements/tools/snapshots/0.yaml'];
  });
}

describe.each(modes)('a record of an eviction that is forged %s', (_, stopped) => {
  it.each(['in a freeze', 'with a member that is down'])('carries out none of an older version %s', async (why) => {
    world = await AttackedFleet.open();
    await world.fleet.run(120);
    world.fleet.commit({ ...eviction, ...budget });
    await world.fleet.run(60);
    if (why !== 'in a freeze') world.fleet.fault('canary-1', { type: 'Unreachable' });
    world.fleet.commit({ ...more, ...(why === 'in a freeze' ? frozen : {}) });
    await world.fleet.run(60);
    expect(world.fleet.stored('prod-1', '/configmaps', 'tools', 'more')).toBeUndefined();
    const uid = uidOn(world, 'prod-1', 'tools');
    await attacked(world, { stopped, seconds: 300 }, onlyLastVersion);
    expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
  });

  it.each([
    ['that a budget blocks', '{placementType: PickAll}', budget],
    ['of a PickFixed placement', '{placementType: PickFixed, clusterNames: [canary-1, prod-1, prod-2]}', {}],
  ])('carries out none %s', async (_name, policy, more) => {
    world = await AttackedFleet.open(toolsBy(policy));
    await world.fleet.run(120);
    world.fleet.commit({ ...eviction, ...more });
    await world.fleet.run(60);
    const uid = uidOn(world, 'prod-1', 'tools');
    await attacked(world, { stopped }, executed);
    expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
    expect(world.images('tools')).toEqual(everywhere('tools:1'));
  });

  it.each([
    ['without its file', toolsBy('{placementType: PickAll}')],
    ['that was carried out before', { ...toolsBy('{placementType: PickAll}'), ...eviction }],
  ])('repeats no removal %s', async (_name, files) => {
    world = await AttackedFleet.open(files);
    await world.fleet.run(200);
    const uid = uidOn(world, 'prod-1', 'tools');
    await attacked(world, { stopped }, leaving('tools', 'prod-1'));
    expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
    expect(world.images('tools')).toEqual(everywhere('tools:1'));
  });

  it('and left out, with an earlier commit in effect, does not repeat it', async () => {
    world = await AttackedFleet.open(toolsBy('{placementType: PickAll}'));
    await world.fleet.run(100);
    const first = world.fleet.repo.tip('main')!;
    world.fleet.commit(eviction);
    await world.fleet.run(200);
    const uid = uidOn(world, 'prod-1', 'tools');
    await attacked(world, { stopped }, (files) => {
      delete files['evictions/out.yaml'];
      change(files, 'daemon.yaml', (memory) => {
        memory.commitInEffect = first;
      });
    });
    expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
  });
});

describe.each(modes)('a record of an update run that is forged %s', (_, stopped) => {
  it('and left out, with an unknown commit in effect, does not repeat the run', async () => {
    await finished();
    world.fleet.commit({ 'resources/web.yaml': gatedFleet('web:2')['resources/web.yaml']! });
    await world.fleet.run(60);
    await attacked(world, { stopped }, (files) => {
      delete files['runs/web-1.yaml'];
      change(files, 'daemon.yaml', (memory) => {
        memory.commitInEffect = '0'.repeat(40);
      });
    });
    expect(world.images()).toEqual(everywhere('web:1'));
  });

  it.each(['is over', 'has not ended'])('as a removal from a cluster that the policy picks, and %s', async (state) => {
    await finished();
    const uid = uidOn(world, 'prod-1', 'web');
    await attacked(world, { stopped }, (files) => {
      change(files, 'runs/web-1.yaml', ({ status }) => {
        const clusters = [{ clusterName: 'prod-1', conditions: [truth('Started')] }];
        status.deletionStageStatus = { stageName: 'kubernetes-fleet.io/deleteStage', clusters };
        if (state === 'has not ended')
          status.conditions = status.conditions.filter(({ type }: Anything) => type !== 'Succeeded');
      });
      leaving('web', 'prod-1', { state: 'Unscheduled' })(files);
    });
    expect(uidOn(world, 'prod-1', 'web')).toBe(uid);
    expect(world.images()).toEqual(everywhere('web:1'));
  });

  it('as a removal before its gate', async () => {
    world = await AttackedFleet.atGate();
    await world.fleet.run(60);
    const uid = uidOn(world, 'canary-1', 'web');
    await attacked(world, { stopped }, (files) => {
      change(files, 'runs/web-1.yaml', ({ status }) => {
        status.deletionStageStatus.clusters = [{ clusterName: 'canary-1', conditions: [truth('Started')] }];
      });
      leaving('web', 'canary-1', { state: 'Unscheduled' })(files);
    });
    expect(uidOn(world, 'canary-1', 'web')).toBe(uid);
  });
});

it('a binding behind a gate is not trusted because a forged removal of it was put back', async () => {
  world = await AttackedFleet.atGate();
  await world.fleet.run(60);
  await attacked(world, { stopped: false }, leaving('web', 'prod-1', { state: 'Bound', resourceSnapshotIndex: 0 }));
  expect(world.images()).toEqual(['web:1', undefined, undefined]);
});

describe('a removal that a daemon recorded before it was killed', () => {
  /** The uid of the Deployment on a member that went away before its eviction was recorded. */
  async function evictedWhileAway(): Promise<string | undefined> {
    world = await AttackedFleet.open(toolsBy('{placementType: PickAll}'));
    await world.fleet.run(120);
    const uid = uidOn(world, 'prod-1', 'tools');
    world.fleet.fault('prod-1', { type: 'Unreachable' });
    world.fleet.commit(eviction);
    await world.fleet.run(10);
    return uid;
  }

  it('by an eviction is carried out by the next one', async () => {
    const uid = await evictedWhileAway();
    expect((await world.fleet.repo.files('fleet-status'))['evictions/out.yaml']).toContain('Executed');
    world.daemon.kill();
    world.fleet.fault('prod-1');
    world.start();
    await world.fleet.run(120);
    expect(uidOn(world, 'prod-1', 'tools')).not.toBe(uid);
    expect(world.images('tools')).toEqual(everywhere('tools:1'));
    expect(world.problems()).toEqual([]);
  });

  it('continues when the member can be reached again', async () => {
    const uid = await evictedWhileAway();
    await world.restart();
    await world.fleet.run(60);
    expect(uidOn(world, 'prod-1', 'tools')).toBe(uid);
    world.fleet.fault('prod-1');
    await world.fleet.run(120);
    expect(uidOn(world, 'prod-1', 'tools')).not.toBe(uid);
    expect(world.images('tools')).toEqual(everywhere('tools:1'));
  });
});

it('the deletion of a placement goes on after a restart, though an eviction removed it from a cluster before', async () => {
  world = await AttackedFleet.open({ ...toolsBy('{placementType: PickAll}'), ...eviction });
  await world.fleet.run(120);
  expect(parse((await world.fleet.repo.files('fleet-status'))['evictions/out.yaml']!).status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Executed', status: 'True' }),
  );
  world.fleet.commit({ 'placements/tools.yaml': undefined });
  await world.fleet.run(1);
  await world.restart();
  await world.fleet.run(120);
  expect(world.problems()).toEqual([]);
  expect(world.daemon.plan().holds.filter(({ reason }) => reason === 'RecordLost')).toEqual([]);
});
