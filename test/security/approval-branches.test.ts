import { afterEach, expect, it } from 'vitest';
import { AttackedFleet, gate, run } from './attacked-fleet.ts';

let world: AttackedFleet;
afterEach(() => world.close());

const branches = () =>
  [...world.fleet.repo.refs.keys()].filter((ref) => ref.startsWith('refs/heads/gitfleet/approve/'));
const branchProblems = () =>
  world.daemon
    .plan()
    .problems.filter(({ code }) => code === 'approval-branch')
    .map(({ file, message }) => `${file}: ${message}`);

it('a branch on which the folder of approvals is a file is one problem, and everything else continues', async () => {
  world = await AttackedFleet.atGate();
  world.fleet.repo.commit(gate, { approvals: 'not a folder' }, 'Attack');
  await world.fleet.until('the problem is reported', () => branchProblems().length > 0, 300);
  expect(branchProblems()).toEqual([
    `(branch) ${gate}: gitfleet cannot change this branch, which requests an approval: approvals is not a folder: no file can be written into it`,
  ]);
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
