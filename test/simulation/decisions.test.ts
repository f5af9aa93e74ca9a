import { describe, expect, it } from 'vitest';
import { badDecisions } from './decisions.ts';
import { type Desired, drawDesired } from './desired.ts';
import { dice } from './dice.ts';
import type { Standing } from './published.ts';
import { type Wish, Wishes } from './wishes.ts';

const desired: Desired = drawDesired(dice('decisions'), 'first');
const app = [...desired.apps.values()][0]!;

/** `app0` runs snapshot 1 on two clusters, where all is well. */
const standing = (more: Partial<Standing> = {}): Standing => ({
  at: 0,
  by: 1,
  commit: 'commit',
  members: new Set(['c0', 'c1', 'c2', 'c9']),
  bound: new Map([
    ['c0', '1'],
    ['c1', '1'],
  ]),
  held: new Map([
    ['c0', '1'],
    ['c1', '1'],
  ]),
  available: new Set(['c0', 'c1']),
  serving: new Set(['c0', 'c1']),
  deleting: new Map(),
  availableBefore: new Set(),
  evicted: new Set(),
  asFound: new Set(),
  ...more,
});

function complaints(
  wish: Partial<Wish>,
  after: Partial<Standing>,
  before: Standing | undefined = standing(),
  broken: Desired['broken'] = new Set(),
): string[] {
  const wishes = new Wishes();
  const clusters = new Map(['c0', 'c1', 'c2'].map((name) => [name, { env: 'dev', tainted: false }] as const));
  wishes.note('commit', { ...desired, clusters, broken, apps: new Map([[app.name, { ...app, ...wish }]]) });
  return badDecisions({ app: app.name, before, after: standing(after) }, wishes, { ...desired, left: new Set(['c9']) });
}

const moved = (...clusters: string[]) => clusters.map((it) => `app0 moved on ${it} although it was suspended`);

describe('while it is suspended, an app', () => {
  const next = { bound: new Map([['c0', '2']]) };
  it.each<readonly [string, Partial<Standing>, readonly string[]]>([
    ['gets nothing newer', next, moved('c0')],
    ['comes to no other cluster', { bound: new Map([['c2', '1']]) }, moved('c2')],
    ['may be picked for another', { bound: new Map([['c2', undefined]]) }, []],
    ['leaves no cluster', { deleting: new Map([['c1', '1']]) }, moved('c1')],
    ['leaves one that left the fleet', { deleting: new Map([['c9', '1']]) }, []],
  ])('%s', (_, after, broken) => {
    expect(complaints({ suspended: true }, after)).toEqual(broken);
    expect(complaints({ suspended: false }, after)).toEqual([]);
  });

  it('stays on what it was to leave, when it is picked for that again', () => {
    const leaving = standing({ bound: new Map() });
    expect(complaints({ suspended: true }, {}, leaving)).toEqual([]);
  });

  it('is not judged by what was lost, nor by a commit in which its file was broken', () => {
    const wishes = new Wishes();
    wishes.note('commit', { ...desired, broken: new Set([`placements/${app.name}.yaml`]) });
    expect(badDecisions({ app: app.name, before: standing(), after: standing(next) }, wishes, desired)).toEqual([]);
    const lost = badDecisions({ app: app.name, before: undefined, after: standing(next) }, wishes, desired);
    expect(lost).toEqual([]);
  });
});

describe('an eviction', () => {
  const evicted = { evicted: new Set(['c1']), serving: new Set(['c0']), deleting: new Map([['c1', '1']]) };
  const took = { ...evicted, availableBefore: new Set(['c1']) };
  const told = ['app0 was evicted from c1, which left 1, not 2, available'];
  const budget = { minAvailable: 2, inRollouts: false };
  it.each<readonly [string, Partial<Wish>, Partial<Standing>, readonly string[]]>([
    ['keeps the budget', { budget }, took, told],
    ['may count on what waits to leave another cluster', { budget }, { ...took, serving: new Set(['c0', 'c2']) }, []],
    ['counts on nothing that left the fleet', { budget }, { ...took, serving: new Set(['c0', 'c9']) }, told],
    ['of what was not available asks for none', { budget }, evicted, []],
    ['may leave what the budget asks for', { budget: { ...budget, minAvailable: 1 } }, took, []],
    ['needs no budget', {}, took, []],
  ])('%s', (_, wish, after, broken) => {
    expect(complaints(wish, after)).toEqual(broken);
  });

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'counts on what may not have left the fleet, since a file cannot be read',
      `resources/${app.name}.yaml`,
      ['c9'],
      [],
    ],
    ['does not where that was not told to be in the fleet any more', `resources/${app.name}.yaml`, [], told],
    ['does not where the file that cannot be read is gone', 'resources/gone.yaml', ['c9'], told],
  ])('%s', (_, path, members, broken) => {
    const after = { ...took, serving: new Set(['c0', 'c9']), members: new Set(members) };
    expect(complaints({ budget }, after, standing(), new Set([path]))).toEqual(broken);
  });
});
