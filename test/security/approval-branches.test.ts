import { afterEach, describe, expect, it } from 'vitest';
import { approvalPage } from '../../src/cli/kinds/approvals/page.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { AttackedFleet, type Files, gate, gatedFleet, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const branches = () =>
  [...world.fleet.repo.refs.keys()].filter((ref) => ref.startsWith('refs/heads/gitfleet/approve/'));
const branchProblems = () =>
  world.daemon
    .plan()
    .problems.filter(({ code }) => code === 'approval-branch')
    .map(({ file, message }) => `${file}: ${message}`);

it('a branch that cannot be changed is one problem, and everything else continues', async () => {
  world = await AttackedFleet.atGate();
  world.fleet.repo.commit(gate, { approvals: 'not a folder' }, 'Attack', []);
  await world.fleet.until('the problem is reported', () => branchProblems().length > 0, 300);
  expect(branchProblems()).toEqual([expect.stringContaining(`(branch) ${gate}: this branch`)]);
  expect(world.fleet.logged.filter((line) => line.includes('reconciliation failed'))).toEqual([]);
  // Another gate asks nevertheless.
  world.fleet.commit({ 'runs/web-1.yaml': undefined, 'runs/web-2.yaml': run('web-2') });
  await world.untilGate('gitfleet/approve/web-2-after-canary');
  await world.fleet.run(60);
  expect(branchProblems()).toEqual([]);
});

it('a branch that is deleted, as the problem advises, is pushed again', async () => {
  world = await AttackedFleet.atGate();
  world.fleet.repo.commit(gate, { approvals: 'not a folder' }, 'Attack');
  await world.fleet.until('the problem is reported', () => branchProblems().length > 0, 300);
  world.fleet.repo.refs.delete(`refs/heads/${gate}`);
  await world.untilGate();
  await world.fleet.run(60);
  expect(branchProblems()).toEqual([]);
  expect(Object.keys(await world.fleet.repo.files(gate))).toContain('approvals/web-1-after-canary.yaml');
});

it('a request for which main has no folder is one problem', async () => {
  const config = (path: string) =>
    `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {approvals: {path: ${path}}}\n`;
  world = await AttackedFleet.open({ ...gatedFleet('web:1'), 'fleet.yaml': config('gates'), gates: 'not a folder' });
  await world.fleet.run(1);
  await world.fleet.until('the problem is reported', () => branchProblems().length > 0, 300);
  expect(branchProblems()[0]).toContain(`(branch) ${gate}: gitfleet cannot change this branch`);
  world.fleet.commit({ 'fleet.yaml': config('approvals') });
  await world.untilGate();
  await world.fleet.run(60);
  expect(branchProblems()).toEqual([]);
});

describe('what others add to the branch of a request', () => {
  const file = 'approvals/web-1-after-canary.yaml';
  const add = (files: Files, message: string): string => world.fleet.repo.commit(gate, files, message);
  const described = async (): Promise<string> => {
    const { record, reported } = readRecord(new Map(Object.entries(await world.fleet.repo.files('fleet-status'))));
    const request = [...record.approvals.values()].find((it) => it.kind !== 'Gate')!;
    return approvalPage(request, { record, reported, inPlace: false }).join('\n');
  };

  it('is named in the problem, on the dashboard and by describe, and the branch stays as it is', async () => {
    world = await AttackedFleet.atGate();
    const files = await world.fleet.repo.files(gate);
    const evil = add({ ...files, 'resources/web.yaml': 'evil', 'x.yaml': 'evil' }, 'Change web');
    await world.fleet.until('it is reported', () => branchProblems().length > 0);
    const named = `contains more than that: files resources/web.yaml, x.yaml; commits ${evil.slice(0, 7)} Change web of Ann`;
    expect(branchProblems()).toEqual([`(branch) ${gate}: this branch, which requests an approval, ${named}`]);
    await world.fleet.run(30);
    const { 'README.md': dashboard = '' } = await world.fleet.repo.files('fleet-status');
    expect(dashboard).toContain('resources/web.yaml, x.yaml');
    expect(dashboard).toContain('See Problems before you merge its branch');
    expect(await described()).toContain(named);
    expect(world.fleet.repo.tip(gate)).toBe(evil);
  });

  it('is never built upon: a changed request is not written there', async () => {
    world = await AttackedFleet.atGate();
    const files = await world.fleet.repo.files(gate);
    const evil = add({ ...files, [file]: 'old', 'x.yaml': 'evil' }, 'Change x');
    await world.fleet.until('it is reported', () => branchProblems().length > 0);
    expect(branchProblems()[0]).toContain('x.yaml');
    expect(branchProblems()[0]).toContain('gitfleet does not write its request on top of that');
    expect(world.fleet.repo.tip(gate)).toBe(evil);
    world.fleet.repo.refs.delete(`refs/heads/${gate}`);
    await world.untilGate();
    await world.fleet.run(60);
    expect(branchProblems()).toEqual([]);
    expect(await world.fleet.repo.files(gate)).toEqual(files);
  });

  it('is named by its commits where it is taken back again', async () => {
    world = await AttackedFleet.atGate();
    const files = await world.fleet.repo.files(gate);
    const added = add({ ...files, 'x.yaml': 'evil' }, 'Add x');
    const removed = add(files, 'Remove x');
    await world.fleet.until('it is reported', () => branchProblems().length > 0);
    const commits = [`${removed.slice(0, 7)} Remove x of Ann`, `${added.slice(0, 7)} Add x of Ann`];
    expect(branchProblems()[0]).toContain(`more than that: commits ${commits.join(', ')}`);
  });

  it('is nothing where the followed branch was merged into it', async () => {
    world = await AttackedFleet.atGate();
    const approval = (await world.fleet.repo.files(gate))[file]!;
    const asked = world.fleet.repo.tip(gate)!;
    const main = world.fleet.commit({ 'README.md': 'new' });
    world.fleet.repo.commit(gate, { ...world.fleet.files, [file]: approval }, 'Merge main', [asked, main]);
    await world.fleet.run(60);
    expect(branchProblems()).toEqual([]);
  });
});

it('of many branches that request nothing 20 are deleted in each reconciliation', async () => {
  world = await AttackedFleet.atGate();
  world.daemon.kill();
  for (let n = 0; n < 50; n++) world.fleet.repo.commit(`gitfleet/approve/spam-${n}`, { x: '' }, 'Attack');
  const daemon = world.start();
  while (branches().length > 1) {
    const before = daemon.passes.length;
    await world.fleet.until('it reconciles', () => daemon.passes.length > before, 60);
    expect(branches().length).toBeGreaterThanOrEqual(51 - 20 * daemon.passes.length);
  }
  expect(branches()).toEqual([`refs/heads/${gate}`]);
});
