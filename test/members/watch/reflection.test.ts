import { describe, expect, it } from 'vitest';
import {
  firstReflection,
  nextReflection,
  type Reflection,
  type ReflectorEvent,
} from '../../../src/members/watch/reflection.ts';

const synced = { state: { kind: 'synced' }, version: '7', asOf: 1_000 } as const;
const unwatched = { state: { kind: 'synced', unwatched: 'watch: 403' }, unwatched: 'watch: 403' } as const;
const refused = { kind: 'refused', message: 'list: 500', lasting: false } as const;
const broke = { kind: 'failed', failure: { kind: 'broke', message: 'read ECONNRESET' } } as const;

/** The changed fields, and the effects, each with its kind and arguments. */
function step(from: Partial<Reflection>, event: ReflectorEvent) {
  const before = { ...firstReflection(false), ...from };
  const { reflection, effects } = nextReflection(before, event);
  const changed = Object.entries(reflection).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof Reflection]),
  );
  return {
    to: Object.fromEntries(changed),
    effects: effects.map(({ kind, ...rest }) =>
      [kind, ...Object.values(rest)].filter((it) => it !== undefined).join(' '),
    ),
  };
}

type Row = readonly [
  what: string,
  from: Partial<Reflection>,
  event: ReflectorEvent,
  to: Partial<Reflection>,
  effects: string[],
];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'before anything is asked': [
    ['waits for the member', {}, { kind: 'started', reachable: false }, {}, ['connect']],
    ['continues while the member responds', synced, { kind: 'started', reachable: true }, {}, ['connect']],
    [
      'knows only what was there before while the member does not respond',
      synced,
      { kind: 'started', reachable: false },
      { state: { kind: 'broken' }, version: undefined },
      ['report', 'connect'],
    ],
    ['lists first', {}, { kind: 'connected' }, {}, ['list follow']],
    ['watches from where it stopped', synced, { kind: 'connected' }, {}, ['watch 7']],
    [
      'is incomplete while it lists again',
      { ...synced, version: undefined },
      { kind: 'connected' },
      { state: { kind: 'listing' } },
      ['report', 'list follow'],
    ],
    ['stays complete where lists stand for a watch', unwatched, { kind: 'connected' }, {}, ['list follow']],
    [
      'polls where it may not hold a watch',
      { ...synced, polls: true },
      { kind: 'connected' },
      {},
      ['resetPauses', 'poll'],
    ],
    ['lists after a poll', { ...synced, polls: true }, { kind: 'polled' }, {}, ['list restart']],
  ],
  'a list': [
    [
      'is true as of when it was asked for',
      { breaks: 2 },
      { kind: 'listReceived', items: [], version: '9', atMs: 5, next: 'follow' },
      { breaks: 0, asOf: 5 },
      ['replace  9 follow'],
    ],
    [
      'makes the kind complete and is followed by a watch',
      { byName: true },
      { kind: 'listed', version: '9', next: 'follow' },
      { state: { kind: 'synced' }, version: '9', byName: false },
      ['report', 'watch 9'],
    ],
    [
      'that changes nothing is not reported',
      synced,
      { kind: 'listed', version: '9', next: 'restart' },
      { version: '9' },
      ['restart'],
    ],
    [
      'stands for a watch that is forbidden, and says so',
      { unwatched: 'watch: 403' },
      { kind: 'listed', version: '9', next: 'follow' },
      { state: unwatched.state, version: '9' },
      ['report watch: 403', 'watch 9'],
    ],
    [
      'that is forbidden has objects read one by one',
      {},
      { kind: 'listForbidden', reason: 'list: 403', next: 'follow' },
      { byName: true },
      ['readNamed list: 403 follow'],
    ],
    [
      'of objects read one by one waits longer and longer',
      { byName: true, breaks: 1 },
      { kind: 'namedRead', reason: 'list: 403', next: 'follow' },
      { state: { kind: 'synced', unwatched: 'list: 403' }, breaks: 0 },
      ['report list: 403', 'pause 300000', 'restart'],
    ],
    [
      'that turns forbidden after a watch is tried again at once',
      { ...synced, byName: true },
      { kind: 'namedRead', reason: 'list: 403', next: 'restart' },
      { state: { kind: 'synced', unwatched: 'list: 403' }, version: undefined },
      ['report list: 403', 'restart'],
    ],
  ],
  'a watch': [
    [
      'moves on with every event',
      synced,
      { kind: 'watchResponded', version: '8', atMs: 2_000 },
      { version: '8', asOf: 2_000 },
      [],
    ],
    [
      'keeps its version with an event that has none',
      synced,
      { kind: 'watchResponded', version: undefined, atMs: 1_000 },
      {},
      [],
    ],
    [
      'that tells something may be held after all',
      { ...unwatched, version: '7' },
      { kind: 'watchResponded', version: '8', atMs: 2_000 },
      { state: { kind: 'synced' }, unwatched: undefined, version: '8', asOf: 2_000 },
      ['report'],
    ],
    [
      'that lasted is continued',
      synced,
      { kind: 'watchEnded', silent: false, lastedMs: 5_000 },
      {},
      ['resetPauses', 'restart'],
    ],
    [
      'that ended at once is continued later',
      synced,
      { kind: 'watchEnded', silent: false, lastedMs: 4_999 },
      {},
      ['pause', 'restart'],
    ],
    [
      'that was silent is checked by a list',
      synced,
      { kind: 'watchEnded', silent: true, lastedMs: 60_000 },
      {},
      ['resetPauses', 'list restart'],
    ],
    [
      'that is forbidden is replaced by lists',
      synced,
      { kind: 'watchForbidden', reason: 'watch: 403' },
      { version: undefined, unwatched: 'watch: 403' },
      ['restart'],
    ],
    [
      'that is still forbidden is tried less often',
      { ...unwatched, version: '7' },
      { kind: 'watchForbidden', reason: 'watch: 403' },
      { version: undefined },
      ['pause', 'restart'],
    ],
  ],
  'a failure': [
    [
      'breaks what is shown',
      synced,
      broke,
      { state: { kind: 'broken' }, version: undefined, breaks: 1 },
      ['report', 'doubtContact', 'pause', 'restart'],
    ],
    [
      'that repeats is not reported again',
      { state: { kind: 'broken' }, breaks: 1 },
      broke,
      { breaks: 2 },
      ['doubtContact', 'pause', 'restart'],
    ],
    [
      'is the third in a row: something is wrong with the kind',
      { state: { kind: 'broken' }, breaks: 2 },
      broke,
      { state: { kind: 'refused', message: 'read ECONNRESET', lasting: false }, breaks: 3 },
      ['report', 'doubtContact', 'pause', 'restart'],
    ],
    [
      'for an old version lists at once the first time',
      synced,
      { kind: 'failed', failure: { kind: 'expired' } },
      { state: { kind: 'listing' }, version: undefined },
      ['report', 'pauseUnlessFirst', 'restart'],
    ],
    [
      'of the server is no message while it may end',
      synced,
      { kind: 'failed', failure: refused },
      { state: refused, version: undefined },
      ['report', 'pause', 'restart'],
    ],
    [
      'of the server is a message when it lasts',
      synced,
      { kind: 'failed', failure: { ...refused, lasting: true } },
      { state: { ...refused, lasting: true }, version: undefined },
      ['report list: 500', 'pause', 'restart'],
    ],
    [
      'with 404 asks whether the kind is served',
      synced,
      { kind: 'failed', failure: { ...refused, kind: 'missing' } },
      { version: undefined },
      ['checkServed [object Object]'],
    ],
    ['empties what is not served', synced, { kind: 'unserved' }, {}, ['empty']],
    [
      'ends where the kind is not served any more',
      { ...synced, byName: true },
      { kind: 'emptied' },
      { state: { kind: 'unserved' }, byName: false, asOf: Number.POSITIVE_INFINITY },
      ['report'],
    ],
  ],
};

describe.each(Object.entries(rows))('%s', (_, of) => {
  it.each(of)('%s', (_what, from, event, to, effects) => {
    expect(step(from, event)).toEqual({ to, effects });
  });
});
