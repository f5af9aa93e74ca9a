import { describe, expect, it } from 'vitest';
import { type Forecast, forecast } from '../../src/forecast/forecast.ts';
import { forecastParts, forecastSummary } from '../../src/report/forecast/lines.ts';
import { at, inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';

const minute = 60_000;
const usual = {
  readyAfterMs: 90_000,
  upgradedAfterMs: 30 * minute,
  approveAfterMs: 60 * minute,
  untilMs: 7 * 24 * 60 * minute,
};
const of = async (fleet: UpgradeFleet, change: Partial<typeof usual> = {}): Promise<Forecast> =>
  forecast(await fleet.input(), { ...usual, ...change });
const times = ({ upgrades }: Forecast): unknown =>
  upgrades.map(({ run: name, status, stages }) => [
    `${name} ${status.state}`,
    ...stages.map(({ name: stage, clusters, waits, left }) => [
      stage,
      ...clusters.map(({ clusterName, from, to }) => `${clusterName} ${from.slice(11, 16)}-${to?.slice(11, 16) ?? ''}`),
      ...waits.map(({ kind, from, to }) => `${kind} ${from.slice(11, 16)}-${to?.slice(11, 16) ?? ''}`),
      ...left.map(({ clusterName, status: is }) => `${clusterName} ${is.state} ${is.error?.code ?? ''}`),
    ]),
  ]);
const own = (kind: string, name: string, spec: object): Record<string, string> => ({
  [`${kind}-${name}.yaml`]: JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec }),
});
const daily = (group: string, startTime: string) =>
  own('MaintenanceConfiguration', group, {
    memberSelector: { byLabel: `gitfleet.dev/update-group=${group}` },
    maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime, durationHours: 4 },
  });
const named = { updateStrategyId: 'test-then-prod' };
const stages = (...of: readonly object[]) => ({ ...strategy(of), ...run(named) });

describe('a forecast of cluster upgrades', () => {
  it('says who is upgraded when: through slots, waits, gates and windows; and who not, and why', async () => {
    const fleet = new UpgradeFleet({
      ...stages(
        { name: 'test', groups: [{ name: 'canary' }], afterStageWaitInSeconds: 3600 },
        { name: 'prod', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] },
      ),
      ...daily('eu', '20:00'),
    })
      .with(['a', 'b'], inGroup('canary'))
      .with(['c'], inGroup('eu'))
      .with(['d'], { ...inGroup('eu'), versions: at('v1.31.5') });
    const found = await of(fleet);
    expect(times(found)).toEqual([
      [
        'k8s Completed',
        ['test', 'a 10:00-10:30', 'b 10:30-11:00', 'soak 11:00-12:00'],
        ['prod', 'c 20:00-20:30', 'approval 12:00-13:00', 'window 13:00-20:00', 'd Skipped AlreadyAtTarget'],
      ],
    ]);
    expect([found.end, found.doneAt]).toEqual(['settled', '2026-11-20T20:30:00Z']);
    expect(forecastSummary(found, usual)).toBe('Everything is done at 2026-11-20 20:30 UTC.');
    const [part] = forecastParts(found);
    expect(part!.title).toBe('k8s (Full to 1.31.5): done at 2026-11-20 20:30 UTC');
    expect(part!.notes).toEqual([
      'stage test: soaks 2026-11-20 11:00 UTC to 2026-11-20 12:00 UTC',
      'stage prod: needs approval k8s-before-prod, requested at 2026-11-20 12:00 UTC, given at 2026-11-20 13:00 UTC',
      'stage prod: clusters wait for a maintenance window 2026-11-20 13:00 UTC to 2026-11-20 20:00 UTC',
      'stage prod: d: skipped, AlreadyAtTarget: control plane and pools are at or ahead of 1.31.5',
    ]);
  });
  it('goes on past the instant from which slots are kept free for a window', async () => {
    const fleet = new UpgradeFleet({
      ...strategy([{ name: 'prod', groups: [{ name: 'eu' }] }]),
      ...run({ ...named, reserveUpcomingWindows: true }),
      ...daily('eu', '20:00'),
    }).with(['a', 'b'], inGroup('eu'));
    expect(times(await of(fleet))).toEqual([
      ['k8s Completed', ['prod', 'a 20:00-20:30', 'b 20:30-21:00', 'window 10:00-20:00']],
    ]);
  });
  it('takes each step of several minors as an operation', async () => {
    const versions = ['1.30.9', '1.31.5', '1.32.1'].map((version) => ({ version }));
    const fleet = new UpgradeFleet({
      ...run({
        chainMinors: true,
        managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion: '1.32' } },
      }),
      ...own('VersionCatalog', 'all', { regions: [{ name: 'eu', kubernetesVersions: versions }] }),
    }).with(['a'], { labels: { 'topology.kubernetes.io/region': 'eu' } });
    const found = await of(fleet);
    expect(times(found)).toEqual([['k8s Completed', ['default', 'a 10:00-10:30', 'a 10:30-11:00']]]);
    expect(forecastParts(found)[0]!.rows[0]!.slice(0, 2)).toEqual(['default', '1/1']);
  });
  it('an upgrade that is longer than its progress deadline does not fail: there is news of it', async () => {
    const fleet = new UpgradeFleet(run({ progressDeadline: '1h0m0s' })).with(['a']);
    expect(times(await of(fleet, { upgradedAfterMs: 300 * minute }))).toEqual([
      ['k8s Completed', ['default', 'a 10:00-15:00']],
    ]);
  });
  it('a cluster that does not respond waits; one with an operation of others is upgraded after that', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
    fleet.members.get('a')!.reachable = false;
    fleet.members.get('b')!.upgrade = { phase: 'Running' };
    const found = await of(fleet);
    expect(times(found)).toEqual([['k8s Pending', ['default', 'b 10:30-11:00', 'a Pending ClusterUnavailable']]]);
    expect(forecastSummary(found, usual)).toBe('Not done until something else changes: k8s (a is not responding).');
  });
  it('what members were not asked yet stands against nothing', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a']);
    fleet.members.get('a')!.preflight = { done: false };
    expect(times(await of(fleet))).toEqual([['k8s Completed', ['default', 'a 10:00-10:30']]]);
  });
  it('a run that a profile proposes is named, and does not start', async () => {
    const catalog = (...versions: readonly string[]) =>
      own('VersionCatalog', 'all', {
        regions: [{ name: 'eu', kubernetesVersions: versions.map((version) => ({ version })) }],
      });
    const fleet = new UpgradeFleet({
      ...own('AutoUpgradeProfile', 'stable', { channel: 'Rapid' }),
      ...catalog('1.30.9'),
    }).with(['a'], { labels: { 'topology.kubernetes.io/region': 'eu' } });
    await fleet.plan();
    Object.assign(fleet.files, catalog('1.30.9', '1.31.5'));
    const found = await of(fleet);
    expect([found.upgrades, found.proposals]).toMatchObject([[], [{ run: 'stable-1-31-5', profile: 'stable' }]]);
    expect(forecastSummary(found, usual)).toBe(
      'Nothing changes on any cluster. Proposed, and not started before it is merged (gitfleet approve NAME): stable-1-31-5 (Full to 1.31.5).',
    );
  });
  it('without observations it supposes that every cluster needs the upgrade', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
    fleet.isObserved = false;
    expect(times(await of(fleet))).toEqual([['k8s Completed', ['default', 'a 10:00-10:30', 'b 10:30-11:00']]]);
  });
  it('continues what is in flight, and leaves out runs that are over or stopped', async () => {
    const fleet = new UpgradeFleet({ ...run({}), ...run({ state: 'Stopped' }, 'later') }).with(['a', 'b']);
    await fleet.plan();
    fleet.later(600);
    expect(times(await of(fleet))).toEqual([['k8s Completed', ['default', 'a 10:00-10:40', 'b 10:40-11:10']]]);
    for (const seconds of [0, 60, 120]) {
      fleet.later(seconds).succeed();
      await fleet.plan();
    }
    expect(fleet.run().status.state).toBe('Completed');
    expect(times(await of(fleet))).toEqual([]);
  });
});
