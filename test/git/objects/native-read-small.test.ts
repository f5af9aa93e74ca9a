import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nativeReadSmall } from '../../../src/git/objects/native-read-small.ts';
import { nativeSizes } from '../../../src/git/objects/object-sizes.ts';
import { nativeRead } from '../../../src/git/objects/read-objects.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { clone, commit, gitThere, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

describe.skipIf(!gitThere)('sizes and contents from one process of git', () => {
  const oidsOf = (dir: string): string[] =>
    sh(dir, 'cat-file', '--batch-check=%(objectname)', '--batch-all-objects').split('\n');

  it.each([
    ['packed', true],
    ['in files of their own', false],
    ['partly packed', undefined],
  ])('are those that two give: %s', async (_, packed) => {
    const dir = clone();
    if (packed !== false) sh(dir, 'gc', '-q');
    if (packed === undefined) commit(dir, { 'clusters/eu-2.yaml': 'kind: MemberCluster\n', 'empty.yaml': '' });
    const oids = oidsOf(dir);
    const gitdir = join(dir, '.git');
    const { sizes, objects } = await nativeReadSmall(gitdir)(oids);
    expect(new Map([...sizes].sort())).toEqual(await nativeSizes(gitdir)(oids));
    expect(new Map([...objects].sort())).toEqual(await nativeRead(gitdir)(oids));
  });

  it('are an error that names a missing object', async () => {
    const dir = clone();
    sh(dir, 'gc', '-q');
    const missing = 'a'.repeat(40);
    const reading = nativeReadSmall(join(dir, '.git'))([...oidsOf(dir), missing]);
    await expect(reading).rejects.toMatchObject({ code: 'object-missing', message: expect.stringContaining(missing) });
  });

  it('are an error if there is no repository', async () => {
    await expect(nativeReadSmall(folder())(['a'.repeat(40)])).rejects.toMatchObject({ code: 'failed' });
  });
});
