import { describe, expect, it } from 'vitest';
import { forecastSteps } from '../../src/forecast/steps.ts';
import { type TotalEffect, totalEffect } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { at, inGroup, run, strategy, UpgradeFleet } from '../engine/upgrade/upgrade-fleet.ts';
import { treeOf } from '../support/paper-fleet.ts';

const assumptions = {
  readyAfterMs: 60_000,
  upgradedAfterMs: 1_800_000,
  approveAfterMs: 600_000,
  untilMs: 30 * 86_400_000,
};
const to = (kubernetesVersion: string) => ({ managedClusterUpdate: { upgrade: { type: 'Full', kubernetesVersion } } });
const next = run(to('1.32.1'), 'next');

const effectOf = async (fleet: UpgradeFleet, files: Readonly<Record<string, string>>): Promise<TotalEffect> =>
  totalEffect(
    await fleet.input(),
    { fleet: await loadFleet(treeOf({ ...fleet.files, ...files })), commit: 'd'.repeat(40) },
    assumptions,
  );
const left = ({ upgrades }: TotalEffect) =>
  upgrades.flatMap(({ stages }) =>
    stages.flatMap((stage) => stage.left.map(({ clusterName, status }) => [clusterName, status.error?.code])),
  );
const changes = ({ upgrades }: TotalEffect) =>
  upgrades.flatMap(({ stages }) =>
    stages.flatMap(({ clusters }) =>
      clusters.map(({ clusterName, versions: { from } }) => [clusterName, from?.controlPlane]),
    ),
  );

describe('the total effect of a cluster update run', () => {
  it('that builds on one in progress supposes that this is done before, and says so', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b', 'c']);
    await fleet.plan();
    fleet.succeed();
    await fleet.plan();
    expect(fleet.states()[1]).toContain('[a Completed, b Running, c NotStarted]');
    const effect = await effectOf(fleet, next);
    expect([effect.upgradedBefore, left(effect)]).toEqual([['k8s'], []]);
    expect(changes(effect)).toEqual(['a', 'b', 'c'].map((name) => [name, 'v1.31.5']));
    expect(effectText(effect).upgrades[0]).toBe('supposed to be done before, so merge after that: k8s');
  });

  it('supposes it of runs that have not started yet, with their hops', async () => {
    const versions = ['1.30.9', '1.31.5', '1.32.1', '1.33.0'].map((version) => ({ version }));
    const region = { labels: { 'topology.kubernetes.io/region': 'eu' } };
    const catalog = {
      'catalog.yaml': JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'VersionCatalog',
        metadata: { name: 'all' },
        spec: { regions: [{ name: 'eu', kubernetesVersions: versions }] },
      }),
    };
    const fleet = new UpgradeFleet({ ...catalog, ...run({ ...to('1.32.1'), chainMinors: true }) }).with(['a'], region);
    const effect = await effectOf(fleet, run(to('1.33.0'), 'next'));
    expect([effect.upgradedBefore, left(effect), changes(effect)]).toEqual([['k8s'], [], [['a', 'v1.32.1']]]);
  });

  it.each([
    ['is stopped', { state: 'Stopped' }, 'upgrade-provider', 'MinorSkipped'],
    ['cannot upgrade the member', {}, 'other', 'NoProvider'],
  ])('supposes nothing of a run that %s', async (_, spec, annotation, code) => {
    const fleet = new UpgradeFleet(run(spec)).with(['a'], { versions: at('v1.30.9') });
    fleet.files['clusters/a.yaml'] = fleet.files['clusters/a.yaml']!.replace('upgrade-provider', annotation);
    const files = code === 'NoProvider' ? run(to('1.31.5'), 'next') : next;
    const effect = await effectOf(fleet, files);
    expect([effect.upgradedBefore, left(effect)]).toEqual([[], [['a', code]]]);
    const { rollout, upgrades } = effectText(effect);
    expect([...rollout, ...upgrades].filter((line) => line.includes(code))).toHaveLength(1);
  });

  it('counts clusters that fail at once among those that the run is for', async () => {
    const fleet = new UpgradeFleet({})
      .with(['a'], { versions: at('v1.30.9') })
      .with(['b'], { versions: at('v1.29.4') });
    const { title } = effectText(await effectOf(fleet, run(to('1.31.5'))));
    expect(title).toBe('no object changes · 1 cluster update run for 2 of 2 clusters, of which 1 fails at once');
  });

  it('upgrades a cluster that the same change adds, as the oldest one', async () => {
    const fleet = new UpgradeFleet({})
      .with(['a'], { versions: at('v1.31.5') })
      .with(['b'], { versions: at('v1.30.9') });
    await fleet.plan();
    const { 'clusters/b.yaml': file } = fleet.files;
    const joining = { ...run({}), 'clusters/c.yaml': file!.replace('"b"', '"c"') };
    const effect = await effectOf(fleet, joining);
    expect([changes(effect), effect.forecast.end]).toEqual([
      [
        ['b', 'v1.30.9'],
        ['c', 'v1.30.9'],
      ],
      'settled',
    ]);
    const { rollout, upgrades } = effectText(effect);
    expect(rollout[0]).toMatch(
      /^joining: c, .* yet, and to run what the oldest cluster with the same upgrade provider runs\. /,
    );
    expect(upgrades.join('\n')).not.toContain('NoProvider');
    // Another provider reports other versions.
    const other = { ...joining, 'clusters/c.yaml': joining['clusters/c.yaml'].replace('simulated', 'aks') };
    expect(left(await effectOf(fleet, other)).map(([name]) => name)).toContain('c');
  });

  it('supposes no approval of a run that starts nothing', async () => {
    const gated = [{ name: 'test', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] }];
    const files = { ...strategy(gated), ...run({ updateStrategyId: 'test-then-prod' }) };
    const fleet = new UpgradeFleet(files).with(['a'], inGroup('eu'));
    await fleet.plan();
    expect(fleet.last!.approvals.map(({ answer, file }) => [answer, file !== undefined])).toEqual([[undefined, true]]);
    Object.assign(fleet.files, run({ updateStrategyId: 'test-then-prod', state: 'Stopped' }));
    expect(forecastSteps(await fleet.input(), assumptions).steps.map(({ now }) => now)).toEqual([
      '2026-11-20T10:00:00Z',
    ]);
  });

  const gated = {
    ...strategy([{ name: 'all', beforeGates: [{ type: 'Approval' }], groups: [{ name: 'eu' }] }]),
    ...run({ updateStrategyId: 'test-then-prod' }),
  };
  const window = {
    'window.yaml': JSON.stringify({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'MaintenanceConfiguration',
      metadata: { name: 'evenings' },
      spec: {
        memberSelector: { byLabel: 'gitfleet.dev/update-group=eu' },
        maintenanceWindow: { schedule: { daily: { intervalDays: 1 } }, startTime: '20:00', durationHours: 4 },
      },
    }),
  };
  const answer = (state: 'Completed' | 'Rejected') => (fleet: UpgradeFleet) => {
    const { name } = fleet.asked()[0]!;
    const { [`approvals/${name}.yaml`]: file } = fleet.merge(name, state).files;
    delete fleet.files[`approvals/${name}.yaml`];
    return { 'approvals/gate.yaml': file! };
  };
  const leaves = 'which leaves 2 clusters as they are · no object changes';
  const kept = 'k8s: b, c: upgraded only without the change';
  it.each([
    ['removes', run({}), { 'upgrades/k8s.yaml': '' }, 'removal', `removes cluster update run k8s, ${leaves}`, kept],
    ['stops', run({}), run({ state: 'Stopped' }), 'stop', `stops cluster update run k8s, ${leaves}`, kept],
    [
      'replaces',
      run({}),
      { 'upgrades/k8s.yaml': '', ...run(to('1.31.5'), 'next') },
      'removal',
      'removes cluster update run k8s, which leaves 2 clusters as they are · no object changes · 1 cluster update run for 2 of 3 clusters',
      kept,
    ],
    [
      'rejects a gate of',
      gated,
      answer('Rejected'),
      'rejection',
      'rejects cluster update run k8s, which leaves 3 clusters as they are · no object changes',
      'k8s: a, b, c: upgraded only without the change',
    ],
    [
      'opens a gate of',
      gated,
      answer('Completed'),
      'approval',
      'approves k8s-before-all: starts all (3 clusters); nothing else',
      'k8s: a: upgraded from 2026-11-20 10:00 UTC on, without the change from 2026-11-20 10:10 UTC on',
    ],
    [
      'removes a window of',
      { ...run({}), ...window },
      { 'window.yaml': '' },
      undefined,
      'cluster update run k8s continues for 3 clusters at other times · no object changes',
      'k8s: a: upgraded from 2026-11-20 10:00 UTC on, without the change from 2026-11-20 20:00 UTC on',
    ],
  ])('that it %s says what becomes of its clusters', async (_, files, change, by, title, line) => {
    const fleet = new UpgradeFleet(files).with(['a', 'b', 'c'], inGroup('eu'));
    await fleet.plan();
    const effect = await effectOf(fleet, typeof change === 'function' ? change(fleet) : change);
    expect(effect.upgradesInProgress).toEqual([expect.objectContaining({ run: 'k8s', ...(by && { by }) })]);
    expect(effect.upgradedBefore).toEqual([]);
    const text = effectText(effect);
    expect([text.title, text.upgrades[0], text.isEmpty]).toEqual([title, line, by === 'approval']);
  });

  it.each([
    [
      'one',
      'no cluster yet',
      'nothing yet: stage all, 1 cluster, at most 1 at once: a, also waits for approval k8s-before-all-2',
    ],
    ['both', 'all (1 cluster)', 'stage all, 1 cluster, at most 1 at once: a'],
  ])('that approves %s of two gates says what starts, and that the fleet is frozen', async (how, title, line) => {
    const beforeGates = [{ type: 'Approval' }, { type: 'Approval' }];
    const fleet = new UpgradeFleet({
      ...strategy([{ name: 'all', beforeGates, groups: [{ name: 'eu' }] }]),
      ...run({ updateStrategyId: 'test-then-prod' }),
      'fleet.yaml': JSON.stringify({
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'FleetConfig',
        metadata: { name: 'fleet' },
        spec: { freeze: [{ name: 'office', schedule: '0 9 * * *', duration: '8h' }] },
      }),
    }).with(['a'], inGroup('eu'));
    await fleet.plan();
    const change = Object.fromEntries(
      (how === 'both' ? ['1', '2'] : ['1']).map((at) => {
        const path = `approvals/k8s-before-all-${at}.yaml`;
        const { [path]: file } = fleet.merge(`k8s-before-all-${at}`).files;
        delete fleet.files[path];
        return [path, file!];
      }),
    );
    const text = effectText(await effectOf(fleet, change));
    expect(text.title).toContain(`approves k8s-before-all-1: starts ${title}`);
    expect(text.rollout).toContain(
      `approves k8s-before-all-1: starts ${line}; not before freeze office ends at 2026-11-20T17:00:00Z`,
    );
  });

  it.each<[string, Record<string, string>]>([
    ['leaves by the change', { 'clusters/b.yaml': '' }],
    ['is skipped by the change', run({ updateStrategyId: 'test-then-prod', skip: [{ type: 'Member', name: 'b' }] })],
  ])('that approves a gate does not count a cluster that %s', async (_, change) => {
    const fleet = new UpgradeFleet(gated).with(['a', 'b', 'c'], inGroup('eu'));
    await fleet.plan();
    const text = effectText(await effectOf(fleet, { ...change, ...answer('Completed')(fleet) }));
    expect(text.title).toContain('approves k8s-before-all: starts all (2 clusters)');
    expect(text.rollout).toContain('approves k8s-before-all: starts stage all, 2 clusters, at most 1 at once: a, c');
  });

  it('does not count a rejection of a gate that is passed', async () => {
    const fleet = new UpgradeFleet(gated).with(['a', 'b', 'c'], inGroup('eu'));
    await fleet.plan();
    const rejection = answer('Rejected')(fleet);
    await fleet.merge('k8s-before-all').plan();
    const effect = await effectOf(fleet, { 'approvals/k8s-before-all.yaml': '', ...rejection });
    expect(effect.uncounted).toEqual([{ approval: 'k8s-before-all', why: 'its gate is passed' }]);
    expect(effectText(effect).title).toBe('not counted: k8s-before-all');
  });

  const resumes = 'not before someone resumes the run, which is stopped: gitfleet resume upgrade k8s';
  it.each([
    [
      'approves',
      'of a stopped run',
      'Completed',
      `starts stage all, 3 clusters, at most 1 at once: a, b, c; ${resumes}`,
    ],
    [
      'approves',
      'and stops the run',
      'Completed',
      `starts stage all, 3 clusters, at most 1 at once: a, b, c; ${resumes}`,
    ],
    ['rejects', 'of a stopped run', 'Rejected', `ends the run and leaves 3 clusters as they are (a, b, c); ${resumes}`],
  ] as const)('that %s a gate %s says that it counts once someone resumes the run', async (verb, how, state, line) => {
    const fleet = new UpgradeFleet(gated).with(['a', 'b', 'c'], inGroup('eu'));
    await fleet.plan();
    const gate = answer(state)(fleet);
    const stop = run({ updateStrategyId: 'test-then-prod', state: 'Stopped' });
    if (how === 'of a stopped run') {
      Object.assign(fleet.files, stop);
      await fleet.plan();
    }
    const effect = await effectOf(fleet, { ...stop, ...gate });
    expect([effect.halted, effect.uncounted]).toEqual([['k8s'], []]);
    expect(effectText(effect).rollout).toContain(
      `${verb} k8s-before-all${verb === 'rejects' ? ' (cluster update run k8s, stage all)' : ''}: ${line}`,
    );
    // The approval of another state of the run counts no sooner than now.
    const { 'approvals/gate.yaml': file } = gate;
    const stale = await effectOf(fleet, {
      ...stop,
      'approvals/gate.yaml': file!.replace(/sha256:\w{8}/, 'sha256:00000000'),
    });
    expect(stale.uncounted.map(({ approval }) => approval)).toEqual(['k8s-before-all']);
    Object.assign(fleet.files, gate, run({ updateStrategyId: 'test-then-prod' }));
    await fleet.plan();
    expect(fleet.states()[0]).toBe(state === 'Rejected' ? 'Failed/ApprovalRejected' : 'Running');
  });

  it('that approves a gate of a failed run says that its next attempt reads it', async () => {
    const fleet = new UpgradeFleet(gated).with(['a', 'b', 'c'], inGroup('eu'));
    await fleet.plan();
    const { 'approvals/gate.yaml': rejection } = answer('Rejected')(fleet);
    const approval = answer('Completed')(fleet);
    fleet.files['approvals/gate.yaml'] = rejection!;
    await fleet.plan();
    const effect = await effectOf(fleet, approval);
    expect([effect.halted, effect.uncounted]).toEqual([['k8s'], []]);
    expect(effectText(effect).rollout[0]).toMatch(
      /^approves .*; not before attempt 2 continues the run, which failed: /,
    );
  });

  it('in progress is left out where it continues as before', async () => {
    const fleet = new UpgradeFleet(run({})).with(['a', 'b']);
    await fleet.plan();
    const { upgradesInProgress, upgrades } = await effectOf(fleet, {
      'fleet.yaml': 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxRemovedClusters: 50%}}\n',
    });
    expect([upgradesInProgress, upgrades]).toEqual([[], []]);
  });
});
