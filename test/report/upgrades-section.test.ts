import { expect, it } from 'vitest';
import { approvals } from '../../src/report/approvals.ts';
import { renderDashboard } from '../../src/report/dashboard.ts';
import { summaryOf } from '../../src/report/summary.ts';
import { upgradeProgress } from '../../src/report/upgrades/progress.ts';
import { inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';

const twoStages = (): UpgradeFleet =>
  new UpgradeFleet({
    ...strategy([
      { name: 'dev', groups: [{ name: 'dev', maxConcurrency: '2' }], afterStageWaitInSeconds: 3600 },
      { name: 'prod', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] },
    ]),
    ...run({ updateStrategyId: 'test-then-prod' }),
    'windows.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceConfiguration',
      metadata: { name: 'eu' },
      spec: {
        memberSelector: { byLabel: 'gitfleet.dev/update-group=eu' },
        maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '20:00', durationHours: 4 },
      },
    }),
  })
    .with(['a', 'b'], inGroup('dev'))
    .with(['c', 'd'], inGroup('eu'));

/** The dashboard after a plan. */
const pageOf = async (fleet: UpgradeFleet): Promise<string> => (await reportsOf(fleet)).page;

/** The same, and how many approvals the summary counts. */
async function reportsOf(fleet: UpgradeFleet): Promise<{ readonly page: string; readonly waiting: number }> {
  const before = await fleet.input();
  const plan = await fleet.plan();
  const { fleet: files, record } = before;
  const input = {
    branch: 'main',
    unreachable: new Map(),
    notRolledOut: [],
    before: { record, files: fleet.record },
    fleet: files,
  };
  const { counts } = summaryOf(plan, input) as { counts: { approvalsWaiting: number } };
  return { page: renderDashboard(plan, input), waiting: counts.approvalsWaiting };
}

/** The lines of a section of it. */
async function linesOf(fleet: UpgradeFleet, title: string): Promise<string[]> {
  const page = await pageOf(fleet);
  const found = new RegExp(`## ${title}\\n\\n([\\s\\S]*?)\\n\\n(?=##|$)`).exec(`${page}\n\n`);
  return found?.[1]?.split('\n') ?? [];
}

/** The section of cluster upgrades, without its headings. */
const shown = async (fleet: UpgradeFleet): Promise<string> =>
  (await linesOf(fleet, 'Cluster upgrades')).at(-1) ?? 'none';

it('a gate that is open as its run fails says what its approval is for', async () => {
  const fleet = new UpgradeFleet({
    ...strategy([{ name: 'one', groups: [{ name: 'x' }, { name: 'y', beforeGates: [{ type: 'Approval' }] }] }]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  })
    .with(['x1'], inGroup('x'))
    .with(['y1'], inGroup('y'));
  await fleet.plan();
  fleet.fail('x1').later(60);
  expect((await linesOf(fleet, 'Waiting for approval'))[0]).toContain(
    '**k8s**, group **y**: its run failed; an approval counts once the run continues',
  );
});

it('an open gate of a run that someone stopped is nothing to do', async () => {
  const fleet = new UpgradeFleet({
    ...strategy([{ name: 'one', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'x' }] }]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  }).with(['x1'], inGroup('x'));
  const counted = async () => {
    const { page, waiting } = await reportsOf(fleet);
    return [page.split('\n')[0], waiting];
  };
  expect(await counted()).toEqual(['# ⚠️ 1 thing needs you · all 1 cluster as desired', 1]);
  Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }));
  expect(await counted()).toEqual(['# ✅ all 1 cluster as desired', 0]);
});

it('how to approve stands once, with whole seconds', async () => {
  const fleet = twoStages();
  await fleet.plan();
  fleet.later(60).succeed();
  await fleet.plan();
  fleet.later(3600.123);
  expect(await linesOf(fleet, 'Waiting for approval')).toEqual([
    '- **k8s**, stage **prod**: run k8s has been waiting since 2026-11-20T11:01:00Z for approval of stage prod before it starts. To approve: `gitfleet approve k8s-before-prod`, or on `main` in a clone: `git pull && git merge --no-ff --no-edit origin/gitfleet/approve/k8s-before-prod && git push`',
  ]);
});

it('a cluster counts as desired by the run that upgraded it last', async () => {
  const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
  const rowOf = async () => (await linesOf(fleet, 'Clusters')).find((line) => line.includes('[a]'));
  await fleet.plan();
  fleet.later(60).fail('a');
  expect(await rowOf()).toContain('| ⚠️ | [a](clusters/a.yaml) | healthy, upgrade failed |');
  Object.assign(fleet.files, run({}, 'again'));
  fleet.later(60);
  expect(await rowOf()).toContain('| 🔄 | [a](clusters/a.yaml) | healthy, upgrade in progress |');
  fleet.later(60).succeed('a');
  expect(await rowOf()).toContain('| ✅ | [a](clusters/a.yaml) | healthy |');
});

it('nobody is asked to approve a gate that opens by itself', async () => {
  const start = { startDay: 'Friday', startTime: '18:00', utcOffset: '+00:00' };
  const gate = { type: 'ScheduledStart', scheduledStartConfiguration: start };
  const fleet = new UpgradeFleet({
    ...strategy([{ name: 'one', beforeGates: [gate], groups: [{ name: 'x' }] }]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  }).with(['x1'], inGroup('x'));
  expect(await linesOf(fleet, 'Waiting for approval')).toEqual([]);
  expect(fleet.states()).toEqual(['Pending', 'one Pending: x NotStarted [x1 NotStarted]']);
});

it('the dashboard says what a run brings, what it does now, what it waits for and what comes next', async () => {
  const fleet = twoStages();
  const rows = [await shown(fleet)];
  fleet.later(60).fail('b');
  Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', skip: [{ type: 'Member', name: 'b' }] }));
  fleet.succeed('a');
  rows.push(await shown(fleet));
  fleet.later(3600);
  rows.push(await shown(fleet));
  fleet.merge('k8s-before-prod').later(60);
  rows.push(await shown(fleet));
  expect(rows).toMatchInlineSnapshot(`
    [
      "| [k8s](upgrades/k8s.yaml) | Kubernetes 1.31.5, control plane and nodes | 0 / 4 |  | stage dev (1 of 2): upgrading a, b (v1.30.9 → v1.31.5); next stage: prod |",
      "| [k8s](upgrades/k8s.yaml) | Kubernetes 1.31.5, control plane and nodes | 2 / 4 |  | stage dev (1 of 2): clusters are done; soaking until 2026-11-20T11:01:00Z; next stage: prod |",
      "| [k8s](upgrades/k8s.yaml) | Kubernetes 1.31.5, control plane and nodes | 2 / 4 |  | stage prod (2 of 2): waiting for approval k8s-before-prod |",
      "| [k8s](upgrades/k8s.yaml) | Kubernetes 1.31.5, control plane and nodes | 2 / 4 |  | stage prod (2 of 2): c, d waiting: next window opens at 2026-11-20T20:00:00Z |",
    ]
  `);
  Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }));
  expect(await shown(fleet.later(60))).toContain('stopped by its file; state: Started continues it');
});
it('a failed run is in the stage in which it failed, and failed clusters are not done', async () => {
  const fleet = twoStages();
  await fleet.plan();
  fleet.later(60).fail('b').succeed('a');
  expect(await shown(fleet)).toContain('| 1 / 4 | 1 | failed: 1 member failed: b.');
  expect(upgradeProgress(fleet.run())).toMatchObject({ stage: 'dev', next: 'prod' });
});

it('a run that failed says what to do', async () => {
  const fleet = twoStages();
  await fleet.plan();
  fleet.later(60).fail('b');
  expect(await shown(fleet)).toContain('failing: 1 member failed: b; upgrades in progress end first: a');
  fleet.later(60).succeed('a');
  expect(await shown(fleet)).toContain(
    'failed: 1 member failed: b. Repair or skip what failed, then write attempt: 2 in upgrades/k8s.yaml',
  );
});

it('a run that failed needs somebody, unlike one that is stopped, and clusters without placements count', async () => {
  const fleet = twoStages();
  const headlines: (string | undefined)[] = [];
  const look = async () => headlines.push((await pageOf(fleet)).split('\n')[0]);
  await look();
  fleet.later(60).fail('b');
  await look();
  fleet.later(60).succeed('a');
  await look();
  const over = { updateStrategyId: 'test-then-prod', skip: [{ type: 'Member', name: 'b' }] };
  Object.assign(fleet.files, run({ ...over, attempt: 2, state: 'Stopped' }));
  fleet.later(60);
  await look();
  Object.assign(fleet.files, run({ ...over, attempt: 2 }));
  await look();
  expect(headlines).toEqual([
    '# 🔄 2 of 4 clusters as desired',
    '# 🔄 2 of 4 clusters as desired',
    '# ⚠️ 1 thing needs you · 3 of 4 clusters as desired',
    '# ✅ all 4 clusters as desired',
    '# ✅ all 4 clusters as desired',
  ]);
});

it('a proposed run is news once, and what needs a user says what it brings', async () => {
  const own = (kind: string, name: string, spec: object) => ({
    [`${kind}.yaml`]: JSON.stringify({ apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec }),
  });
  const catalog = (...versions: readonly string[]) =>
    own('VersionCatalog', 'all', {
      regions: [{ name: 'eu', kubernetesVersions: versions.map((version) => ({ version })) }],
    });
  const fleet = new UpgradeFleet({ ...own('AutoUpgradeProfile', 'rapid', { channel: 'Rapid' }), ...catalog('1.31.5') });
  fleet.with(['a'], { labels: { 'topology.kubernetes.io/region': 'eu' } });
  const news = async (): Promise<readonly string[]> => {
    const { record: before } = await fleet.input();
    const plan = await fleet.plan();
    const { record: after } = await fleet.input();
    return approvals.events({ before, after, plan }).map(({ kind, name }) => `${kind} ${name}`);
  };
  expect(await news()).toEqual([]);
  Object.assign(fleet.files, catalog('1.31.5', '1.32.1'));
  expect(await news()).toEqual(['approval-requested rapid-1-32-1']);
  expect(await news()).toEqual([]);
  expect(await linesOf(fleet, 'Waiting for approval')).toEqual([
    expect.stringContaining(
      '**rapid-1-32-1**: profile rapid proposes this update run: Kubernetes 1.32.1, control plane and nodes. Kubernetes 1.32.1 appeared; run rapid-1-32-1 was proposed; at that time it would upgrade no cluster: a: control plane v1.30.9 is 2 minors behind v1.32.1; write chainMinors: true to upgrade it minor by minor. To approve: ',
    ),
  ]);
});

it('a scheduled start opens by itself: it is no news that needs approval', async () => {
  const scheduledStartConfiguration = { startDay: 'Saturday', startTime: '02:00', utcOffset: '+00:00' };
  const beforeGates = [{ type: 'ScheduledStart', scheduledStartConfiguration }];
  const fleet = new UpgradeFleet(
    run({ strategy: { stages: [{ name: 'one', beforeGates, groups: [{ name: 'x' }] }] } }),
  );
  fleet.with(['x1'], inGroup('x'));
  const { record: before } = await fleet.input();
  const plan = await fleet.plan();
  const { record: after } = await fleet.input();
  expect(plan.approvals).toHaveLength(1);
  expect(approvals.events({ before, after, plan })).toEqual([]);
});

it('without placements no empty table of them is shown', async () => {
  expect(await linesOf(twoStages(), 'Placements')).toEqual([]);
});
