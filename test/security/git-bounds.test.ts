import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSource } from '../../src/git/source.ts';
import { openDirectory } from '../../src/repo/directory-tree.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { clone, commit, nobody, openStatus, sh } from '../support/git-repository.ts';
import { type GitServer, startGitServer } from '../support/http-backend-server.ts';
import { member } from '../support/paper-fleet.ts';

/** Packs to 600 KB. */
const bombBytes = 600 * 1024 ** 2;

const root = folder();
const bare = join(root, 'fleet.git');
let server: GitServer;

/** A commit on top of a branch, with entries that no working tree would hold. */
function commitEntries(dir: string, branch: string, entries: readonly string[]): void {
  const tree = execFileSync('git', ['-C', dir, 'mktree', '--missing'], { input: `${entries.join('\n')}\n` });
  const id = sh(dir, 'commit-tree', tree.toString().trim(), '-p', branch, '-m', 'Bomb');
  sh(dir, 'update-ref', `refs/heads/${branch}`, id);
}

function oneMember(): string {
  const dir = clone();
  sh(dir, 'rm', '-qr', 'resources');
  commit(dir, { 'clusters/eu-1.yaml': member('eu-1') });
  return dir;
}

beforeAll(async () => {
  const dir = oneMember();
  sh(dir, 'checkout', '-q', '-b', 'fleet-status');
  commit(dir, { 'placements/web/state.yaml': 'a: 1\n', 'summary.yaml': '{}\n' });
  const zeros = join(folder(), 'zeros');
  writeFileSync(zeros, '');
  truncateSync(zeros, bombBytes);
  const bomb = sh(dir, '-c', 'core.bigFileThreshold=16m', 'hash-object', '-w', zeros);
  const good = sh(dir, 'ls-tree', 'main').split('\n');
  commitEntries(dir, 'main', [
    ...good,
    `100644 blob ${bomb}\tbomb.yaml`,
    `100644 blob ${bomb}\tbomb.bin`,
    `120000 blob ${bomb}\tlink.yaml`,
  ]);
  const placements = execFileSync('git', ['-C', dir, 'mktree'], {
    input: `100644 blob ${bomb}\tstate.yaml\n`,
  });
  const web = execFileSync('git', ['-C', dir, 'mktree'], { input: `040000 tree ${`${placements}`.trim()}\tweb\n` });
  commitEntries(dir, 'fleet-status', [
    `040000 tree ${`${web}`.trim()}\tplacements`,
    ...sh(dir, 'ls-tree', 'fleet-status')
      .split('\n')
      .filter((line) => line.endsWith('summary.yaml')),
  ]);
  sh('.', '-c', 'core.bigFileThreshold=16m', 'clone', '-q', '--bare', dir, bare);
  sh(bare, 'config', 'http.receivepack', 'true');
  sh(bare, 'config', 'core.bigFileThreshold', '16m');
  server = await startGitServer(root);
});
afterAll(async () => {
  await server.close();
  removeFolders();
});

/** Bytes by which the memory of this process grows at its peak. */
async function peakOf<T>(run: () => Promise<T>): Promise<{ readonly value: T; readonly grown: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  try {
    const value = await run();
    return { value, grown: Math.max(peak, process.memoryUsage.rss()) - before };
  } finally {
    clearInterval(timer);
  }
}

const modes = [
  ['in place, git', () => bare, true],
  ['in place, no git', () => bare, false],
  ['http, git', () => server.url('fleet.git'), true],
  ['file URL', () => `file://${bare}`, true],
] as const;

describe.each(modes)('a blob of 600 MB that packs to less than 2 MB (%s)', (_, address, native) => {
  it('is one problem for each name of it in the fleet, and the other members are read', async () => {
    const { value: fleet, grown } = await peakOf(async () => {
      const source = await openSource({
        repo: address(),
        branch: 'main',
        cacheDir: folder(),
        credentials: nobody,
        native,
      });
      const read = await loadFleet(await source.tree(await source.poll()));
      await source.close();
      return read;
    });
    expect(fleet.problems.map(({ code, file, message }) => `${code} ${file}: ${message}`)).toEqual([
      expect.stringMatching(/^file-too-large bomb\.yaml: the file has 629145600 bytes, of at most 16777216/),
      expect.stringMatching(/^file-too-large link\.yaml: the target of the symbolic link has 629145600 bytes/),
    ]);
    expect(fleet.members.map(({ metadata }) => metadata.name)).toEqual(['eu-1']);
    expect(fleet.unreadable).toEqual(['bomb.yaml', 'link.yaml']);
    expect(grown).toBeLessThan(200 * 1024 ** 2);
  });
});

it.each([true, false])('such a blob on the status branch is a problem of that file (git: %s)', async (native) => {
  const { value, grown } = await peakOf(async () => {
    const status = await openStatus({ repo: bare, native });
    const tip = await status.read();
    await status.close();
    return readRecord(tip.files);
  });
  expect(value.problems.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    expect.stringMatching(/placements\/web\/state\.yaml: .*the file has 629145600 bytes, of at most 67108864/),
  ]);
  expect(grown).toBeLessThan(200 * 1024 ** 2);
});

it('without git, a fetch that would bring such a blob is refused with its size, before it is inflated', async () => {
  const { value, grown } = await peakOf(async () => {
    const source = await openSource({
      repo: server.url('fleet.git'),
      branch: 'main',
      cacheDir: folder(),
      credentials: nobody,
      native: false,
    });
    return source
      .poll()
      .catch((error: Error) => error.message)
      .finally(() => source.close());
  });
  expect(value).toMatch(/^fetch from http.*: it includes an object of 629145600 bytes.*install git/);
  expect(grown).toBeLessThan(200 * 1024 ** 2);
});

it('a working directory with such a file is read without it', async () => {
  const dir = folder({ 'clusters/eu-1.yaml': member('eu-1'), 'bomb.yaml': '' });
  truncateSync(join(dir, 'bomb.yaml'), bombBytes);
  const { value: fleet, grown } = await peakOf(async () => loadFleet(await openDirectory(dir)));
  expect(fleet.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(['file-too-large bomb.yaml']);
  expect(fleet.members).toHaveLength(1);
  expect(grown).toBeLessThan(200 * 1024 ** 2);
});

describe.each([true, false])('folders that hold each other (git: %s)', (native) => {
  it('ten times on ten levels are one problem, not ten billion files', async () => {
    const dir = oneMember();
    let inner = sh(dir, 'rev-parse', 'HEAD:clusters');
    for (let level = 0; level < 10; level++) {
      const entries = Array.from({ length: 10 }, (_, at) => `040000 tree ${inner}\td${at}\n`).join('');
      inner = execFileSync('git', ['-C', dir, 'mktree'], { input: entries }).toString().trim();
    }
    commitEntries(dir, 'main', [...sh(dir, 'ls-tree', 'main').split('\n'), `040000 tree ${inner}\tbomb`]);
    const source = await openSource({ repo: dir, branch: 'main', cacheDir: folder(), credentials: nobody, native });
    const fleet = await loadFleet(await source.tree(await source.poll()));
    await source.close();
    expect(fleet.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(['file-too-large bomb']);
    expect(fleet.members.map(({ metadata }) => metadata.name)).toEqual(['eu-1']);
  });

  it('or are cut off, or are no folders, are problems by themselves', async () => {
    const dir = oneMember();
    const broken = execFileSync('git', ['-C', dir, 'hash-object', '-w', '--literally', '-t', 'tree', '--stdin'], {
      input: '100644 without an end',
    });
    const blob = sh(dir, 'rev-parse', 'HEAD:clusters/eu-1.yaml');
    const tree = Buffer.concat([
      ...sh(dir, 'ls-tree', 'main')
        .split('\n')
        .map((line) => /^0?(\d+) \w+ (\w+)\t(.*)$/.exec(line)!)
        .map(([, mode, oid, name]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid!, 'hex')])),
      Buffer.from('40000 x\0'),
      Buffer.from(`${broken}`.trim(), 'hex'),
      Buffer.from('40000 y\0'),
      Buffer.from(blob, 'hex'),
    ]);
    const id = execFileSync('git', ['-C', dir, 'hash-object', '-w', '--literally', '-t', 'tree', '--stdin'], {
      input: tree,
    });
    const bomb = sh(dir, 'commit-tree', `${id}`.trim(), '-p', 'main', '-m', 'Broken');
    sh(dir, 'update-ref', 'refs/heads/main', bomb);
    const source = await openSource({ repo: dir, branch: 'main', cacheDir: folder(), credentials: nobody, native });
    const fleet = await loadFleet(await source.tree(await source.poll()));
    await source.close();
    expect(fleet.problems.map(({ code, file }) => `${code} ${file}`)).toEqual(['file-too-large x', 'file-too-large y']);
    expect(fleet.members.map(({ metadata }) => metadata.name)).toEqual(['eu-1']);
  });
});
