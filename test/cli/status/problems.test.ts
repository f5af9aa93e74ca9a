import { afterAll, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

const resource = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n';
const files = {
  'clusters/a.yaml': member('a'),
  'placements/web.yaml': placement('web', '{placementType: PickAll}'),
  'resources/web.yaml': resource,
};

it('problems are listed by position, whole with -o json, and where there are none a sentence reports that', async () => {
  const fleet = await FleetOnGit.open(files);
  await fleet.pass();
  const get = (...args: string[]) => cli('get', 'problems', ...args, '--repo', fleet.dir);
  expect(await get()).toEqual({
    code: 0,
    out: '',
    err: 'No problems in the files of the fleet repo. How placements, clusters and runs are: gitfleet get all\n',
  });
  expect(JSON.parse((await get('-o', 'json')).out)).toEqual({ apiVersion: 'v1', kind: 'List', items: [] });

  fleet.paper.results.set('a/web', [
    {
      object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' },
      result: 'ManifestApplyFailed',
      message: 'a webhook says no',
    },
  ]);
  fleet.commit({ 'clusters/b.yaml': member('b', {}, 'heartbeatPeriodSeconds: 0') }, 'Add b');
  await fleet.pass();
  // The table names the fix, too: of a rewound branch it is the only way on.
  const [head, first] = (await get()).out.split('\n');
  expect(head).toMatch(/ MESSAGE +FIX$/);
  const { items } = JSON.parse((await get('-o', 'json')).out) as {
    items: { file: string; code: string; fix?: string }[];
  };
  expect(items.map(({ file, code }) => `${file} ${code}`)).toEqual([
    'clusters/b.yaml out-of-range',
    'resources/web.yaml failing-object',
  ]);
  expect(items[0]!.fix).toBeDefined();
  expect(first!.endsWith(`  ${items[0]!.fix}`)).toBe(true);
  expect(items[1]).toEqual({
    severity: 'warning',
    code: 'failing-object',
    file: 'resources/web.yaml',
    message: 'ClusterResourcePlacement web: Namespace web cannot be applied to a: a webhook says no',
  });
});
