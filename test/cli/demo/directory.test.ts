import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDemoDirectory } from '../../../src/cli/demo/directory.ts';
import { takeLock } from '../../../src/git/local/process-lock.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitfleet-demo-directory-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it('a demo resumes at the time at which the previous one in the same directory ended, never earlier', async () => {
  const at = join(dir, 'again');
  const later = Date.now() + 86_400_000;
  const first = await openDemoDirectory(at);
  await first.release(later);
  const second = await openDemoDirectory(at);
  await second.release(later);
  expect([first.fresh, second.fresh, second.startsAt]).toEqual([true, false, later]);
});

it('a demo that was killed is gone on with later than anything it can have written', async () => {
  const at = join(dir, 'killed');
  const until = Date.now() + 86_400_000;
  const killed = await openDemoDirectory(at);
  await Promise.all([killed.reserve(until - 1), killed.reserve(until)]);
  // The lock of a process that lives is not given up: the directory as somebody finds it who comes later.
  const later = join(dir, 'later');
  await cp(at, later, { recursive: true, filter: (path) => !path.endsWith('lock') });
  const next = await openDemoDirectory(later);
  expect([next.fresh, next.startsAt]).toEqual([false, until]);
  for (const { release } of [killed, next]) await release(until);
});

it('a directory where a demo is running is refused', async () => {
  const at = join(dir, 'busy');
  await mkdir(at);
  const unlock = await takeLock(join(at, 'lock'));
  await expect(openDemoDirectory(at)).rejects.toMatchObject({
    message: `a demo is running in ${at} already: give this one another --dir`,
    exitCode: 2,
  });
  await unlock();
});

it('a directory that holds something else, and what is no directory, are refused', async () => {
  const full = join(dir, 'full');
  await mkdir(full);
  await writeFile(join(full, 'notes.txt'), 'mine');
  await expect(openDemoDirectory(full)).rejects.toMatchObject({
    message: `${full} is neither empty nor an earlier demo: choose another --dir`,
    exitCode: 2,
  });
  const file = join(full, 'notes.txt');
  await expect(openDemoDirectory(file)).rejects.toMatchObject({
    message: `--dir ${file}: it is a file, not a directory`,
    exitCode: 3,
  });
});

it.skipIf(!existsSync('/proc/self'))('a place where no directories can be made is refused at once', async () => {
  await expect(openDemoDirectory('/proc/nope/demo')).rejects.toMatchObject({
    message: '--dir /proc/nope/demo: no directory can be made there',
    exitCode: 3,
  });
});
