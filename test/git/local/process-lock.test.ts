import { spawn } from 'node:child_process';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { takeLock } from '../../../src/git/local/process-lock.ts';
import { folder, removeFolders } from '../../support/folders.ts';

afterAll(removeFolders);
const path = (): string => join(folder(), 'lock');

it('a lock is held once and can be taken again after its release', async () => {
  const lock = path();
  const release = await takeLock(lock);
  await expect(takeLock(lock)).rejects.toMatchObject({ code: 'locked' });
  await release();
  expect(existsSync(lock)).toBe(false);
  await (await takeLock(lock))();
});

it('a lock whose process has ended is taken over', async () => {
  const lock = path();
  const child = spawn('true');
  await new Promise((done) => child.on('close', done));
  writeFileSync(lock, JSON.stringify({ host: hostname(), pid: child.pid, started: '1' }));
  await (await takeLock(lock))();
});

it.runIf(existsSync('/proc/self/stat'))(
  'a lock whose process was killed is taken over while the process is a zombie',
  async () => {
    const parent = spawn('sh', ['-c', 'sleep 30 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((done) =>
      parent.stdout.once('data', (text: Buffer) => done(Number(`${text}`))),
    );
    const fields = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    const lock = path();
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid, started: fields()[19] }));
    await expect(takeLock(lock)).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining(`${pid}`) });
    process.kill(pid, 'SIGKILL');
    while (fields()[0] !== 'Z') await new Promise((done) => setImmediate(done));
    await (await takeLock(lock))();
    const ended = new Promise((done) => parent.once('close', done));
    parent.kill('SIGKILL');
    await ended;
  },
);

it('a lock of the same process id from before a restart is taken over', async () => {
  const lock = path();
  writeFileSync(lock, JSON.stringify({ host: hostname(), pid: process.pid, started: '1' }));
  await (await takeLock(lock))();
});

it('a lock of another host counts while it is touched', async () => {
  const lock = path();
  writeFileSync(lock, JSON.stringify({ host: 'another', pid: 1, started: '1' }));
  await expect(takeLock(lock)).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining('another') });
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  await (await takeLock(lock))();
});

it('a lock is never visible without its holder', async () => {
  const lock = path();
  let empty = 0;
  for (let round = 0; round < 200; round++) {
    const taking = takeLock(lock);
    for (let look = 0; look < 20; look++) {
      if (existsSync(lock) && readFileSync(lock, 'utf8') === '') empty++;
      await new Promise((done) => setImmediate(done));
    }
    await (await taking)();
  }
  expect(empty).toBe(0);
});

it('of many processes that start together with a stale lock exactly one gets it', async () => {
  const source = resolve('src/git/local/process-lock.ts');
  const script = `import(${JSON.stringify(source)}).then(async ({ takeLock }) => {
    await takeLock(process.argv[1]).then(() => console.log('mine'), () => console.log('locked'));
    process.stdin.resume();
  });`;
  for (let round = 0; round < 3; round++) {
    const lock = path();
    writeFileSync(lock, JSON.stringify({ host: hostname(), pid: 999_999, started: '1' }));
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script, lock], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
    const words = await Promise.all(
      children.map(
        (child) => new Promise<string>((done) => child.stdout.once('data', (text: Buffer) => done(`${text}`.trim()))),
      ),
    );
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => new Promise((done) => child.once('close', done))));
    expect(words.filter((word) => word === 'mine')).toEqual(['mine']);
  }
});
