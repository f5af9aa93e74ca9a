import { afterAll, describe, expect, it } from 'vitest';
import { eviction } from '../../../src/api/eviction.ts';
import type { Condition } from '../../../src/api/meta.ts';
import { evictionPage } from '../../../src/cli/kinds/evictions.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { deployment } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { place, shop } from '../../support/shop.ts';
import { is } from './world.ts';

describe('describe eviction shows the result', () => {
  const result = (...conditions: Condition[]) =>
    evictionPage({
      waits: undefined,
      eviction: eviction.parse({
        apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
        kind: 'ClusterResourcePlacementEviction',
        metadata: { name: 'e' },
        spec: { placementName: 'web', clusterName: 'eu-1' },
        status: { conditions },
      }),
    })[0]!.split('\n');
  const again = 'to retry, commit an eviction with another name';

  it.each<[string, Condition[], string]>([
    ['nothing yet', [], 'none yet'],
    ['done', [is('Valid', 'True', 0), is('Executed', 'True', 1)], 'executed; the file can be removed'],
    ['blocked', [is('Valid', 'True', 0), is('Executed', 'False', 1, 'blocked')], `not executed: blocked; ${again}`],
    ['not valid', [is('Valid', 'False', 0, 'no such placement')], `refused: no such placement; ${again}`],
  ])('%s', (_, conditions, expected) => {
    expect(result(...conditions)).toEqual([
      'Name:       e',
      'Kind:       ClusterResourcePlacementEviction',
      'Placement:  web',
      'Cluster:    eu-1',
      `Result:     ${expected}`,
    ]);
  });
});

describe('an eviction that nothing has come of yet', () => {
  afterAll(removeFolders);
  const base = place('base', { policy: { placementType: 'PickAll' } });
  const evict = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementEviction
metadata: {name: later}
spec: {placementName: base, clusterName: dev-1}
status: {conditions: [{type: Executed, status: "True", reason: Written, lastTransitionTime: "2026-11-20T10:00:00Z"}]}
`;
  const open = async () => {
    const fleet = await FleetOnGit.open({
      ...shop,
      'placements/base.yaml': base,
      'resources/base.yaml': deployment('base', 'base', 'base:1'),
    });
    await fleet.settle();
    return fleet;
  };
  const described = async ({ dir }: FleetOnGit) => (await cli('describe', 'eviction', 'later', '--repo', dir)).out;
  const held = (why: string) =>
    [
      'Name:       later',
      'Kind:       ClusterResourcePlacementEviction',
      'Placement:  base',
      'Cluster:    dev-1',
      'Result:     none yet',
      `Waits for:  ${why}`,
      '',
      'Conditions:',
      '  <none>',
      '',
    ].join('\n');

  it('shows that its placement is suspended, whatever the status in its file', async () => {
    const fleet = await open();
    const suspended = base.replace('metadata:', 'metadata:\n  annotations: {gitfleet.dev/suspended: incident 42}');
    fleet.commit({ 'placements/base.yaml': suspended, 'evict.yaml': evict }, 'Evict base');
    await fleet.settle();
    const reported =
      'Freeze: eviction later is carried out once the annotation gitfleet.dev/suspended (incident 42) of base is removed';
    expect(await described(fleet)).toBe(held(reported));
    const listed = await cli('get', 'evictions', '--repo', fleet.dir);
    expect(listed.out.split('\n')[1]!.trim().split(/ +/)).toEqual([
      'later',
      '<none>',
      '<none>',
      'base',
      'dev-1',
      'Freeze',
    ]);
    const waited = await cli('wait', 'eviction/later', '--for=Executed', '--timeout=0s', '--repo', fleet.dir);
    expect(waited.err).toContain(reported);
    fleet.commit({ 'placements/base.yaml': base }, 'Resume base');
    await fleet.settle();
    expect(await described(fleet)).toContain('Result:     executed; the file can be removed\n');
  });

  it('of a refused plan, shows why it is refused', async () => {
    const fleet = await open();
    const tight = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n';
    fleet.commit({ 'fleet.yaml': tight, 'evict.yaml': evict }, 'Evict base');
    const { guard } = await fleet.pass({ refused: true });
    const why = guard.map(({ message }) => message).join('; ');
    expect(await described(fleet)).toBe(held(`the plan that would carry it out is refused: ${why}`));
  });
});
