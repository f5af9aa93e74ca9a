import { afterEach, expect, it } from 'vitest';
import { GitError } from '../../../src/git/git-error.ts';
import type { VirtualFleet } from '../../support/virtual-fleet.ts';
import { branch, forgeFleet } from './forge-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

it('a branch that the forge lets nobody delete is reported, and not tried at each reconciliation', async () => {
  const opened = await forgeFleet('gitlab', '10s');
  ({ fleet } = opened);
  const inner = fleet.repo.branches({ remote: true });
  let refused = 0;
  fleet.start({
    forge: opened.forge,
    branches: {
      ...inner,
      async change(change) {
        if (change.to !== undefined || change.ref !== `refs/heads/${branch}`) return inner.change(change);
        refused++;
        throw new GitError('push-refused', 'You can only delete protected branches using the web interface.');
      },
    },
  });
  await fleet.until('its branch is there', () => fleet.repo.tip(branch) !== undefined, 900);
  await fleet.run(130);
  fleet.repo.refs.set('refs/heads/main', fleet.repo.tip(branch)!);
  await fleet.run(900);
  const { 'summary.yaml': summary } = await fleet.repo.files('fleet-status');
  expect(summary).toContain('You can only delete protected branches');
  expect(refused).toBe(2);
});
