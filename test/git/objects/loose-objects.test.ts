import { randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { looseObjects, looseSizes } from '../../../src/git/objects/loose-objects.ts';
import { openObjects } from '../../../src/git/objects/open-objects.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { clone, commit, gitThere, sh } from '../../support/git-repository.ts';

afterAll(removeFolders);

describe.skipIf(!gitThere)('objects in files of their own', () => {
  const blobOf = (dir: string): string => sh(dir, 'rev-parse', 'HEAD:clusters/eu-1.yaml');
  const gitdirOf = (dir: string): string => join(dir, '.git');
  const eu1 = { type: 'blob', content: Buffer.from('kind: MemberCluster\n') };

  it('are what git wrote', async () => {
    const dir = clone();
    sh(dir, 'tag', '-am', 'first', 'v1');
    const oids = ['HEAD', 'HEAD^{tree}', 'HEAD:clusters/eu-1.yaml', 'v1'].map((name) => sh(dir, 'rev-parse', name));
    const found = await looseObjects(gitdirOf(dir), oids);
    expect([...found.keys()]).toEqual(oids);
    expect([...found.values()].map(({ type }) => type)).toEqual(['commit', 'tree', 'blob', 'tag']);
    expect(found.get(oids[2]!)).toEqual(eu1);
    expect(found.get(oids[0]!)!.content.toString().trim()).toBe(sh(dir, 'cat-file', '-p', 'HEAD'));
  });

  it('are inflated in another thread where they are large', async () => {
    const dir = clone();
    const content = randomBytes(40_000);
    writeFileSync(join(dir, 'large'), content);
    const oid = sh(dir, 'hash-object', '-w', 'large');
    expect(await looseObjects(gitdirOf(dir), [oid])).toEqual(new Map([[oid, { type: 'blob', content }]]));
    expect(await looseSizes(gitdirOf(dir), [oid])).toEqual(new Map([[oid, 40_000]]));
  });

  it.each([
    ['empty, as after a power cut', Buffer.alloc(0)],
    ['cut off', deflateSync('blob 20\0kind: MemberCluster\n').subarray(0, 15)],
    ['no deflated text', Buffer.from('kind: MemberCluster\n')],
    ['shorter than its header', deflateSync('blob 21\0kind: MemberCluster\n')],
    ['of no type', deflateSync('file 20\0kind: MemberCluster\n')],
    ['without a header', deflateSync('kind: MemberCluster\n')],
  ])('are left to git where a file is %s', async (_, bytes) => {
    const dir = clone();
    const oid = blobOf(dir);
    const file = join(gitdirOf(dir), 'objects', oid.slice(0, 2), oid.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, bytes);
    expect(await looseObjects(gitdirOf(dir), [oid])).toEqual(new Map());
  });

  it('that are broken are reported by git', async () => {
    const dir = clone();
    const oid = blobOf(dir);
    const file = join(gitdirOf(dir), 'objects', oid.slice(0, 2), oid.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, 'kind: MemberCluster');
    await expect(openObjects(gitdirOf(dir), true).read([oid])).rejects.toThrow(oid);
  });

  it('are not read by an invalid id', async () => {
    const dir = clone();
    const oid = blobOf(dir);
    const escaping = `${oid.slice(0, 2)}../${oid.slice(0, 2)}/${oid.slice(2)}`;
    expect(await looseObjects(gitdirOf(dir), ['', 'HEAD', oid.slice(0, 12), escaping])).toEqual(new Map());
  });
});

describe.skipIf(!gitThere).each([true, false])('an object (git: %s)', (native) => {
  const readIn = async (gitdir: string, oids: readonly string[]) =>
    new Map([...(await openObjects(gitdir, native).read(oids))].map(([oid, { content }]) => [oid, `${content}`]));

  it('is found among packed ones, loose ones and both at once', async () => {
    const dir = clone();
    const packed = sh(dir, 'rev-parse', 'HEAD:clusters/eu-1.yaml');
    sh(dir, 'gc', '-q');
    commit(dir, { 'clusters/us-1.yaml': 'kind: MemberCluster # us\n' });
    const loose = sh(dir, 'rev-parse', 'HEAD:clusters/us-1.yaml');
    expect(await readIn(join(dir, '.git'), [packed, loose, packed])).toEqual(
      new Map([
        [loose, 'kind: MemberCluster # us\n'],
        [packed, 'kind: MemberCluster\n'],
      ]),
    );
    await expect(readIn(join(dir, '.git'), [loose, '1'.repeat(40)])).rejects.toMatchObject({ code: 'object-missing' });
  });

  it('is read unreplaced, whatever refs/replace has for it', async () => {
    const dir = clone();
    const file = sh(dir, 'rev-parse', 'HEAD:clusters/eu-1.yaml');
    const other = sh(dir, 'rev-parse', 'HEAD:resources/shop/web.yaml');
    sh(dir, 'replace', file, other);
    const expected = new Map([[file, 'kind: MemberCluster\n']]);
    expect(await readIn(join(dir, '.git'), [file])).toEqual(expected);
    sh(dir, 'gc', '-q');
    expect(await readIn(join(dir, '.git'), [file])).toEqual(expected);
  });
});

it.skipIf(!gitThere)('an object of an alternate repository is found', async () => {
  const lender = clone();
  const borrower = folder();
  sh('.', 'clone', '-q', '--shared', lender, borrower);
  const tip = commit(borrower, { 'clusters/us-1.yaml': 'kind: MemberCluster # us\n' });
  const tree = await openObjects(join(borrower, '.git'), true).files(tip);
  const files = await tree.files();
  expect(files.map(({ path }) => path)).toEqual([
    'clusters/eu-1.yaml',
    'clusters/us-1.yaml',
    'resources/shop/web.yaml',
  ]);
  expect((await tree.read(files.map(({ oid }) => oid))).size).toBe(3);
});
