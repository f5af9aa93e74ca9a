import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import type { ResourceSnapshotEntry } from '../../../src/api/placement-state.ts';
import { hashOfContents } from '../../../src/engine/selection/content-hash.ts';
import { type SnapshotsTaken, takeSnapshot } from '../../../src/engine/selection/snapshot.ts';
import { drawn } from '../../support/law-runs.ts';
import { digest, object } from './world.ts';

const version = (text: string): Manifest[] => [
  object('v1 Namespace shop'),
  object('v1 ConfigMap shop/web', { data: { text } }),
];
const selectionOf = (manifests: readonly Manifest[]) => ({
  ok: true as const,
  manifests,
  hash: hashOfContents(manifests, digest),
  identifiers: [],
});

const empty: Pick<SnapshotsTaken, 'resourceSnapshots' | 'contents'> = { resourceSnapshots: [], contents: new Map() };
function take(
  before: Pick<SnapshotsTaken, 'resourceSnapshots' | 'contents'>,
  text: string,
  options: { limit?: number; inUse?: readonly number[]; commit?: string } = {},
): SnapshotsTaken {
  return takeSnapshot({
    resourceSnapshots: before.resourceSnapshots,
    contents: before.contents,
    selection: selectionOf(version(text)),
    commit: options.commit ?? 'c1',
    now: '2026-11-20T10:00:00Z',
    limit: options.limit ?? 10,
    inUse: () => new Set(options.inUse ?? []),
    digest,
  });
}
const hash = (text: string): string => hashOfContents(version(text), digest);

test('the first snapshot has index 0', () => {
  expect(take(empty, 'a')).toEqual({
    resourceSnapshots: [{ index: 0, latest: true, hash: hash('a'), commit: 'c1', createdAt: '2026-11-20T10:00:00Z' }],
    contents: new Map([[0, version('a')]]),
    index: 0,
  });
});

test('the same contents take no snapshot, whatever the commit', () => {
  const first = take(empty, 'a');
  expect(take(first, 'a', { commit: 'c2' })).toEqual(first);
});

test('older contents that return are a new index', () => {
  const third = take(take(take(empty, 'a'), 'b'), 'a');
  expect(third.resourceSnapshots.map(({ index, latest, hash }) => ({ index, latest, hash }))).toEqual([
    { index: 0, latest: undefined, hash: hash('a') },
    { index: 1, latest: undefined, hash: hash('b') },
    { index: 2, latest: true, hash: hash('a') },
  ]);
});

describe('history', () => {
  const after = (texts: string, options: { limit: number; inUse?: readonly number[] }) => {
    let taken = { ...empty, index: -1 };
    for (const text of texts) {
      const inUse = (options.inUse ?? []).filter((index) => index <= taken.index);
      taken = take(taken, text, { limit: options.limit, inUse });
    }
    return { entries: taken.resourceSnapshots.map(({ index }) => index), contents: [...taken.contents.keys()] };
  };
  test.each([
    ['as many as the limit are kept', { limit: 3 }, [3, 4, 5]],
    ['a limit of one keeps the new one', { limit: 1 }, [5]],
    ['what is in use outlives the limit', { limit: 2, inUse: [0, 2] }, [0, 2, 4, 5]],
  ])('%s', (_, options, kept) => {
    expect(after('abcdef', options)).toEqual({ entries: kept, contents: kept });
  });
});

describe('a state written by hand', () => {
  const handWritten = (entry: Partial<ResourceSnapshotEntry>, manifests = version('a')) => ({
    resourceSnapshots: [{ index: 3, ...entry }],
    contents: new Map([[3, manifests]]),
  });
  test.each([
    ['without hash and latest', handWritten({})],
    ["with a hub's own hash", handWritten({ hash: 'f00', latest: true })],
    [
      'in another order and with server fields',
      handWritten(
        {},
        version('a')
          .reverse()
          .map((it) => ({ ...it, status: {} })),
      ),
    ],
  ])('%s: the contents decide, and the entry gets both', (_, state) => {
    const taken = take(state, 'a');
    expect(taken).toEqual({
      resourceSnapshots: [{ index: 3, latest: true, hash: hash('a') }],
      contents: state.contents,
      index: 3,
    });
    expect(take(taken, 'a')).toEqual(taken);
  });

  test('without any latest the highest index is the latest', () => {
    const state = {
      resourceSnapshots: [
        { index: 4, hash: hash('b') },
        { index: 2, hash: hash('a') },
      ],
      contents: new Map<number, Manifest[]>(),
    };
    expect(take(state, 'b').index).toBe(4);
    expect(take(state, 'a').index).toBe(5);
  });

  test('a hash without its contents is completed from the selection', () => {
    const taken = take({ resourceSnapshots: [{ index: 1, hash: hash('a') }], contents: new Map() }, 'a');
    expect(taken.contents).toEqual(new Map([[1, version('a')]]));
  });

  test('an index in use is never used again', () => {
    expect(take(empty, 'a', { inUse: [6] }).index).toBe(7);
    expect(take({ resourceSnapshots: [], contents: new Map([[4, version('x')]]) }, 'a').index).toBe(5);
  });
});

test('laws: one latest, ascending, contents of every entry, settled after one step', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: fc.constantFrom('a', 'b', 'c'), limit: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
      }),
      (steps) => {
        let taken: SnapshotsTaken = { ...empty, index: -1 };
        for (const { text, limit } of steps) {
          const inUse = taken.index < 0 ? [] : [taken.index];
          taken = take(taken, text, { limit, inUse });
          const indexes = taken.resourceSnapshots.map(({ index }) => index);
          expect(taken.resourceSnapshots.filter(({ latest }) => latest).map(({ index }) => index)).toEqual([
            taken.index,
          ]);
          expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
          expect([...taken.contents.keys()]).toEqual(indexes);
          expect(taken.contents.get(taken.index)).toEqual(version(text));
          expect(take(taken, text, { limit, inUse })).toEqual(taken);
        }
      },
    ),
    drawn(),
  );
});
