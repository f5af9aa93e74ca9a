import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { sh } from '../../support/git-repository.ts';
import { deployment, moves } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { place, shop } from '../../support/shop.ts';

const everywhere = {
  'placements/base.yaml': place('base', { policy: { placementType: 'PickAll' } }),
  'placements/agent.yaml': place('agent', {
    policy: { placementType: 'PickAll', tolerations: [{ key: 'cordon-key', operator: 'Exists' }] },
  }),
  'resources/base.yaml': deployment('base', 'base', 'base:1'),
  'resources/agent.yaml': deployment('agent', 'agent', 'agent:1'),
  // As a person writes it: a comment, another style, two objects in a file.
  'clusters/eu-1.yaml': `# The first cluster.
apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata:
  name: eu-1 # in Frankfurt
  labels: {env: prod, region: eu}
spec:
  heartbeatPeriodSeconds: 60
---
apiVersion: cluster.kubernetes-fleet.io/v1
kind: MemberCluster
metadata: { name:   eu-2 }
`,
};

let fleet: FleetOnGit;
const open = async () => {
  fleet = await FleetOnGit.open({ ...shop, ...everywhere });
  await fleet.settle();
};
afterAll(removeFolders);

const run = (...args: string[]) => cli(...args, '--repo', fleet.dir);
const text = (path: string): string => readFileSync(join(fleet.dir, path), 'utf8');
const on = (cluster: string, plan: Parameters<typeof moves>[0]): string[] =>
  plan.placements
    .filter(({ bindings }) => bindings.some(({ clusterName }) => clusterName === cluster))
    .map(({ name }) => name);

describe('drain', () => {
  beforeEach(open);

  it('pushes a branch with a taint and an eviction for each placement that can be evicted, and shows what stays', async () => {
    const ran = await run('drain', 'eu-1');
    expect(ran.code).toBe(0);
    expect(ran.err).toBe(`note: agent may come back to eu-1: it tolerates the taint
note: web stays on eu-1: its policy is PickFixed; remove eu-1 from clusterNames
note: web/settings stays on eu-1: only a ClusterResourcePlacement can be evicted; require kubernetes-fleet.io/member-name NotIn [eu-1] in its clusterAffinity
`);
    expect(
      ran.out.replace(/[0-9a-f]{8,}/g, '…').replaceAll(fleet.dir, 'DIR'),
    ).toBe(`eu-1 is to be cordoned, and agent, base evicted from it: commit … on gitfleet/drain/eu-1
  clusters/eu-1.yaml
  evictions/drain-eviction-agent-eu-1-….yaml
  evictions/drain-eviction-base-eu-1-….yaml
Nothing happens until it is merged into main:
  git -C DIR merge gitfleet/drain/eu-1 && git -C DIR branch -d gitfleet/drain/eu-1
`);
    expect(fleet.git('diff', 'main', 'gitfleet/drain/eu-1', '--', 'clusters').split('\n').slice(5)).toEqual([
      '   labels: {env: prod, region: eu}',
      ' spec:',
      '   heartbeatPeriodSeconds: 60',
      '+  taints:',
      '+    - key: cordon-key',
      '+      value: cordon-value',
      '+      effect: NoSchedule',
      ' ---',
      ' apiVersion: cluster.kubernetes-fleet.io/v1',
      ' kind: MemberCluster',
    ]);
    expect(fleet.git('status', '--porcelain', '--untracked-files=no')).toBe('');
  });

  it('once merged empties the cluster, and uncordon fills it again', async () => {
    await run('drain', 'eu-1');
    fleet.git('merge', '-q', 'gitfleet/drain/eu-1');
    fleet.look();
    expect(on('eu-1', await fleet.settle())).toEqual(['agent', 'web', 'settings']);
    expect(await run('drain', 'eu-1')).toMatchObject({
      code: 0,
      out: expect.stringContaining('and agent evicted from it'),
    });

    expect(await run('uncordon', 'eu-1', '--direct')).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^eu-1 is to accept placements again: commit [0-9a-f]{12} on main\n {2}clusters\/eu-1.yaml\n {2}evictions\/drain-eviction-agent-.* \(removed\)\n {2}evictions\/drain-eviction-base-.* \(removed\)\n$/,
      ),
    });
    expect(text('clusters/eu-1.yaml')).toBe(everywhere['clusters/eu-1.yaml']);
    expect(fleet.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    fleet.look();
    expect(on('eu-1', await fleet.settle())).toEqual(['agent', 'base', 'web', 'settings']);
    expect(await run('uncordon', 'eu-1')).toMatchObject({ code: 0, out: 'eu-1 is not cordoned\n' });
  });

  it('names the External placements that only an update run brings back to an uncordoned cluster', async () => {
    const external = place('late', { policy: { placementType: 'PickAll' }, strategy: { type: 'External' } });
    fleet = await FleetOnGit.open({
      ...shop,
      ...everywhere,
      'placements/late.yaml': external,
      'resources/late.yaml': deployment('late', 'late', 'late:1'),
      'clusters/eu-1.yaml': everywhere['clusters/eu-1.yaml'].replace(
        'heartbeatPeriodSeconds: 60',
        'taints: [{key: cordon-key, value: cordon-value, effect: NoSchedule}]',
      ),
    });
    await fleet.settle();
    expect(await run('uncordon', 'eu-1', '--direct')).toMatchObject({
      code: 0,
      err:
        'note: late needs a staged update run then: nothing is deployed to dev-1, eu-1, eu-2, us-1 yet\n' +
        'note: to start a run, add a file with {apiVersion: placement.kubernetes-fleet.io/v1, kind: ClusterStagedUpdateRun, metadata: {name: NEW-NAME}, spec: {placementName: late, stagedRolloutStrategyName: STRATEGY}}\n',
    });
  });

  it('run twice makes one branch, and none when there is nothing to do', async () => {
    await run('drain', 'eu-1');
    const first = fleet.git('rev-parse', 'gitfleet/drain/eu-1');
    fleet.commit({ 'README.md': 'Hello\n' }, 'Say hello');
    await run('drain', 'eu-1');
    expect(fleet.git('merge-base', 'gitfleet/drain/eu-1', first)).toBe(first);
    expect(fleet.git('merge-base', 'gitfleet/drain/eu-1', 'main')).toBe(fleet.git('rev-parse', 'main'));
  });

  it('--dry-run prints the change and changes nothing', async () => {
    const before = fleet.git('for-each-ref');
    const ran = await run('drain', 'eu-2', '--dry-run');
    expect(ran.out).toMatch(/^# clusters\/eu-1.yaml\n.*\n\+ {3}taints:\n\+ {5}- key: cordon-key\n/s);
    expect(ran.out).toMatch(/\n# evictions\/drain-eviction-agent-eu-2-[0-9a-f]{8}.yaml\n---\napiVersion: /);
    expect(ran.out).not.toContain('The first cluster');
    expect(fleet.git('for-each-ref')).toBe(before);
  });

  it('-o json', async () => {
    const ran = await run('drain', 'eu-1', '-o', 'json');
    expect(JSON.parse(ran.out)).toMatchObject({
      kind: 'Change',
      dryRun: false,
      branch: 'gitfleet/drain/eu-1',
      commit: fleet.git('rev-parse', 'gitfleet/drain/eu-1'),
      files: [{ path: 'clusters/eu-1.yaml' }, {}, {}],
      notes: [{}, {}, {}].map(() => expect.any(String)),
      next: [`git -C ${fleet.dir} merge gitfleet/drain/eu-1 && git -C ${fleet.dir} branch -d gitfleet/drain/eu-1`],
    });
  });

  it('of a bare repository, whose status it reads too', async () => {
    const bare = join(folder(), 'fleet.git');
    sh('.', 'clone', '-q', '--bare', fleet.dir, bare);
    const ran = await cli('drain', 'eu-1', '--repo', bare, '--git-author', 'Bo <bo@example.com>');
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('agent, base evicted') });
    expect(sh(bare, 'log', '-1', '--format=%an <%ae> %s', 'gitfleet/drain/eu-1')).toBe(
      'Bo <bo@example.com> Drain eu-1',
    );
  });

  it('names the page of the forge where the request is opened', async () => {
    fleet.commit(
      {
        'fleet.yaml':
          'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {forge: {kind: github, repository: acme/fleet}}\n',
      },
      'Name the forge',
    );
    expect((await run('drain', 'eu-1')).out).toContain(
      '  https://github.com/acme/fleet/compare/main...gitfleet%2Fdrain%2Feu-1?expand=1\n',
    );
  });
});

describe('suspend and resume', () => {
  beforeEach(open);

  const web2 = { 'resources/web.yaml': deployment('web', 'web', 'web:2') };

  it('a placement: nothing of it moves until it is resumed, and the file is as it was', async () => {
    const before = text('placements/web.yaml');
    expect(await run('suspend', 'placement', 'web', '--reason', 'incident 42')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^placement web is suspended: commit [0-9a-f]{12} on main\n {2}placements\/web.yaml\n$/,
      ),
      err: 'note: objects on the members stay, and their drift is still repaired\n',
    });
    expect(fleet.git('log', '-1', '--format=%an: %B')).toBe('Ann: Suspend placement web\n\nincident 42');
    expect(fleet.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    fleet.look();
    fleet.commit(web2, 'web 2');
    const held = await fleet.settle();
    expect(moves(held).filter((move) => move.startsWith('web '))).toEqual([
      'web eu-1 wait Bound 0',
      'web us-1 wait Bound 0',
    ]);
    expect(held.holds.filter(({ reason }) => reason === 'Freeze').map(({ message }) => message)).toEqual([
      'eu-1 is updated once the annotation gitfleet.dev/suspended (incident 42) of web is removed',
      'us-1 is updated once the annotation gitfleet.dev/suspended (incident 42) of web is removed',
    ]);
    expect(await run('suspend', 'placement/web')).toMatchObject({
      code: 0,
      out: 'placement web is suspended already\n',
    });

    await run('resume', 'crp/web');
    expect(text('placements/web.yaml')).toBe(before);
    fleet.look();
    expect(moves(await fleet.settle()).filter((move) => move.startsWith('web '))).toEqual([
      'web eu-1 keep Bound 1',
      'web us-1 keep Bound 1',
    ]);
  });

  it('a placement without a reason: reports have none either', async () => {
    await run('suspend', 'placement', 'web');
    expect(text('placements/web.yaml')).toContain('gitfleet.dev/suspended: ""\n');
    fleet.look();
    await fleet.settle();
    expect(fleet.git('show', 'fleet-status:README.md')).toMatch(/\| \[web\].* suspended[,| ](?!\()/);
    await run('resume', 'placement', 'web');
    expect(text('placements/web.yaml')).not.toContain('suspended');
  });

  it('a placement that is suspended already: only another reason is written', async () => {
    await run('suspend', 'placement', 'web', '--reason', 'incident 42');
    expect(await run('suspend', 'placement', 'web', '--reason', 'incident 42')).toMatchObject({
      out: 'placement web is suspended already\n',
      err: '',
    });
    expect(await run('suspend', 'placement', 'web', '--reason', 'incident 43')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^placement web stays suspended, for another reason: commit [0-9a-f]{12} on main\n/),
      err: '',
    });
    expect(text('placements/web.yaml')).toContain('gitfleet.dev/suspended: incident 43\n');
    expect(fleet.git('log', '-1', '--format=%B')).toBe('Suspend placement web\n\nincident 43');
    expect(await run('suspend', 'placement', 'web')).toMatchObject({ out: 'placement web is suspended already\n' });
  });

  it('a run that is suspended already has no place for another reason, and reports that', async () => {
    await run('suspend', 'run', 'pay-1');
    expect(await run('suspend', 'run', 'pay-1', '--reason', 'incident 43')).toMatchObject({
      code: 0,
      out: 'run pay-1 is suspended already\n',
      err: 'note: a run has no field for a reason: only the commit that stops it records the reason\n',
    });
  });

  it("a run, by KubeFleet's own state", async () => {
    await run('suspend', 'run', 'pay-1');
    expect(text('rollouts/pay-1.yaml')).toBe(`${shop['rollouts/pay-1.yaml']}  state: Stop\n`);
    await run('resume', 'run/pay-1', '--pull-request');
    expect(fleet.git('show', 'gitfleet/resume/pay-1:rollouts/pay-1.yaml')).toBe(
      `${shop['rollouts/pay-1.yaml']}  state: Run`,
    );
    expect(text('rollouts/pay-1.yaml')).toContain('Stop');
  });

  it.each(['suspend', 'resume'])('%s refuses a run that is only initialized, and says how to go on', async (verb) => {
    const only = `${shop['rollouts/pay-1.yaml']!.replace('pay-1', 'pay-2')}  state: Initialize\n`;
    fleet.commit({ 'rollouts/pay-2.yaml': only }, 'Prepare a run');
    await fleet.settle();
    const refused = {
      code: 2,
      out: '',
      err: `gitfleet: run pay-2 has not started, it is only initialized (state: Initialize): there is nothing to ${verb}; to start it, write state: Run into its file, and to give it up, remove the file\n`,
    };
    expect(await run(verb, 'run', 'pay-2')).toEqual(refused);
    const { out } = await cli('describe', 'run', 'pay-2', '--repo', fleet.dir);
    expect(out).toContain('State:      initialized, not started\n');
    expect(out).toContain('Waits for:\n  someone to start it: write state: Run into its file\n');
    // The record says that it stays so.
    fleet.commit({ 'rollouts/pay-2.yaml': only.replace('Initialize', 'Stop') }, 'Stop it');
    await fleet.settle();
    expect(await run(verb, 'run', 'pay-2')).toEqual(refused);
  });

  it.each(['suspend', 'resume'])('%s refuses a run that is over, and shows how it ended', async (verb) => {
    const lost = shop['rollouts/pay-1.yaml']!.replace('pay-1', 'lost').replace(
      'placementName: pay',
      'placementName: nowhere',
    );
    fleet.commit({ 'rollouts/lost.yaml': lost }, 'Run what is nowhere');
    await fleet.settle();
    const before = fleet.git('rev-parse', 'main');
    expect(await run(verb, 'run', 'lost')).toEqual({
      code: 2,
      out: '',
      err: `gitfleet: run lost is over (parent placement nowhere not found): there is nothing to ${verb}\n`,
    });
    expect(fleet.git('rev-parse', 'main')).toBe(before);
  });

  it('does not touch a file that someone is editing', async () => {
    writeFileSync(join(fleet.dir, 'placements/web.yaml'), 'half done');
    expect(await run('suspend', 'placement', 'web')).toMatchObject({
      code: 2,
      err: expect.stringContaining('placements/web.yaml changed in '),
    });
    expect(text('placements/web.yaml')).toBe('half done');
  });
});

describe('commands that change the repo say what they cannot do', () => {
  beforeAll(open);

  it.each([
    [['drain', 'eu-9'], 2, 'there is no cluster eu-9: did you mean eu-1?'],
    [
      ['drain', 'eu-1', '--branch', 'nowhere'],
      3,
      'has no branch nowhere, only fleet-status, main: commit to it, or name another --branch',
    ],
    [['drain', 'eu-1', '--direct', '--git-author', 'Bo'], 2, '"Bo" names no author'],
    [['uncordon'], 2, "missing required argument 'cluster'"],
    [['suspend', 'placement', 'wbe'], 2, 'there is no placement wbe: did you mean web?'],
    [['suspend', 'cluster', 'eu-1'], 2, 'suspend takes a placement, a run or an upgrade, not cluster'],
    [['resume', 'run'], 2, 'resume run needs a name: gitfleet get runs lists them'],
  ])('%j', async (args, code, message) => {
    const ran = await run(...args);
    expect({ ...ran, err: ran.err.includes(message) ? message : ran.err }).toEqual({ code, out: '', err: message });
  });
});
