import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { listRefs } from '../../src/git/local/local-refs.ts';
import { openObjects } from '../../src/git/objects/open-objects.ts';
import { packedSizes } from '../../src/git/objects/packed-sizes.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { bare, clone, commit, gitThere, sh } from '../support/git-repository.ts';

afterAll(removeFolders);
const run = promisify(execFile);

describe.skipIf(!gitThere).each([true, false])('objects (git: %s)', (native) => {
  it('are all read during a repack', async () => {
    const dir = bare();
    const work = folder();
    sh('.', 'clone', '-q', dir, work);
    commit(work, Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`d${n % 10}/${n}.yaml`, `n: ${n}\n`])));
    sh(work, 'push', '-q', 'origin', 'HEAD:main');
    sh(dir, 'repack', '-adq');
    const tree = await openObjects(dir, native).files(sh(dir, 'rev-parse', 'main'));
    const oids = (await tree.files()).map(({ oid }) => oid);
    let repacking = true;
    const repacks = (async () => {
      // Other parameters give the pack another content and name: the one that is being read disappears.
      for (let round = 1; round <= 6; round++)
        await run('git', ['-C', dir, 'repack', '-adfq', `--window=${round * 2}`, `--depth=${round}`]);
      repacking = false;
    })();
    for (let round = 0; repacking || round === 0; round++)
      expect((await tree.read(oids)).size).toBe(new Set(oids).size);
    await repacks;
  });

  it('of folders that did not change are not read again', async () => {
    const dir = clone();
    const gitdir = join(dir, '.git');
    const objects = openObjects(gitdir, native);
    const names = async (of: string) => (await (await objects.files(of)).files()).map(({ path }) => path);
    const first = await names(sh(dir, 'rev-parse', 'HEAD'));
    const unchanged = sh(dir, 'rev-parse', 'HEAD:clusters');
    const next = commit(dir, { 'resources/shop/web.yaml': 'kind: StatefulSet\n' });
    const path = join(gitdir, 'objects', unchanged.slice(0, 2), unchanged.slice(2));
    renameSync(path, `${path}.gone`);
    expect(await names(next)).toEqual(first);
  });

  it('that are missing are named', async () => {
    const objects = openObjects(join(clone(), '.git'), native);
    await expect(objects.read(['1'.repeat(40)])).rejects.toMatchObject({
      code: 'object-missing',
      message: expect.stringContaining('1'.repeat(40)),
    });
  });
});

it.skipIf(!gitThere)('sizes are found while a repack has written an index without its pack', async () => {
  const dir = clone();
  sh(dir, 'repack', '-adq');
  const packs = join(dir, '.git/objects/pack');
  const index = readdirSync(packs).find((name) => name.endsWith('.idx'))!;
  copyFileSync(join(packs, index), join(packs, `.tmp-1-${index}`));
  const head = sh(dir, 'rev-parse', 'HEAD');
  expect([...(await packedSizes(join(dir, '.git'), [head])).keys()]).toEqual([head]);
});

it.skipIf(!gitThere)('refs that are packed while they are listed are never missing', async () => {
  const dir = clone();
  const gitdir = join(dir, '.git');
  const prefix = 'refs/heads/gitfleet/approve/';
  const names = Array.from({ length: 20 }, (_, n) => `${prefix}r${n}`);
  const oid = sh(dir, 'rev-parse', 'HEAD');
  let fewest = names.length;
  for (let round = 0; round < 15; round++) {
    for (const name of names) {
      mkdirSync(dirname(join(gitdir, name)), { recursive: true });
      writeFileSync(join(gitdir, name), `${oid}\n`);
    }
    let packing = true;
    const packed = run('git', ['-C', dir, 'pack-refs', '--all', '--prune']).then(() => {
      packing = false;
    });
    while (packing) fewest = Math.min(fewest, (await listRefs(gitdir, prefix)).size);
    await packed;
    // Else the next round would find them in packed-refs whatever happens.
    for (const name of names) sh(dir, 'update-ref', '-d', name);
  }
  expect(fewest).toBe(names.length);
});
