import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { removeFolders } from '../../support/folders.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

describe('a cluster update run', () => {
  const strategy = {
    stages: [
      { name: 'one', groups: [{ name: 'eu' }] },
      { name: 'two', beforeGates: [{ displayName: 'go west', type: 'Approval' }], groups: [{ name: 'us' }] },
    ],
  };
  let dir = '';
  beforeAll(async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('eu-1', { 'gitfleet.dev/update-group': 'eu' }),
      ...upgradeMember('eu-2', { 'gitfleet.dev/update-group': 'eu' }),
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun({ strategy }),
    });
    const runs = (version: string) => ({
      versions: { controlPlane: version, pools: [{ name: 'np1', kubernetes: version }] },
    });
    for (const name of ['eu-1', 'eu-2', 'us-1']) fleet.paper.versions.set(name, runs('v1.30.9'));
    await fleet.pass();
    fleet.paper.versions.set('eu-1', runs('v1.31.5'));
    await fleet.pass();
    dir = fleet.dir;
    commit = async (spec) => {
      fleet.commit(upgradeRun({ strategy, ...spec }), 'Change the run');
      await fleet.pass();
    };
    upgraded = async () => {
      fleet.paper.versions.set('eu-2', runs('v1.31.5'));
      await fleet.pass();
    };
  });
  let upgraded: () => Promise<void>;
  let commit: (spec: object) => Promise<void>;

  it('is listed, described and asked for', async () => {
    const now = ['--repo', dir];
    const listed = await cli('get', 'upgrades', '-o', 'wide', ...now);
    expect(listed.out.split('\n')[0]!.split(/ {2,}/)).toEqual([
      'NAME',
      'TYPE',
      'TARGET',
      'STATE',
      'STAGE',
      'DONE',
      'FAILED',
      'IN-FLIGHT',
      'PENDING',
      'NEXT',
      'WAITS-FOR',
      'AGE',
    ]);
    expect(listed.out.split('\n')[1]!.split(/ {2,}/).slice(0, 10)).toEqual([
      'k8s',
      'Full',
      '1.31.5',
      'Running',
      'one',
      '1/3',
      '0',
      'eu-2',
      '0',
      'two',
    ]);
    const inProgress = await cli('describe', 'cluster', 'eu-2', ...now);
    expect(inProgress.out).toMatch(/Upgrade: +run k8s, v1\.30\.9 → v1\.31\.5, since 2026-11-20T10:00:\d\dZ\n/);
    expect((await cli('describe', 'cluster', 'eu-1', ...now)).out).not.toContain('Upgrade:');
    await upgraded();
    expect((await cli('get', 'upgrades', ...now)).out).toMatch(/ {3}approval k8s-before-two {3}\d+\w+\n/);
    const described = await cli('describe', 'upgrade', 'k8s', ...now);
    expect(described.out).toContain('State:     Pending');
    expect(described.out).toMatch(/eu-1 +Completed/);
    expect(described.out).toContain(
      'approval k8s-before-two since 2026-11-20T10:00:20Z: merge branch gitfleet/approve/k8s-before-two',
    );
    expect(described.out).toContain('v1.30.9 → v1.31.5');
    expect(described.out).toContain('before it: Approval "go west": Pending');
    expect(described.out).toContain('git merge --no-ff --no-edit gitfleet/approve/k8s-before-two');
    const asked = await cli('get', 'approvals', ...now);
    expect(asked.out).toMatch(/k8s-before-two +k8s +two.* \d+\w+ +gate/);
    const page = await cli('describe', 'approval', 'k8s-before-two', ...now);
    expect(page.out).toContain('Gate:    before stage two');
    expect(page.out).toContain(
      'Approval starts:\n  stage two, 1 cluster, at most 1 at once: us-1\n  If a cluster fails, the run fails: upgrades in progress end, no further one starts, and what is upgraded stays so.\n\nClusters:\n  two, group us, at most 1 at once: us-1: v1.30.9 → v1.31.5; at any time\n',
    );
    expect(page.out).toContain('So far:\n  one: 2 of 2 clusters upgraded (eu-1, eu-2)\n');
    expect(described.out).toMatch(/Normal +GatePending +\S+ +gitfleet +stage two waits for approval k8s-before-two/);
    expect((await cli('get', 'events', ...now)).out).toMatch(/UpgradeStarted +updaterun\/k8s +eu-1: upgrading/);
  });

  it('is waited for, and says that it is stopped', async () => {
    const wait = (...more: string[]) => cli('wait', ...more, '--repo', dir, '--timeout', '0s');
    expect(await wait('upgrade/k8s', '--for=Completed')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(
        'upgrade/k8s: Completed is False (Pending)\n    approval k8s-before-two since 2026-11-20T10:00:20Z: merge branch',
      ),
    });
    await commit({ state: 'Stopped' });
    expect(await wait('upgrade/k8s', '--for=Stopped')).toMatchObject({ code: 0, out: 'upgrade/k8s condition met\n' });
    expect((await wait('upgrade/k8s', '--for=Completed')).err).toContain(
      '(Stopped)\n    stopped by its file; state: Started continues it\n',
    );
    const { out } = await cli('describe', 'upgrade', 'k8s', '--repo', dir);
    expect(out).toContain('Waits for:\n  stopped by its file; state: Started continues it\n');
    expect(out).toContain('Approval "go west": Pending; an approval counts once the run continues');
    expect(out).toContain('Stage one: Completed, at most 50 at once, 0 failed (0 allowed)');
    await commit({ skip: [{ type: 'Stage', name: 'two' }] });
    expect(await wait('upgrades', '--for=Completed')).toMatchObject({ code: 0, out: 'upgrade/k8s condition met\n' });
    expect(await wait('upgrade/k8s', '--for=Failed')).toMatchObject({
      code: 1,
      err: 'gitfleet: the wait cannot succeed:\n  upgrade/k8s: Failed is False (Completed)\n',
    });
  });

  it('names the clusters that wait', async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeMember('us-2', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun({ strategy: { stages: [{ name: 'two', groups: [{ name: 'us', maxConcurrency: '2' }] }] } }),
    });
    await fleet.pass();
    const { out } = await cli('get', 'upgrades', '--repo', fleet.dir);
    expect(out.replaceAll(/ +(AGE|\d+\w+)$/gm, '')).toMatchInlineSnapshot(`
      "NAME   TYPE   TARGET   STATE     STAGE   DONE   FAILED   WAITS-FOR
      k8s    Full   1.31.5   Pending   two     0/2    0        NoProvider: us-1, us-2: the upgrade provider simulated reports no versions
      "
    `);
  });

  it('has gates whose approval is waited for', async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun({ strategy: { stages: [strategy.stages[1]] } }),
    });
    await fleet.pass();
    const wait = () => cli('wait', 'approvals', '--for=Approved', '--timeout', '0s', '--repo', fleet.dir);
    expect((await wait()).err).toContain('approval/k8s-before-two has no condition Approved yet');
    const file = fleet.git('show', 'fleet-status:approvals/k8s-before-two.yaml');
    fleet.commit(
      {
        'approvals/k8s-before-two.yaml': file
          .replace(/status:\s+state: Pending/, '')
          .replace('spec:', 'spec:\n  state: Completed'),
      },
      'Approve',
    );
    await fleet.pass();
    expect(await wait()).toMatchObject({ code: 0, out: 'approval/k8s-before-two condition met\n' });
  });
  it('that is stopped has approvals that count once it continues', async () => {
    const spec = { strategy: { stages: [strategy.stages[1]] } };
    const fleet = await FleetOnGit.open({
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun(spec),
    });
    await fleet.pass();
    fleet.commit(upgradeRun({ ...spec, state: 'Stopped' }), 'Stop');
    await fleet.pass();
    const name = 'k8s-before-two';
    const approved = fleet
      .git('show', `fleet-status:approvals/${name}.yaml`)
      .replace(/status:\s+state: Pending/, '')
      .replace('spec:', 'spec:\n  state: Completed');
    const commit = fleet.commit({ [`approvals/${name}.yaml`]: approved }, 'Approve');
    fleet.paper.approvers = new Map([[`Gate//${name}`, { commit, author: 'Ann' }]]);
    const plan = await fleet.pass();
    const later = `approved by Ann in commit ${commit.slice(0, 7)}, which counts once the run continues`;
    expect(plan.approvals.map(({ approvedBy }) => approvedBy)).toEqual([later]);
    const described = (await cli('describe', 'upgrade', 'k8s', '--repo', fleet.dir)).out;
    expect(described).toContain(`before it: Approval "go west": Pending, ${later}\n`);
    expect(described).not.toContain('git merge');
    const page = (await cli('describe', 'approval', name, '--repo', fleet.dir)).out;
    expect(page).toContain(`State:   Pending, ${later}\n`);
    expect(page).not.toContain('How to approve');
    expect(page).toContain('not before someone resumes the run, which is stopped: gitfleet resume upgrade k8s\n');
    const listed = (await cli('get', 'approvals', '--repo', fleet.dir)).out;
    expect(listed).toMatch(/k8s-before-two +k8s +two +True +<none> +\d+\w+ +gate/);
  });

  it('names the attempt and the file that continue it after a rejection', async () => {
    const fleet = await FleetOnGit.open({
      ...upgradeMember('us-1', { 'gitfleet.dev/update-group': 'us' }),
      ...upgradeRun({ strategy: { stages: [strategy.stages[1]] } }),
    });
    await fleet.pass();
    const file = fleet.git('show', 'fleet-status:approvals/k8s-before-two.yaml');
    const rejected = file.replace(/status:\s+state: Pending/, '').replace('spec:', 'spec:\n  state: Rejected');
    fleet.commit({ 'approvals/k8s-before-two.yaml': rejected }, 'Reject');
    await fleet.pass();
    const { out } = await cli('describe', 'upgrade', 'k8s', '--repo', fleet.dir);
    expect(out).toContain('"go west": Rejected (approval k8s-before-two was rejected on main)\n');
    expect(out).not.toContain('git merge');
    expect(out).toMatch(
      /^Waits for:\n {2}failed: .*\. Remove the file that rejects it, then write attempt: 2 in upgrades\/k8s\.yaml$/m,
    );
    expect((await cli('get', 'upgrades', '--repo', fleet.dir)).out).toMatch(
      /failed: approval k8s-before-two was .{1,45}… /,
    );

    const next = upgradeRun({ strategy: { stages: [strategy.stages[1]] }, attempt: 2, atempt: 2 });
    fleet.commit(next, 'Try again');
    await fleet.pass();
    const invalid = 'UpdateRun k8s: its file is not valid: upgrades/k8s.yaml:1:';
    expect((await cli('get', 'upgrades', '--repo', fleet.dir)).out).toContain(invalid);
    expect((await cli('describe', 'upgrade', 'k8s', '--repo', fleet.dir)).out).toContain(`Waits for:\n  ${invalid}`);
  });
});
