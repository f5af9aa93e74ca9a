import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeMember } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

const [old, recent] = ['AKSUbuntu-2204-202601.13.0', 'AKSUbuntu-2204-202601.27.0'];
const catalog = JSON.stringify({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'VersionCatalog',
  metadata: { name: 'all' },
  spec: {
    regions: [
      {
        name: 'westeurope',
        kubernetesVersions: [{ version: '1.30.9' }, { version: '1.31.5' }, { version: '1.32.0', preview: true }],
        nodeImageVersions: [{ version: old }, { version: recent }],
      },
    ],
  },
});

describe('get versions', () => {
  let dir = '';
  beforeAll(async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('eu-1', { 'topology.kubernetes.io/region': 'westeurope' }),
      ...upgradeMember('eu-2', { 'topology.kubernetes.io/region': 'westeurope' }),
      ...upgradeMember('us-1'),
      'catalog.yaml': catalog,
    });
    const pool = (name: string, kubernetes: string) => ({ name, kubernetes, image: old, count: 3 });
    fleet.paper.versions.set('eu-1', {
      versions: { controlPlane: 'v1.31.5', pools: [pool('np1', 'v1.31.5'), pool('np2', 'v1.30.9')] },
    });
    fleet.paper.versions.set('us-1', { versions: { controlPlane: 'v1.30.9', region: 'eastus', pools: [] } });
    await fleet.pass();
    dir = fleet.dir;
  });
  afterAll(removeFolders);

  const rows = async (...args: readonly string[]) => {
    const { out } = await cli('get', 'versions', ...args, '--repo', dir);
    return out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {3,}/));
  };

  it('lists what clusters run and the newest version in their region', async () => {
    expect(await rows()).toEqual([
      ['NAME', 'REGION', 'CONTROL-PLANE', 'POOLS', 'NEWEST'],
      ['eu-1', 'westeurope', 'v1.31.5', 'np1=v1.31.5,np2=v1.30.9', 'v1.31.5'],
      ['eu-2', 'westeurope', '<none>', '<none>', 'v1.31.5'],
      ['us-1', 'eastus', 'v1.30.9', '<none>', '<none>'],
    ]);
  });

  it('lists node images too', async () => {
    const [headings, eu1] = await rows('-o', 'wide');
    expect(headings?.slice(-2)).toEqual(['IMAGES', 'NEWEST-IMAGES']);
    expect(eu1?.slice(-2)).toEqual([old, recent]);
  });

  it('lists one region', async () => {
    expect((await rows('--region', 'eastus', '--no-headers')).map(([name]) => name)).toEqual(['us-1']);
    const { code, err } = await cli('get', 'clusters', '--region', 'eastus', '--repo', dir);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('--region is for versions, and clusters have none: leave it out'),
    });
  });

  it('as JSON', async () => {
    const { out } = await cli('get', 'versions', 'eu-1', '-o', 'json', '--repo', dir);
    expect(JSON.parse(out)).toMatchObject({
      kind: 'ClusterVersions',
      metadata: { name: 'eu-1' },
      region: 'westeurope',
      versions: { controlPlane: 'v1.31.5' },
      newest: { kubernetes: 'v1.31.5', images: [recent] },
    });
  });
});
