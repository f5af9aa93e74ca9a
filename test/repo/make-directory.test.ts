import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../src/repo/make-directory.ts';

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gitfleet-make-directory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('a directory is made with those above it, and left as it is when it is there', async () => {
  const deep = join(await emptyFolder(), 'a/b/c');
  await makeDirectory(deep, 0o700);
  await writeFile(join(deep, 'file'), '');
  await makeDirectory(deep, 0o700);
  expect(await readdir(deep)).toEqual(['file']);
  expect((await stat(join(deep, '..'))).mode & 0o777).toBe(0o700);
});

it('several may make the same directories at the same moment', async () => {
  for (let round = 0; round < 20; round++) {
    const folder = await emptyFolder();
    await Promise.all(Array.from({ length: 8 }, (_, at) => makeDirectory(join(folder, 'a/b/c', String(at % 2)))));
    expect(await readdir(join(folder, 'a/b/c'))).toEqual(['0', '1']);
  }
});

it('a file at the path is an error', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'file'), '');
  await expect(makeDirectory(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(join(folder, 'file/a/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

it.runIf(process.platform === 'linux')(
  'a file system that takes no directories is reported, and not retried forever',
  async () => {
    await expect(makeDirectory('/proc/gitfleet/cache')).rejects.toMatchObject({
      code: 'ENOTSUP',
      message: 'cannot create a directory in /proc',
    });
  },
);
