import { readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openObjects } from '../../../src/git/objects/open-objects.ts';
import { removeFolders } from '../../support/folders.ts';
import { clone, commit, gitThere, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

/** A file that is there and that nobody can read, whoever asks: it points to itself. */
function makeUnreadable(path: string): void {
  rmSync(path);
  symlinkSync(path, path);
}

/** Three commits of one history, and where the middle one lies. */
function history() {
  const dir = clone();
  const gitdir = join(dir, '.git');
  const root = sh(dir, 'rev-parse', 'HEAD');
  const middle = commit(dir, { 'a.yaml': 'a: 1\n' });
  const tip = commit(dir, { 'a.yaml': 'a: 2\n' });
  return { dir, gitdir, root, middle, tip, loose: join(gitdir, 'objects', middle.slice(0, 2), middle.slice(2)) };
}

describe.skipIf(!gitThere).each([true, false])('a commit that cannot be read (git: %s)', (native) => {
  it('is not missing if its file exists', async () => {
    const { gitdir, root, middle, tip, loose } = history();
    makeUnreadable(loose);
    const objects = openObjects(gitdir, native);
    await expect(objects.read([middle])).rejects.toMatchObject({ code: 'failed' });
    await expect(objects.has(middle)).rejects.toMatchObject({ code: 'failed' });
    await expect(objects.isAncestor(root, tip)).rejects.toMatchObject({ code: 'failed' });
  });

  it('is not missing if its pack exists', async () => {
    const { dir, gitdir, root, middle, tip } = history();
    sh(dir, 'repack', '-adq');
    const packs = join(gitdir, 'objects/pack');
    const index = readdirSync(packs).find((name) => name.endsWith('.idx'))!;
    makeUnreadable(join(packs, index));
    const objects = openObjects(gitdir, native);
    await expect(objects.has(middle)).rejects.toMatchObject({ code: 'failed' });
    await expect(objects.isAncestor(root, tip)).rejects.toMatchObject({ code: 'failed' });
  });

  it('is not missing if its contents are broken', async () => {
    const { gitdir, root, middle, tip, loose } = history();
    rmSync(loose);
    writeFileSync(loose, 'no object\n');
    const objects = openObjects(gitdir, native);
    await expect(objects.has(middle)).rejects.toMatchObject({ code: 'failed' });
    await expect(objects.isAncestor(root, tip)).rejects.toMatchObject({ code: 'failed' });
  });

  it('is missing if neither its file nor its pack exists', async () => {
    const { gitdir, middle, tip, loose } = history();
    renameSync(loose, `${loose}.gone`);
    const objects = openObjects(gitdir, native);
    expect(await objects.has(middle)).toBe(false);
    expect(await objects.isAncestor(tip, middle)).toBe(false);
    expect(await objects.isAncestor('1'.repeat(40), '2'.repeat(40))).toBe(false);
  });

  it('is no ancestor if it is no commit', async () => {
    const { gitdir, tip } = history();
    const objects = openObjects(gitdir, native);
    const { tree } = await objects.commit(tip);
    expect(await objects.isAncestor(tree, tip)).toBe(false);
    expect(await objects.isAncestor(tip, tree)).toBe(false);
  });
});
