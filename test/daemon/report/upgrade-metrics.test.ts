import { afterEach, expect, it } from 'vitest';
import type { Metrics } from '../../../src/daemon/report/metrics.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const catalog = (versions: object[]): Record<string, string> => ({
  'catalog.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'VersionCatalog',
    metadata: { name: 'catalog' },
    spec: { regions: [{ name: 'north', kubernetesVersions: versions }] },
  }),
});

/** Series of upgrades that are not 0, without the name in common. */
const shown = (metrics: Metrics): string[] =>
  metrics
    .render()
    .split('\n')
    .filter((line) => line.startsWith('gitfleet_upgrade_') && !line.endsWith(' 0'))
    .map((line) => line.slice('gitfleet_upgrade_'.length));

it('gauges follow runs, the skew of the fleet, and the first end of support', async () => {
  const region = { 'topology.kubernetes.io/region': 'north' };
  fleet = await VirtualFleet.open(
    {
      ...upgradeMember('a', region),
      ...upgradeMember('b', region),
      ...catalog([
        { version: '1.30.9', endOfSupport: '2026-12-01' },
        { version: '1.31.5', endOfSupport: '2027-06-01' },
        { version: '1.32.4' },
      ]),
      ...upgradeRun({ skip: [{ type: 'Member', name: 'b' }], state: 'Stopped' }),
    },
    { name: 'a', kubernetesVersion: '1.30.9' },
    { name: 'b', kubernetesVersion: '1.32.4' },
  );
  const { metrics } = fleet.start();
  await fleet.run(60);
  expect(shown(metrics)).toEqual([
    'runs{state="NotStarted"} 1',
    'members{state="NotStarted"} 1',
    'members{state="Skipped"} 1',
    'version_skew 2',
    // From 20 November, 10:01, to the end of 1 December.
    'end_of_support_days 11',
  ]);
  fleet.commit(upgradeRun({ skip: [{ type: 'Member', name: 'b' }] }));
  await fleet.until('a is being upgraded', () => shown(metrics).includes('members{state="Running"} 1'));
  expect(shown(metrics)).toContain('members{state="Skipped"} 1');
  await fleet.until('the run is over', () => shown(metrics).includes('runs{state="Completed"} 1'));
  expect(shown(metrics)).toEqual(['runs{state="Completed"} 1', 'version_skew 1', 'end_of_support_days 193']);
});

it('without a catalog no end of support is known', async () => {
  fleet = await VirtualFleet.open(upgradeMember('a'), { name: 'a', kubernetesVersion: '1.30.9' });
  const { metrics } = fleet.start();
  await fleet.run(60);
  expect(shown(metrics)).toEqual(['end_of_support_days NaN']);
});
