import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetOnGit } from '../support/fleet-on-git.ts';
import { removeFolders } from '../support/folders.ts';
import { deployment } from '../support/paper-fleet.ts';
import { cli } from '../support/run-cli.ts';
import { shop } from '../support/shop.ts';

const run2 = shop['rollouts/pay-1.yaml']!.replace('name: pay-1', 'name: pay-2');
const text =
  'resources/pay.yaml was not valid when the run was initialized: the run brings the last good version of Deployment pay/pay';

let fleet: FleetOnGit;
const page = async (...args: string[]) => (await cli('describe', ...args, '--repo', fleet.dir)).out;
afterAll(removeFolders);
beforeAll(async () => {
  fleet = await FleetOnGit.open({
    ...shop,
    'rollouts/pay-1.yaml': shop['rollouts/pay-1.yaml']!.replace('careful', 'at-once'),
    'rollouts/at-once.yaml': shop['rollouts/careful.yaml']!.replace('name: careful', 'name: at-once').replaceAll(
      / +afterStageTasks:\n +- type: Approval\n/g,
      '',
    ),
  });
  await fleet.settle();
  fleet.git('rm', '-q', 'rollouts/pay-1.yaml');
  fleet.git('commit', '-qm', 'Remove pay-1');
  fleet.look();
  fleet.commit(
    {
      'resources/pay.yaml': deployment('pay', 'pay', 'pay:2').replace('replicas:', 'replica:'),
      'rollouts/pay-2.yaml': run2,
    },
    'Bring pay 2 with a mistake',
  );
  await fleet.settle();
});

describe('a run that comes with an invalid file', () => {
  it('brings the last good version, which its page and that of its approval say', async () => {
    expect(await page('run', 'pay-2')).toContain(`Not in this run:\n  ${text}\n`);
    const approval = await page('approval', 'pay-2-after-dev');
    expect(approval).toContain(`⚠️ Not in this run:\n  ${text}\n`);
    expect(approval).toContain('On the clusters:\n  nothing changes\n');
  });

  it('still says so once the file is valid, and what is missing needs another run', async () => {
    fleet.commit({ 'resources/pay.yaml': deployment('pay', 'pay', 'pay:2') }, 'Fix pay 2');
    await fleet.settle();
    expect(await page('run', 'pay-2')).toContain(`Not in this run:\n  ${text}\n`);
    expect(await page('placement', 'pay')).toContain('needs a staged update run: the repo holds other resources than');
  });
});
