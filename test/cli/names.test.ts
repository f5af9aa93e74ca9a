import { afterAll, beforeAll, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { cli } from '../support/run-cli.ts';
import { place, shop } from '../support/shop.ts';

let fleet: FleetOnGit;
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    ...shop,
    'placements/crp.yaml': place('crp', { policy: { placementType: 'PickAll' } }),
    'placements/pay-settings.yaml': shop['placements/settings.yaml']!.replace('namespace: web', 'namespace: pay'),
  });
  await fleet.settle();
});
afterAll(removeFolders);

it.each([
  [['get', 'placement/'], 'no name follows placement: write for example placement/web, or placement without the slash'],
  [
    ['get', 'placement', ''],
    'no name follows placement: write for example placement/web, or placement without the slash',
  ],
  [['get', '/shop'], '"/shop" names no kind: write for example placement/web'],
  [['get', ''], '"" names no kind: write for example placement/web'],
  [
    ['get', 'budgets'],
    'there is no kind budgets: there are all, placements, bindings, clusters, snapshots, policysnapshots, drift, runs, approvals, gates, evictions, upgrades, versions, profiles, maintenanceconfigurations, versioncatalogs, nodes, nodepools, events, problems',
  ],
  [['get', 'placements,'], 'there is no kind "": there are all, placements, bindings, '],
  [['wait', 'run/', '--for=Succeeded'], 'no name follows run: '],
  [['explain', 'placement'], 'explain placement needs a name: gitfleet get placements lists them'],
  [['explain', 'rps'], 'explain rps needs a name: gitfleet get placements lists them'],
  [['explain', 'placement/'], 'no name follows placement: '],
  [['describe', 'drift'], 'describe takes no drift, which have no names: gitfleet get drift lists all of them'],
  [['describe', 'event/web'], 'describe takes no events, which have no names: gitfleet get events lists all of them'],
  [
    ['describe', 'problems'],
    'describe takes no problems, which have no names: gitfleet get problems lists all of them',
  ],
])('%j prints the fault and the correct form', async (args, reported) => {
  const { code, out, err } = await cli(...args, '--repo', fleet.dir);
  expect({ code, out, err: err.startsWith(`gitfleet: ${reported}`) ? reported : err }).toEqual({
    code: 2,
    out: '',
    err: reported,
  });
});

it.each([['explain'], ['tree'], ['suspend', 'placement']])(
  '%s refuses a name that placements of two namespaces have, and lists them',
  async (...command) => {
    const { code, err } = await cli(...command, 'settings', '--repo', fleet.dir);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'gitfleet: there is more than one placement settings: write pay/settings or web/settings\n',
    });
  },
);

it('a placement whose name is a word for a placement is explained all the same', async () => {
  expect(await cli('explain', 'crp', '--repo', fleet.dir)).toMatchObject({
    code: 0,
    out: expect.stringContaining('eu-1'),
  });
});
