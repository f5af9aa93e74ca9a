import { expect, it } from 'vitest';
import { alwaysAsk } from '../../../src/git/ref-poll.ts';
import { statusBranch } from '../../../src/git/status-branch.ts';
import { unpacked } from '../../../src/repo/record/status-text.ts';
import { MemoryRepo } from '../../support/memory-repo.ts';
import { noMemory, paperSigning } from '../../support/paper-signature.ts';

const branch = 'fleet-status';
const file = 'summary.yaml';
const author = { name: 'gitfleet', email: 'gitfleet@localhost' };

/** A status branch, and who writes to it: `S1`, `S2` … signed by the daemon of the key, `F1` … by others. */
function world() {
  const repo = new MemoryRepo(() => 0);
  const memory = noMemory();
  const ids = new Map<string, string>();
  const open = (options: Parameters<typeof paperSigning>[0] = {}) => {
    const branches = repo.branches();
    return statusBranch(branches, `refs/heads/${branch}`, {
      author,
      now: () => 0,
      refs: alwaysAsk(branches),
      signing: paperSigning({ memory, ...options }),
    });
  };
  const id = (name: string): string => ids.get(name)!;
  return {
    memory,
    open,
    id,
    /** The daemon publishes. */
    async signs(name: string, by = open()): Promise<void> {
      const published = await by.publish(await by.read(), new Map([[file, name]]), name);
      if (published.kind !== 'published') throw new Error(published.kind);
      ids.set(name, published.tip.commit!);
    },
    /** Somebody pushes a commit without our signature, on top of others than the tip if they are named. */
    forges: (name: string, ...parents: readonly string[]) =>
      void ids.set(
        name,
        parents.length === 0
          ? repo.commit(branch, { [file]: name })
          : repo.commit(branch, { [file]: name }, name, parents.map(id)),
      ),
    resets: (name: string) => void repo.refs.set(`refs/heads/${branch}`, id(name)),
    removes: () => void repo.refs.delete(`refs/heads/${branch}`),
    /** Whose contents are the record. */
    async reads(by = open()): Promise<string> {
      const { files, refused } = await by.read();
      if (refused === undefined) return unpacked(files.get(file) ?? 'nothing');
      const { record, count, isAccepted } = refused;
      const how = isAccepted ? 'accepted' : `after ${count}`;
      return `${record === undefined ? 'lost' : refused.files.get(file)}, ${how}`;
    },
  };
}

type World = ReturnType<typeof world>;

it.each<readonly [what: string, record: string, then: (it: World) => Promise<unknown> | unknown]>([
  ['nothing', 'S3', () => {}],
  ['one commit of others', 'S3, after 1', (it) => it.forges('F1')],
  [
    'several of them',
    'S3, after 3',
    (it) => {
      for (const name of ['F1', 'F2', 'F3']) it.forges(name);
    },
  ],
  [
    'more than are looked at',
    'lost, after 1000',
    (it) => {
      for (let count = 0; count < 1000; count++) it.forges(`F${count}`);
    },
  ],
  [
    'our next one, on top of theirs',
    'S4',
    async (it) => {
      it.forges('F1');
      await it.signs('S4');
    },
  ],
  ['a rewind', 'lost, after 1', (it) => it.resets('S1')],
  ['a commit on top of a rewind', 'lost, after 1', (it) => it.forges('F1', 'S1')],
  ['a merge that hides a rewind', 'lost, after 1', (it) => it.forges('F1', 'S1', 'S3')],
  [
    'the removal of a commit of others',
    'S3',
    (it) => {
      it.forges('F1');
      it.resets('S3');
    },
  ],
])('after %s, the record of a branch with S1, S2 and S3 is %s', async (_what, record, then) => {
  const it = world();
  for (const name of ['S1', 'S2', 'S3']) await it.signs(name);
  await then(it);
  expect(await it.reads()).toBe(record);
});

it.each([
  ['a commit on top', 'S2, after 1', (it: World) => it.forges('F1')],
  // Nothing tells that it is older.
  ['a rewind', 'S1', (it: World) => it.resets('S1')],
])('a daemon without memory, after %s, reads %s', async (_what, record, then) => {
  const it = world();
  for (const name of ['S1', 'S2']) await it.signs(name);
  then(it);
  expect(await it.reads(it.open({ memory: noMemory() }))).toBe(record);
});

it('another daemon with the key goes on, and neither refuses the other', async () => {
  const it = world();
  const [one, other] = [it.open(), it.open({ memory: noMemory() })];
  await it.signs('S1', one);
  await it.signs('S2', other);
  await it.signs('S3', one);
  expect([await it.reads(one), await it.reads(other)]).toEqual(['S3', 'S3']);
});

it('a branch without a signed commit is acted on once its commit is accepted, and only then', async () => {
  const it = world();
  it.forges('F1');
  it.forges('F2');
  const tip = it.id('F2');
  await expect(it.reads()).rejects.toThrow(
    `no commit of fleet-status is signed by the key of --sign-key, so nothing is acted on (commit ${tip.slice(0, 12)}: it is not signed)`,
  );
  expect(await it.reads(it.open({ accepted: it.id('F1') }))).toBe('F1, accepted');
  const accepting = it.open({ accepted: tip });
  expect(await it.reads(accepting)).toBe('F2, accepted');
  await it.signs('S1', accepting);
  expect(await it.reads()).toBe('S1');
  // The option may stay: it does not let anybody return to what was accepted.
  it.resets('F2');
  expect(await it.reads(it.open({ accepted: tip }))).toBe('lost, after 2');
});

it('a new key takes over by accepting the last commit of the old one', async () => {
  const it = world();
  await it.signs('S1');
  const rotated = { key: 'new', memory: noMemory() };
  await expect(it.reads(it.open(rotated))).rejects.toThrow('--accept-status');
  const accepting = it.open({ ...rotated, accepted: it.id('S1') });
  expect(await it.reads(accepting)).toBe('S1, accepted');
  await it.signs('S2', accepting);
  expect(await it.reads(it.open(rotated))).toBe('S2');
});

it('a branch that does not exist, or was deleted, begins anew', async () => {
  const it = world();
  expect(await it.reads()).toBe('nothing');
  await it.signs('S1');
  it.removes();
  expect(await it.reads()).toBe('nothing');
  await it.signs('S2');
  expect(await it.reads()).toBe('S2');
});
