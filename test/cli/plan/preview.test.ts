import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FleetOnGit } from '../../support/fleet-on-git.ts';
import { put, removeFolders } from '../../support/folders.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';
import { cli } from '../../support/run-cli.ts';
import { stagedRun } from '../../support/staged-run.ts';

const cities = ['ams', 'fra', 'lon', 'nyc'];
const extra = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: extra, namespace: web}\ndata: {v: "1"}\n';
let fleet: FleetOnGit;
afterAll(removeFolders);
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    ...Object.fromEntries(cities.map((name) => [`clusters/${name}.yaml`, member(name)])),
    'web.yaml': placement('web', '{placementType: PickAll}'),
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
    'resources/extra.yaml': extra,
  });
  await fleet.settle();
  fleet.git('checkout', '-q', '-b', 'my-branch');
  fleet.git('rm', '-q', 'resources/extra.yaml');
  fleet.git('commit', '-q', '-m', 'Drop extra');
  fleet.git('checkout', '-q', '-b', 'later', 'main');
  put(fleet.dir, { 'resources/more.yaml': extra.replace('extra', 'more') });
  fleet.git('add', '-A', 'resources');
  fleet.git('commit', '-q', '-m', 'Add more');
  fleet.git('checkout', '-q', '-b', 'typo', 'main');
  put(fleet.dir, { 'web.yaml': placement('web', '{placementType: PickAll}').replace('name: web}]', 'name: wbe}]') });
  fleet.git('commit', '-q', '-a', '-m', 'Misspell the selector');
  fleet.git('checkout', '-q', '-b', 'idle', 'main');
  put(fleet.dir, {
    'idle.yaml': placement(
      'idle',
      '{affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {clusterSelectorTerms: [{labelSelector: {matchLabels: {such: thing}}}]}}}}',
    ),
  });
  fleet.git('add', '-A', 'idle.yaml');
  fleet.git('commit', '-q', '-m', 'Add idle');
  fleet.git('checkout', '-q', '-b', 'early', 'main');
  const { 'strategy.yaml': strategy, 'run.yaml': run } = stagedRun('{type: Approval}');
  put(fleet.dir, {
    'strategy.yaml': strategy!,
    'run.yaml': run!.replace('placementName: web', 'placementName: staged'),
    'staged.yaml': placement('staged', '{placementType: PickAll}', '{type: External}'),
    'approvals/web-1-after-all.yaml':
      'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterApprovalRequest\nmetadata: {name: web-1-after-all}\nspec: {parentStageRollout: web-1, targetStage: all}\nstatus: {conditions: [{type: Approved, status: "True", reason: Approved}]}\n',
  });
  fleet.git('add', '-A');
  fleet.git('commit', '-q', '-m', 'Approve before it is asked');
  fleet.git('checkout', '-q', '-b', 'conflicting', 'main');
  put(fleet.dir, { 'resources/extra.yaml': extra.replace('"1"', '"2"') });
  fleet.git('commit', '-q', '-a', '-m', 'Change extra');
  fleet.git('checkout', '-q', 'main');
});

const preview = (...flags: string[]) =>
  cli('plan', '--repo', fleet.dir, ...(flags.includes('--base') ? [] : ['--base', 'main']), ...flags);

it('a preview has the error of an approval for a gate that the branch brings', async () => {
  const { out, code } = await preview('--ref', 'early');
  expect(code).toBe(2);
  expect(out).toContain('error[approval-without-review]: ');
  expect(out).toContain('approvals/web-1-after-all.yaml:');
});

describe('gitfleet plan', () => {
  it('counts the objects that updates remove', async () => {
    const plan = (...flags: string[]) => cli('plan', '--repo', fleet.dir, '--ref', 'my-branch', ...flags);
    expect((await plan()).out).toMatch(/ to update, 0 to remove, .*\. Updates remove 1 object\.\n/);
    expect((await plan('-o', 'markdown')).out).toMatch(/at snapshot 1, which removes 1 object\n/);
  });
  it('is refused where misspelt selectors remove everything', async () => {
    const { out, code } = await cli('plan', '--repo', fleet.dir, '--ref', 'typo');
    expect(code).toBe(4);
    expect(out).toMatch(/Refused by the guard:\n.*since its resource selectors match nothing, and/);
  });
});

describe('gitfleet plan --base', () => {
  it('says in a comment what the branch does once everything has settled', async () => {
    const { out, code } = await preview('--ref', 'my-branch', '-o', 'markdown');
    expect(code).toBe(1);
    expect(out).toMatch(/^<!-- gitfleet plan -->\n### gitfleet plan: removes 4 objects · 4 of 4 clusters\n/);
    expect(out).toContain('\n| web | **4** | - | - | 4 | - | - |\n');
    expect(out).toContain('\n**web: ConfigMap web/extra removed, same on 4 clusters (ams, fra, lon, nyc)**\n');
    expect(out).toMatch(/\n\*\*How it rolls out\*\*\n- web: rolls out by itself, /);
    expect(out).toMatch(/\n\*\*Forecast\.\*\* Everything is done at /);
  });
  it('has the same facts in a table, and as JSON and YAML', async () => {
    const { out } = await preview('--ref', 'my-branch');
    expect(out).toMatch(
      /^removes 4 objects · 4 of 4 clusters\n\nPLACEMENT +REMOVES +CHANGES +ADDS +CLUSTERS +GAINS +LOSES\nweb +4 /,
    );
    const json = JSON.parse((await preview('--ref', 'my-branch', '-o', 'json')).out);
    expect(json).toMatchObject({
      kind: 'TotalEffect',
      base: 'main',
      placements: [{ removed: 4, changed: 0, added: 0 }],
      changes: [{ action: 'remove', clusters: cities }],
    });
    expect(parse((await preview('--ref', 'my-branch', '-o', 'yaml')).out)).toMatchObject({
      kind: 'TotalEffect',
      changes: json.changes,
    });
  });
  it('is of the merge result: what came to the base meanwhile stays', async () => {
    const { out, code } = await preview('--ref', 'my-branch', '--base', 'later');
    expect(code).toBe(1);
    expect(out).toMatch(/^removes 4 objects · 4 of 4 clusters\n/);
    expect(out).toMatch(/Plan of [0-9a-f]{12} merged into later at [0-9a-f]{12}\.\n$/);
  });
  it('of a branch that conflicts with the base is an error that names the files', async () => {
    const { err, out, code } = await preview('--ref', 'my-branch', '--base', 'conflicting');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(
      'my-branch cannot be merged into conflicting: both changed resources/extra.yaml: merge conflicting into it',
    );
  });
  it('of the same commit is nothing, and --all lists what stays as it is', async () => {
    const { out, code } = await preview('--ref', 'main');
    expect([code, out.split('\n')[0]]).toEqual([0, 'no change on any cluster']);
    expect(out).not.toContain('PLACEMENT');
    expect((await preview('--ref', 'main', '--all')).out).toMatch(/\nPLACEMENT .*\nweb +- +- +- +0 +- +-\n/);
  });
  it('has warnings of the whole repo that the branch adds', async () => {
    const { out } = await preview('--ref', 'idle');
    expect(out).toMatch(/\nProblems:\n.*idle\.yaml:\d+:\d+: .*there is no Namespace idle/);
    expect((await preview('--ref', 'idle', '--base', 'idle')).out).not.toContain('idle.yaml');
  });
  it('supposes when clusters are ready', async () => {
    const { out } = await preview('--ref', 'my-branch', '--ready-after', '5m');
    expect(out).toContain('clusters are ready after 5m0s');
    const { err, code } = await cli('plan', '--repo', fleet.dir, '--ready-after', '5m');
    expect([code, err]).toEqual([2, expect.stringContaining('--ready-after goes with --base')]);
  });
  it.each([
    ['--taint', 'ams=a:NoSchedule'],
    ['--without-cluster', 'ams'],
    ['--label', 'ams=env=prod'],
    ['--out-recorded', 'never'],
  ])('is refused with %s', async (...flags) => {
    const { err, code } = await preview(...flags);
    expect([code, err]).toEqual([2, expect.stringContaining("option '--base <ref>' cannot be used with option")]);
  });
});
