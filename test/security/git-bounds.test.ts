import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSource } from '../../src/git/source.ts';
import { openDirectory } from '../../src/repo/directory-tree.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { recordLimits } from '../../src/repo/too-large.ts';
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

/** A tree object with these entries. */
const tree = (dir: string, entries: readonly string[]): string =>
  execFileSync('git', ['-C', dir, 'mktree', '--missing'], { input: `${entries.join('\n')}\n` })
    .toString()
    .trim();

it('a file that could not be read again is not written, by the limits of the reader, and the daemon goes on', async () => {
  const dir = oneMember();
  const status = await openStatus({ repo: dir, native: true });
  const tip = await status.read();
  const state = 'placements/web/state.yaml';
  for (const [text, why] of [
    ['x'.repeat(recordLimits.file + 1), `${state} has ${recordLimits.file + 1} bytes, of at most ${recordLimits.file}`],
    ['{'.repeat(2_000_001), `${state} has 8000004 values, of at most 8000000`],
  ] as const)
    await expect(status.publish(tip, new Map([[state, text]]), 'Update')).rejects.toMatchObject({
      code: 'too-large',
      remedy: 'user',
      message: `refs/heads/fleet-status is not written, since it could not be read again: ${why}`,
    });
  const files = new Map([[state, 'a: 1\n']]);
  const published = await status.publish(tip, files, 'Update');
  expect(published.kind).toBe('published');
  expect((await status.read()).files).toEqual(files);
  await status.close();
});

/** A status branch in which each placement has the same folder. */
function statusOf(dir: string, folder: string, placements: number): void {
  const entries = Array.from({ length: placements }, (_, at) => `040000 tree ${folder}\tp-${at}`);
  sh(dir, 'checkout', '-q', '-b', 'fleet-status');
  commitEntries(dir, 'fleet-status', [`040000 tree ${tree(dir, entries)}\tplacements`]);
}

const blobOf = (dir: string, text: string): string =>
  execFileSync('git', ['-C', dir, 'hash-object', '-w', '--stdin'], { input: text }).toString().trim();

it.each([true, false])('files that the status branch should not have are not read (git: %s)', async (native) => {
  const dir = oneMember();
  const zeros = join(folder(), 'zeros');
  writeFileSync(zeros, '');
  truncateSync(zeros, 100 * 1024 ** 2);
  const bomb = sh(dir, '-c', 'core.bigFileThreshold=16m', 'hash-object', '-w', zeros);
  const later = tree(dir, [`100644 blob ${bomb}\tbomb.yaml`]);
  const web = tree(dir, [`100644 blob ${bomb}\tstate.bin`, `100644 blob ${blobOf(dir, 'a: 1\n')}\tnotes.yaml`]);
  sh(dir, 'checkout', '-q', '-b', 'fleet-status');
  commitEntries(dir, 'fleet-status', [
    `040000 tree ${later}\tlater`,
    `040000 tree ${tree(dir, [`040000 tree ${web}\tweb`])}\tplacements`,
    `100644 blob ${bomb}\tnotes.txt`,
  ]);
  sh(dir, 'checkout', '-q', '-f', 'main');
  const status = await openStatus({ repo: dir, native });
  const { value: tip, grown } = await peakOf(() => status.read());
  expect(readRecord(tip.files).problems.map(({ code }) => code)).toEqual(['unknown-record-folder']);
  expect(grown).toBeLessThan(80 * 1024 ** 2);
  const files = new Map([...tip.files].filter(([path]) => path.startsWith('later/')));
  const published = await status.publish(tip, files.set('summary.yaml', '{}\n'), 'Update');
  expect(sh(dir, 'ls-tree', '-r', 'fleet-status').split('\n')).toEqual([
    `100644 blob ${bomb}\tlater/bomb.yaml`,
    expect.stringMatching(/\tsummary\.yaml$/),
  ]);
  if (published.kind === 'moved') throw new Error('nobody else writes here');
  expect(await status.publish(published.tip, files, 'Again')).toMatchObject({ kind: 'unchanged' });
  await status.close();
});

it.each([
  ['too many files', 201, (dir: string) => manySnapshots(dir), /it has 201000 files, of at most 200000/],
  [
    'too many bytes',
    20,
    (dir: string) => stateOf(dir, ' '.repeat(60_000_000)),
    /1200000000 bytes together, of at most/,
  ],
  [
    'too many values',
    Math.ceil(recordLimits.separators / 7_000_000) + 1,
    (dir: string) => stateOf(dir, '\n'.repeat(7_000_000)),
    /more values together/,
  ],
] as const)(
  'a status branch with %s is one problem, and the record counts as lost',
  async (_, count, folderOf, message) => {
    const dir = oneMember();
    statusOf(dir, folderOf(dir), count);
    const status = await openStatus({ repo: dir, native: true });
    const tip = await status.read();
    const { problems, record } = readRecord(tip.files);
    expect(problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'record-unreadable',
        file: '(status branch)',
        message: expect.stringMatching(message),
      }),
    ]);
    expect(record.exists).toBe(false);
    sh(dir, 'checkout', '-q', '-f', 'main');
    await status.publish(tip, new Map([...tip.files, ['summary.yaml', '{}\n']]), 'Update');
    expect(sh(dir, 'ls-tree', '-r', '--name-only', 'fleet-status')).toBe('summary.yaml');
    await status.close();
  },
);

const stateOf = (dir: string, text: string): string => tree(dir, [`100644 blob ${blobOf(dir, text)}\tstate.yaml`]);

function manySnapshots(dir: string): string {
  const blob = blobOf(dir, 'a: 1\n');
  const snapshots = tree(
    dir,
    Array.from({ length: 1_000 }, (_, at) => `100644 blob ${blob}\t${at}.yaml`),
  );
  return tree(dir, [`040000 tree ${snapshots}\tsnapshots`]);
}

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
