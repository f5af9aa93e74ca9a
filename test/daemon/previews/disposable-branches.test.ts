import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { disposableBranches } from '../../../src/daemon/previews/disposable-branches.ts';
import { parseAddress } from '../../../src/git/address.ts';
import { openBranches } from '../../../src/git/open-branches.ts';
import { branchRef } from '../../../src/git/source.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { bare, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

it('begins with an empty mirror when the old one is too large, and not again for each preview', async () => {
  const dir = bare();
  const oid = sh(dir, 'rev-parse', 'main');
  const mirrorDir = join(folder(), 'previews');
  let now = 0;
  const { use, close } = disposableBranches({
    open: () =>
      openBranches({
        address: parseAddress(`file://${dir}`),
        mirrorDir,
        credentials: async () => undefined,
        native: true,
      }),
    mirrorDir,
    now: () => now,
    most: 0,
  });
  const fetched = async () => {
    const branches = await use();
    const had = await branches.objects.has(oid);
    await branches.obtain(branchRef('main'), oid);
    // What a push leaves is in a pack once there are many.
    sh(join(mirrorDir, 'repo.git'), 'repack', '-adq');
    expect(await branches.objects.has(oid)).toBe(true);
    return had;
  };
  expect(await fetched()).toBe(false);
  expect(await fetched()).toBe(false);
  expect(await fetched()).toBe(true);
  now += 7 * 60 * 60_000;
  expect(await fetched()).toBe(false);
  await close();
  expect(existsSync(join(mirrorDir, 'lock'))).toBe(false);
});
