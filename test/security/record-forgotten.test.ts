import { afterEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { deployment } from '../support/paper-fleet.ts';
import { AttackedFleet, type Files, gatedFleet, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

/** Commits a run with its files, and approves it. */
async function rollOut(name: string, image: string, files: Files): Promise<void> {
  await world.fleet.run(30);
  world.fleet.commit({ [`runs/${name}.yaml`]: run(name), ...files });
  await world.untilGate(`gitfleet/approve/${name}-after-canary`);
  await world.approve(`gitfleet/approve/${name}-after-canary`);
  await world.fleet.until(`${image} is everywhere`, () => world.images().every((it) => it === image), 600);
}
const version = (image: string): Files => ({ 'resources/web.yaml': deployment('web', 'web', image) });
const byIndex = (name: string, index: number): Files => ({
  [`runs/${name}.yaml`]: run(name).replace('{placementName', `{resourceSnapshotIndex: "${index}", placementName`),
});

async function threeVersions(files: Files = gatedFleet('web:1')): Promise<void> {
  world = await AttackedFleet.open(files);
  await world.untilGate();
  await world.approve();
  await rollOut('web-2', 'web:2', version('web:2'));
  await rollOut('web-3', 'web:3', version('web:3'));
}

describe('a snapshot that a finished run used', () => {
  it.each([
    ['while the daemon runs', false],
    ['after a restart', true],
  ])('is not missed once the history limit has removed it, %s', async (_, isRestarted) => {
    const files = gatedFleet('web:1');
    const placement = `${files['placements/web.yaml']!.trimEnd()}\n  revisionHistoryLimit: 1\n`;
    await threeVersions({ ...files, 'placements/web.yaml': placement });
    if (isRestarted) await world.restart();
    await world.fleet.run(60);
    const status = await world.fleet.repo.files('fleet-status');
    expect(Object.keys(status).filter((path) => path.includes('/snapshots/'))).not.toContain(
      'placements/web/snapshots/0.yaml',
    );
    expect(world.problems()).toEqual([]);
  });

  it('is not missed once the history limit has removed it, and left an earlier one that is in use', async () => {
    const files = gatedFleet('web:1');
    const placement = `${files['placements/web.yaml']!.trimEnd()}\n  revisionHistoryLimit: 1\n`;
    world = await AttackedFleet.open({ ...files, 'placements/web.yaml': placement });
    await world.untilGate();
    await world.approve();
    await rollOut('web-2', 'web:2', version('web:2'));
    await rollOut('web-3', 'web:1', byIndex('web-3', 0));
    await world.fleet.run(30);
    world.fleet.commit({ 'runs/web-4.yaml': run('web-4'), ...version('web:4') });
    await world.untilGate('gitfleet/approve/web-4-after-canary');
    await world.fleet.run(60);
    expect(world.problems()).toEqual([]);
  });

  it('is not missed where its placement was removed and added again', async () => {
    await threeVersions();
    const files = gatedFleet('web:3');
    world.fleet.commit({ 'placements/web.yaml': undefined });
    await world.fleet.run(120);
    world.fleet.commit({ 'placements/web.yaml': files['placements/web.yaml']!, ...version('web:4') });
    await world.fleet.run(60);
    expect(world.problems()).toEqual([]);
  });

  it.each([
    ['while the daemon runs', false],
    ['while it is stopped', true],
  ])('is missed where somebody removes it, so that its index brings nothing else: %s', async (_, isStopped) => {
    await threeVersions();
    await rollOut('web-4', 'web:1', byIndex('web-4', 0));
    await world.fleet.run(60);
    if (isStopped) world.daemon.kill();
    await world.edit((files) => {
      const state = parse(files['placements/web/state.yaml']!) as { resourceSnapshots: object[] };
      state.resourceSnapshots = [{ ...state.resourceSnapshots[0], latest: true }];
      files['placements/web/state.yaml'] = stringify(state);
      for (const index of [1, 2]) delete files[`placements/web/snapshots/${index}.yaml`];
    });
    if (isStopped) world.start();
    await world.fleet.run(60);
    world.fleet.commit(byIndex('web-5', 1));
    await world.fleet.run(120);
    expect(world.images()).toEqual(['web:1', 'web:1', 'web:1']);
    expect(world.problems().join()).toContain('placements/web/snapshots/1.yaml: gitfleet does not use it');
  });
});

it('settings that were never valid are nobody’s fault', async () => {
  const config = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: two}}\n';
  world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'fleet.yaml': config });
  await world.fleet.run(60);
  expect(world.problems().filter((text) => text.includes('status branch'))).toEqual([]);
});
