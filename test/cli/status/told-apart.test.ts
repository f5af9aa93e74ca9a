import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolders } from '../../git/world.ts';
import { cli } from '../cli.ts';
import { FleetOnGit } from '../fleet-on-git.ts';
import { bringDriftedVersion2, shop } from '../shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open(shop);
  await bringDriftedVersion2(fleet, 'web 2');
});
afterAll(removeFolders);

const rows = async () =>
  (await cli('get', 'drift', '--no-headers', '--repo', fleet.dir)).out
    .trim()
    .split('\n')
    .map((row) => row.split(/\s{2,}/).slice(4, 8));

it('get drift tells what differs still from what was put right of late', async () => {
  expect(await rows()).toEqual([['/spec/replicas', '5', '2', 'differs']]);
  fleet.paper.results.set('us-1/web', [{ ...fleet.paper.results.get('us-1/web')![0]!, result: 'Applied' }]);
  await fleet.settle();
  expect(await rows()).toEqual([['/spec/replicas', '5', '2', 'put right']]);
});

it('describe says that a placement is suspended, and why', async () => {
  await cli('suspend', 'placement', 'web', '--reason', 'incident 42', '--repo', fleet.dir);
  fleet.look();
  await fleet.settle();
  const { out } = await cli('describe', 'placement', 'web', '--repo', fleet.dir);
  expect(out.split('\n').filter((line) => line.startsWith('Suspended'))).toEqual(['Suspended:   incident 42']);
});
