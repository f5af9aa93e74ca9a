import { afterEach, expect, it } from 'vitest';
import { deployment } from '../support/paper-fleet.ts';
import { AttackedFleet, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

it('a restart reports nothing of clusters that only they prove: a failed run came after the one that gave it to them', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.run(100);
  world.fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'runs/web-2.yaml': run('web-2') });
  await world.untilGate('gitfleet/approve/web-2-after-canary');
  await world.approve('gitfleet/approve/web-2-after-canary');
  await world.fleet.run(100);
  world.fleet.commit({
    'runs/web-3.yaml': run('web-3')
      .replace('{placementName', '{resourceSnapshotIndex: "0", placementName')
      .replace('{name: web-3}', '{name: web-3, annotations: {gitfleet.dev/on-failure: rollback}}'),
  });
  await world.untilGate('gitfleet/approve/web-3-after-canary');
  const path = 'approvals/web-3-after-canary.yaml';
  const asked = await world.fleet.repo.files('gitfleet/approve/web-3-after-canary');
  world.fleet.commit({ [path]: asked[path]!.replace(/status: "True"/, 'status: "False"') });
  await world.fleet.run(200);
  expect(world.images()).toEqual(['web:2', 'web:2', 'web:2']);
  const before = await world.fleet.repo.log('fleet-status');
  await world.restart();
  await world.fleet.run(60);
  expect(await world.fleet.repo.log('fleet-status')).toEqual(before);
  expect(world.problems()).toEqual([]);
});

it('a restart reports nothing of runs whose placement was removed and added again, and their approvals stay', async () => {
  world = await AttackedFleet.atGate();
  await world.approve();
  await world.fleet.run(100);
  world.fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'runs/web-2.yaml': run('web-2') });
  await world.untilGate('gitfleet/approve/web-2-after-canary');
  const path = 'approvals/web-2-after-canary.yaml';
  const asked = await world.fleet.repo.files('gitfleet/approve/web-2-after-canary');
  world.fleet.commit({ [path]: asked[path]!.replace(/status: "True"/, 'status: "False"') });
  await world.fleet.run(100);
  const before = await world.fleet.repo.files('fleet-status');
  const { 'placements/web.yaml': web } = await world.fleet.repo.files('main');
  world.fleet.commit({ 'placements/web.yaml': undefined });
  await world.fleet.until('it is removed', () => world.images().every((image) => image === undefined), 300);
  await world.fleet.run(60);
  const kept = [
    'runs/web-1.yaml',
    'runs/web-2.yaml',
    'approvals/web-1-after-canary.yaml',
    'approvals/web-2-after-canary.yaml',
  ];
  const after = await world.fleet.repo.files('fleet-status');
  for (const file of kept) expect([file, after[file]]).toEqual([file, before[file]]);
  world.daemon.kill();
  world.fleet.commit({ 'placements/web.yaml': web!, 'runs/web-3.yaml': run('web-3') });
  world.start();
  await world.untilGate('gitfleet/approve/web-3-after-canary');
  expect(world.problems()).toEqual([]);
});
