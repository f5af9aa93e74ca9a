import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ClusterName } from '../../src/api/meta.ts';
import type { PlacementState } from '../../src/api/placement-state.ts';
import { statusFiles, wholeRecord } from '../../src/daemon/record/publication.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import { renderDashboard } from '../../src/report/dashboard.ts';
import type { DashboardInput } from '../../src/report/dashboard-input.ts';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment, member, PaperFleet } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

afterAll(removeFolders);

const linked = (commit: string): string => `[\`${commit.slice(0, 12)}\`](../../commit/${commit})`;

const shard = (name: string): string => sha256(name).slice(0, 2);

/** Input of a dashboard that has nothing to show beside the plan. */
async function nothingElse({ paper }: Pick<FleetOnGit, 'paper'>): Promise<DashboardInput> {
  const { fleet, record } = await paper.input();
  return { branch: 'main', unreachable: new Map(), notRolledOut: [], before: { record, files: paper.record }, fleet };
}

it('the dashboard shows requests and problems, then runs, placements, clusters and holds', async () => {
  const fleet = await FleetOnGit.open({ ...shop, 'clusters/spare-1.yaml': member('spare-1', { env: 'dev' }) });
  await fleet.settle();
  fleet.commit({ 'placements/pay.yaml': shop['placements/pay.yaml']!.replace('External', 'Externl') }, 'A slip');
  await fleet.settle();
  const readme = fleet
    .git('show', 'fleet-status:README.md')
    .replace(/\b[0-9a-f]{12}(?:[0-9a-f]{28})?\b/g, 'cccccccccccc');
  expect(readme).toMatchInlineSnapshot(`
    "# ⚠️ 2 things need you · 3 of 4 clusters as desired

    Planned from commit [\`cccccccccccc\`](../../commit/cccccccccccc) of \`main\`.

    ## Waiting for approval

    - **pay-1**, stage **dev**: run pay-1 has been waiting since 2026-11-20T10:00:10Z for approval of stage dev after it finished. To approve: \`gitfleet approve pay-1-after-dev\`, or on \`main\` in a clone: \`git pull && git merge --no-ff --no-edit origin/gitfleet/approve/pay-1-after-dev && git push\`

    ## Problems

    - error: \`placements/pay.yaml:18:5\` ClusterResourcePlacement pay: type must be "RollingUpdate" or "External" (found Externl). Fix: did you mean External?

    ## Waiting for user action

    - **pay** LastGoodVersion: its file is not valid: the last good version stays in effect until the reported problem is fixed

    ## Staged runs

    | run | snapshot | clusters done | state |
    |---|---|---|---|
    | [pay-1](runs/pay-1.yaml) | 0 | dev 1/1, prod 0/1 | waiting for approval pay-1-after-dev |

    ## Placements

    |  | placement | clusters | snapshot | state |
    |---|---|---|---|---|
    | 🔄 | [pay](placements/pay/status.yaml) | **1** / 2 | [0](placements/pay/snapshots/0.yaml) | rolled out by update runs |
    | ✅ | [web](placements/web/status.yaml) | 2 / 2 | [0](placements/web/snapshots/0.yaml) | as desired |
    | ✅ | [web/settings](placements/web.settings/status.yaml) | 4 / 4 | [0](placements/web.settings/snapshots/0.yaml) | as desired |

    ## Clusters

    |  | cluster | health | region | Kubernetes | runs (snapshot) |
    |---|---|---|---|---|---|
    | 🔄 | [us-1](clusters/us-1.yaml) | healthy | us |  | web (0), web/settings (0) |
    | ✅ | [dev-1](clusters/dev-1.yaml) | healthy | eu |  | pay (0), web/settings (0) |
    | ✅ | [eu-1](clusters/eu-1.yaml) | healthy | eu |  | web (0), web/settings (0) |
    | ✅ | [spare-1](clusters/spare-1.yaml) | healthy |  |  | web/settings (0) |"
  `);
});

it('a removal that waits for approval is listed with the branch to merge, and not among the holds', async () => {
  const fleet = await FleetOnGit.open(shop);
  const plan = await fleet.pass();
  const message = 'Namespace web holds 1 object(s) that are not of this placement: ConfigMap web/theirs';
  const hold = {
    subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'eu-1' as ClusterName },
    reason: 'ContainsForeignObjects',
    message,
    removalDigest: 'sha256:0123456789abcdef',
  } as const;
  const beside = await nothingElse(fleet);
  const readme = (holds: Plan['holds'], inPlace?: boolean) =>
    renderDashboard({ ...plan, approvals: [], holds }, { ...beside, inPlace });
  expect(readme([hold])).toContain(
    [
      '## Waiting for approval',
      '',
      `- removal of **web · eu-1**: ${message}. To approve: \`gitfleet approve removal-0123456789ab\`, or on \`main\` in a clone: \`git pull && git merge --no-ff --no-edit origin/gitfleet/approve/removal-0123456789ab && git push\``,
      '',
      '',
    ]
      .join('\n')
      .trimEnd(),
  );
  expect(readme([hold], true)).toContain(
    ' on `main` in the repo: `git merge --no-ff --no-edit gitfleet/approve/removal-0123456789ab`\n',
  );
  const asked = {
    name: 'removal-0123456789ab',
    removalDigest: 'sha256:0123456789abcdef',
    messages: [message],
    rules: ['ContainsForeignObjects'],
  };
  expect(readRecord(wholeRecord({ ...plan, holds: [hold] }, beside)).removals).toEqual([asked]);
  expect(readme([hold])).not.toContain('## Held');
  expect(readme(Array(203).fill(hold))).toContain('\n- … and 3 more\n');
});

it('a rollout that waits is listed with its budget, and a suspended placement as suspended', async () => {
  const web = shop['placements/web.yaml']!.replace('maxUnavailable: 1', 'maxUnavailable: 0');
  const fleet = await FleetOnGit.open({ ...shop, 'placements/web.yaml': web });
  await fleet.settle();
  fleet.commit({ 'resources/web.yaml': deployment('web', 'web', 'web:2') }, 'web 2');
  await fleet.settle();
  const readme = () => fleet.git('show', 'fleet-status:README.md');
  const once =
    'is updated once maxUnavailable 0 allows it (with 0 every cluster that the policy requires must stay available: set 1 or more to continue the rollout)';
  const row =
    '[web](placements/web/status.yaml) | 2 / 2 | [0](placements/web/snapshots/0.yaml) on 2 → [1](placements/web/snapshots/1.yaml) |';
  expect(readme()).toContain(`- **web** RolloutBudget: eu-1, us-1: ${once}`);
  expect(readme()).toContain(`| 🔄 | ${row} the rollout waits on some clusters |\n`);
  const described = (await cli('describe', 'placement', 'web', '--repo', fleet.dir)).out;
  expect(described).toContain(`eu-1, us-1: RolloutBudget: ${once}\n`);
  const listed = (await cli('get', 'placement', 'web', '-o', 'wide', '--repo', fleet.dir)).out;
  expect(listed).toMatch(/HELD +AGE\n.* RolloutBudget \(2\) /);
  const planned = (...flags: string[]) => cli('plan', '--repo', fleet.dir, '--now', '2026-11-20T12:00:00Z', ...flags);
  expect((await planned()).out).toContain(`\nHeld:\n  web RolloutBudget: eu-1, us-1: ${once}\n`);
  expect((await planned('-o', 'markdown')).out).toContain(`\n- **web** RolloutBudget: eu-1, us-1: ${once}\n`);
  const tip = fleet.git('rev-parse', 'fleet-status');
  await fleet.pass();
  expect(fleet.git('rev-parse', 'fleet-status')).toBe(tip);
  const suspended = web.replace('metadata:\n', 'metadata:\n  annotations: {gitfleet.dev/suspended: audit}\n');
  fleet.commit({ 'placements/web.yaml': suspended }, 'Suspend web');
  await fleet.settle();
  expect(readme()).toContain(`| ⏸️ | ${row} suspended (audit), the rollout waits on some clusters |\n`);
});

it('removals are listed as removals, and not as running, also those of placements that no table names any more', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const plan = await fleet.pass();
  const target = (name: string, clusterName: string, remove = true) => ({
    clusterName: clusterName as ClusterName,
    placement: { kind: 'ClusterResourcePlacement' as const, name },
    remove,
    objects: [],
  });
  const placements = plan.placements.map((placement) => ({
    ...placement,
    bindings: placement.bindings.map((binding) =>
      placement.name === 'web' && binding.clusterName === 'eu-1' ? { ...binding, move: 'remove' as const } : binding,
    ),
  }));
  const targets = [
    target('gone', 'dev-1'),
    target('web', 'eu-1'),
    target('gone', 'eu-1'),
    target('web', 'us-1', false),
  ];
  const beside = await nothingElse(fleet);
  const readme = renderDashboard({ ...plan, placements, targets }, beside);
  expect(readme).toContain('| [web](placements/web/status.yaml) | 1 / 1 | [0](placements/web/snapshots/0.yaml) |');
  expect(readme).toContain('| [eu-1](clusters/eu-1.yaml) | healthy | eu |  | web/settings (0) |\n');
  expect(readme).toContain('\n## Being removed\n\n- **gone** from dev-1, eu-1\n- **web** from eu-1\n');
  expect(renderDashboard(plan, beside)).not.toContain('Being removed');
});

it('the tables of a refused plan show what stays in effect', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const parts = (readme: string, ...titles: string[]) =>
    titles.map((title) => readme.split('\n## ').find((part) => part.startsWith(`${title}\n`)));
  const readme = () => fleet.git('show', 'fleet-status:README.md');
  const counts = () => (parse(fleet.git('show', 'fleet-status:summary.yaml')) as { counts: object }).counts;
  const tables = ['Staged runs', 'Placements', 'Clusters'];
  const before = { tables: parts(readme(), ...tables), counts: counts() };
  expect(before.tables.every((table) => table !== undefined)).toBe(true);
  for (const path of ['placements/web.yaml', 'placements/pay.yaml', 'placements/settings.yaml', 'rollouts/pay-1.yaml'])
    fleet.commit({ [path]: '# nothing' }, `Empty ${path}`);
  const plan = await fleet.pass({ refused: true });
  expect(plan.placements).toEqual([]);
  expect(readme()).toContain('The tables below show the status that stays in effect.');
  expect(parts(readme(), ...tables)).toEqual(before.tables);
  expect(counts()).toEqual(before.counts);
});

it('refused plans: the dashboard names their commit and the one in effect, with its requests and holds', async () => {
  const slip = shop['placements/web.yaml']!.replace('PickFixed', 'PickFixd');
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const good = fleet.commit({ 'placements/web.yaml': slip }, 'A slip');
  await fleet.settle();
  const readme = () => fleet.git('show', 'fleet-status:README.md').split('\n## ');
  const summary = () => parse(fleet.git('show', 'fleet-status:summary.yaml')) as Record<string, object>;
  const waiting = () => readme().filter((part) => /^(Waiting|Held)/.test(part));
  const before = { waiting: waiting(), holds: summary()['holds'], counts: summary()['counts'] };
  expect(before.waiting.map((part) => part.split('\n')[0])).toEqual([
    'Waiting for approval',
    'Waiting for user action',
  ]);

  const strict = 'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: 0}}\n';
  const other = shop['rollouts/pay-1.yaml']!.replaceAll('pay-1', 'pay-2');
  const gone = { 'placements/settings.yaml': '# nothing', 'placements/web.yaml': shop['placements/web.yaml']! };
  for (const say of ['once', 'again', 'and again']) {
    const bad = fleet.commit({ 'fleet.yaml': strict, 'rollouts/pay-2.yaml': other, ...gone, 'README.md': say }, say);
    const { holds } = await fleet.pass({ refused: true });
    expect(holds.map(({ reason }) => reason)).not.toContain('LastGoodVersion');
    expect(readme()[0]).toBe(
      `# ⚠️ 2 things need you · 2 of 3 clusters as desired\n\nThe plan of commit ${linked(bad)} of \`main\` is refused. In effect is the plan from commit ${linked(good)}.\n`,
    );
    const shown = waiting().map((part) => part.replace('No answer counts while the guard refuses the plan.\n\n', ''));
    expect(shown[0]).not.toBe(waiting()[0]);
    expect({ waiting: shown, holds: summary()['holds'], counts: summary()['counts'] }).toEqual(before);
    expect([summary()['commit'], summary()['commitInForce']]).toEqual([bad, good]);
  }
  fleet.commit({ ...shop, 'fleet.yaml': '# nothing' }, 'Take it back');
  await fleet.settle();
  expect(readme()[0]).toMatch(/^# .* clusters as desired\n\nPlanned from commit /);
  expect(waiting().map((part) => part.split('\n')[0])).toEqual(['Waiting for approval', 'Held']);
  expect(summary()['commitInForce']).toBeUndefined();
});

it('a first plan that is refused: nothing is in effect', async () => {
  const fleet = await FleetOnGit.open(shop);
  const plan = await fleet.paper.planOn();
  fleet.paper.record = new Map();
  const guard = [{ rule: 'blast-radius-clusters' as const, message: 'too many' }];
  expect(renderDashboard({ ...plan, guard }, await nothingElse(fleet))).toMatch(
    /^# .*\n\nThe plan of commit .* of `main` is refused. In effect is nothing.\n\n## Refused\n/,
  );
});

it('where the commit in effect is not recorded, none is named, and not the one that was refused before', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.paper.settle();
  const guard = [{ rule: 'blast-radius-clusters' as const, message: 'too many' }];
  const plan = { ...(await fleet.paper.planOn()), guard };
  const beside = await nothingElse(fleet);
  const files = statusFiles(plan, new Map(fleet.paper.record), beside);
  for (const before of [beside.before, { record: readRecord(files).record, files }])
    expect(renderDashboard(plan, { ...beside, before })).toMatch(
      /^# .*\n\nThe plan of commit .* of `main` is refused. In effect is the previous status.\n/,
    );
});

it('what main approves by now is not requested, although the plan with the approval is refused', async () => {
  const fleet = await FleetOnGit.open(shop);
  await fleet.settle();
  const { fleet: files, record } = await fleet.paper.input();
  const [asked] = [...record.approvals.values()].filter((it) => it.kind !== 'Gate');
  const digest = `sha256:${'1'.repeat(64)}`;
  const hold = {
    subject: { kind: 'ClusterResourcePlacement', name: 'web', clusterName: 'us-1' as ClusterName },
    reason: 'ContainsForeignObjects' as const,
    message: 'holds theirs',
    removalDigest: digest,
  };
  const inEffect = { holds: [hold], holdCount: 1, commit: 'c0ffee' };
  const guard = [{ rule: 'blast-radius-clusters' as const, message: 'too many' }];
  const plan = { ...(await fleet.paper.planOn()), guard, approvals: [], holds: [] };
  const waiting = (answers: Partial<DashboardInput['fleet']>) =>
    renderDashboard(plan, {
      ...{ branch: 'main', unreachable: new Map(), notRolledOut: [] },
      before: { record: { ...record, inEffect }, files: fleet.paper.record },
      fleet: { ...files, ...answers },
    })
      .split('\n## ')
      .find((part) => part.startsWith('Waiting for approval'))
      ?.match(/^- .*$/gm)
      ?.map((line) => line.replace(/\. To approve: .*/, ''));
  const yes = {
    apiVersion: 'gitfleet.dev/v1alpha1' as const,
    kind: 'RemovalApproval' as const,
    metadata: { name: 'y' },
  };
  const gate = '- **pay-1**, stage **dev**';
  const removal = '- removal of **web · us-1**: holds theirs';
  expect(waiting({})).toEqual([gate, removal]);
  expect(waiting({ approvals: [asked!] })).toEqual([removal]);
  expect(waiting({ removalApprovals: [{ ...yes, spec: { removalDigest: digest } }] })).toEqual([gate]);
  expect(waiting({ approvals: [asked!], removalApprovals: [{ ...yes, spec: { removalDigest: digest } }] })).toBe(
    undefined,
  );
});

it('the tables of a refused plan show the removals of before and the present availability', async () => {
  const fleet = await FleetOnGit.open({ ...shop, 'resources/web.yaml': deployment('web', 'web', 'web:1') });
  await fleet.settle();
  const { fleet: files, record } = await fleet.paper.input();
  const going = (state: PlacementState): PlacementState => ({
    ...state,
    bindings: state.bindings.map((it) => (it.targetCluster === 'us-1' ? { ...it, deleting: true } : it)),
  });
  const placements = new Map(
    [...record.placements].map(([key, it]) => [key, key === 'web' ? { ...it, state: going(it.state) } : it]),
  );
  fleet.paper.broken.add('eu-1/Deployment/web');
  fleet.paper.refresh();
  const plan = await fleet.paper.planOn();
  const guard = [{ rule: 'blast-radius-clusters' as const, message: 'too many' }];
  const beside = { branch: 'main', unreachable: new Map(), notRolledOut: [], fleet: files };
  const readme = renderDashboard(
    { ...plan, guard },
    { ...beside, before: { record: { ...record, placements }, files: fleet.paper.record } },
  );
  expect(readme).toContain('| [web](placements/web/status.yaml) | **0** / 1 | [0](placements/web/snapshots/0.yaml) |');
  expect(readme).toContain('\n## Being removed\n\n- **web** from us-1\n');
});

it('tables link to files, which a large fleet has in folders of two digits', async () => {
  const fleet = await FleetOnGit.open(shop);
  const plan = await fleet.pass();
  const beside = await nothingElse(fleet);
  const spread = new Map(
    [...plan.record].map(([path, document]) => [
      path.replace(
        /^(placements|runs)\/([^/]+?)(?=\.yaml|\/)/,
        (_, folder, name) => `${folder}/${shard(name)}/${name}`,
      ),
      document,
    ]),
  );
  expect(renderDashboard(plan, beside)).toContain(' | [web/settings](placements/web.settings/status.yaml) |');
  const readme = renderDashboard({ ...plan, record: spread }, beside);
  expect(readme).toContain(` | [web/settings](placements/${shard('web.settings')}/web.settings/status.yaml) |`);
  expect(readme).toContain(`\n| [pay-1](runs/${shard('pay-1')}/pay-1.yaml) |`);
});

it('a member that reports itself unhealthy is listed with its message, unless it does not respond', async () => {
  const fleet = await FleetOnGit.open(shop);
  const plan = await fleet.pass();
  const since = '2026-11-20T10:00:00Z';
  const cluster = (name: string, status: string) => {
    const conditions = [
      { type: 'Healthy', status, reason: 'Readyz', message: `500 of ${name}`, lastTransitionTime: since },
    ];
    const value = { metadata: { name }, spec: {}, status: { agentStatus: [{ type: 'MemberAgent', conditions }] } };
    return [`clusters/${name}.yaml`, { kind: 'object', value }] as const;
  };
  const record = new Map([cluster('dev-1', 'True'), cluster('eu-1', 'False'), cluster('us-1', 'False')]);
  const beside = await nothingElse(fleet);
  const unreachable = new Map([['us-1' as ClusterName, { cause: 'refused' }]]);
  const readme = (members: typeof unreachable) =>
    renderDashboard({ ...plan, record }, { ...beside, unreachable: members });
  const intro = 'After five minutes unhealthy, a cluster gets no new placements.';
  expect(readme(unreachable)).toContain(`\n## Not healthy\n\n${intro}\n\n- eu-1, since ${since}: 500 of eu-1\n`);
  expect(readme(unreachable)).not.toContain('500 of us-1');
  expect(readme(new Map([...unreachable, ['eu-1' as ClusterName, { cause: 'refused' }]]))).not.toContain('Not healthy');
});

it('a staged run that failed needs somebody, and one that is stopped does not', async () => {
  const paper = new PaperFleet(shop);
  const runs = shop['rollouts/pay-1.yaml']!;
  const stopped = runs.replace('spec:', 'spec:\n  state: Stop');
  const missing = runs.replaceAll('pay-1', 'gone-1').replace('placementName: pay', 'placementName: gone');
  const pages: string[] = [];
  for (const change of [{}, { 'rollouts/pay-1.yaml': stopped }, { 'rollouts/gone-1.yaml': missing }]) {
    Object.assign(paper.files, change);
    await paper.settle();
    pages.push(renderDashboard(await paper.planOn(), await nothingElse({ paper })));
  }
  expect(pages.map((page) => page.split('\n')[0])).toEqual([
    '# ⚠️ 1 thing needs you · 2 of 3 clusters as desired',
    '# 🔄 2 of 3 clusters as desired',
    '# ⚠️ 1 thing needs you · 2 of 3 clusters as desired',
  ]);
  expect(pages[1]).toContain(
    '- **pay-1**, stage **dev**: its run is stopped; an approval counts once the run continues. To approve: ',
  );
});
