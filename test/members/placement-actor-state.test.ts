import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { PlacementAssignment } from '../../src/members/assignment.ts';
import {
  type ActorEvent,
  type ActorState,
  firstActorState,
  isComplete,
  nextForActor,
} from '../../src/members/placement-actor-state.ts';
import { assignment as assigned, configMap } from '../support/member-world.ts';

const web = assigned('web', [configMap('a')]);
const other = assigned('web', [configMap('a')], { digest: 'sha256:other' });
const removal = assigned('web', [], { remove: true });
const isPlaced = () => true;

const at = 1_000;
const having = (more: Partial<ActorState> = {}): Partial<ActorState> => ({ assignment: web, generation: 1, ...more });
const working = (more: Partial<ActorState> = {}) => having({ attempt: 1, ...more });
const set = (object: Manifest = configMap('a')) => ({ how: 'set', key: 'k', object, managers: [] }) as const;
const going = set({ ...configMap('a'), metadata: { name: 'a', deletionTimestamp: 'now' } });
const changed = (of: Partial<Extract<ActorEvent, { kind: 'objectChanged' }>>): ActorEvent => ({
  kind: 'objectChanged',
  change: set(),
  named: false,
  labelled: false,
  atMs: at,
  ...of,
});
const failed = (of: object = {}): ActorEvent => ({
  kind: 'attemptFailed',
  generation: 1,
  unreachable: false,
  message: undefined,
  ...of,
});
const concluded = (of: object = {}): ActorEvent => ({
  kind: 'concluded',
  results: '[]',
  applied: true,
  atMs: at,
  ...of,
});
const failure = { object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }, result: 'ManifestDeleteFailed' } as const;

function step(from: Partial<ActorState>, event: ActorEvent) {
  const before = { ...firstActorState, ...from };
  const { state, effects } = nextForActor(before, event);
  const to = Object.entries(state).filter(([key, value]) => value !== before[key as keyof ActorState]);
  return {
    to: Object.fromEntries(to),
    effects: effects.map((effect) =>
      effect.kind === 'attempt'
        ? `attempt ${effect.scope === 'all' ? 'all' : [...effect.scope]} of ${effect.generation}`
        : [effect.kind, ...('message' in effect ? [effect.message] : [])].join(' '),
    ),
  };
}

const anew = ['noteObjects', 'resetRetry', 'checkWait', 'recheck'];

type Row = readonly [
  what: string,
  from: Partial<ActorState>,
  event: ActorEvent,
  to: Partial<ActorState>,
  effects: string[],
];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'an assignment': [
    [
      'is worked on',
      {},
      { kind: 'assigned', assignment: web, atMs: at },
      { assignment: web, generation: 1, changedAt: at, failures: [] },
      ['forgetConflicts', 'forgetObjects', ...anew],
    ],
    [
      'with other objects replaces the one before and forgets what is known of it',
      working({ done: true, failures: [failure] }),
      { kind: 'assigned', assignment: other, atMs: at },
      { assignment: other, generation: 2, changedAt: at, done: false, failures: [] },
      ['forgetConflicts', 'forgetObjects', ...anew],
    ],
    [
      'with the same objects keeps what is known of them',
      having({ done: true }),
      { kind: 'assigned', assignment: { ...web, prunable: [] }, atMs: at },
      { assignment: { ...web, prunable: [] }, generation: 2, changedAt: at, done: false, failures: [] },
      ['forgetConflicts', ...anew],
    ],
    [
      'that is the same confirms what is held back',
      having({ done: true }),
      { kind: 'assigned', assignment: { ...web, isPlaced }, atMs: at },
      { assignment: { ...web, isPlaced } },
      ['confirm'],
    ],
    [
      'that is the same, and adopted no longer, is looked at again',
      having({ assignment: { ...web, adopted: true } }),
      { kind: 'assigned', assignment: web, atMs: at },
      { assignment: web },
      ['confirm', 'recheck'],
    ],
  ],
  'a look': [
    [
      'at all starts an attempt and needs no retry',
      having(),
      { kind: 'due' },
      { attempt: 1, pending: new Set() },
      ['cancelRetry', 'attempt all of 1'],
    ],
    [
      'at one object starts an attempt',
      having(),
      { kind: 'due', key: 'k' },
      { attempt: 1, pending: new Set() },
      ['attempt k of 1'],
    ],
    ['waits for the attempt in progress', working(), { kind: 'due', key: 'k' }, { pending: new Set(['k']) }, []],
    ['at all includes one object', working({ pending: 'all' }), { kind: 'due', key: 'k' }, {}, []],
    ['needs an assignment', {}, { kind: 'due' }, { pending: 'all' }, []],
    ['does not start after a stop', having({ stopped: true }), { kind: 'due' }, { pending: 'all' }, []],
  ],
  'an attempt': [
    [
      'that ended is concluded',
      working(),
      { kind: 'attemptEnded', generation: 1 },
      { attempt: undefined },
      ['conclude'],
    ],
    [
      'is followed by what has become due meanwhile, before anything is concluded',
      working({ pending: new Set(['k']) }),
      { kind: 'attemptEnded', generation: 1 },
      { pending: new Set() },
      ['attempt k of 1'],
    ],
    [
      'for an outdated assignment concludes nothing',
      working({ generation: 2, pending: 'all' }),
      { kind: 'attemptEnded', generation: 1 },
      { attempt: 2, pending: new Set() },
      ['cancelRetry', 'attempt all of 2'],
    ],
    [
      'that ends after a stop concludes nothing',
      working({ stopped: true }),
      { kind: 'attemptEnded', generation: 1 },
      { attempt: undefined },
      [],
    ],
    ['knows the kinds', working(), { kind: 'kindsFollowed', complete: true }, { kindsKnown: true }, []],
    [
      'reports what it could not remove',
      working(),
      { kind: 'removalsTried', generation: 1, failures: [failure] },
      { failures: [failure] },
      [],
    ],
    [
      'for an outdated assignment reports no failure',
      working({ generation: 2 }),
      { kind: 'removalsTried', generation: 1, failures: [failure] },
      {},
      [],
    ],
    ['that the server refused is retried', working(), failed(), { attempt: undefined, pending: 'all' }, ['retryLater']],
    [
      'without a response lets contact be checked',
      working(),
      failed({ unreachable: true }),
      { attempt: undefined, pending: 'all' },
      ['doubtContact', 'retryLater'],
    ],
    [
      'with a fault of ours is reported',
      working(),
      failed({ message: 'web: TypeError' }),
      { attempt: undefined, pending: 'all' },
      ['report web: TypeError', 'retryLater'],
    ],
    [
      'that failed for an outdated assignment reports nothing',
      working({ generation: 2, pending: 'all' }),
      failed({ message: 'web: TypeError' }),
      { attempt: 2, pending: new Set() },
      ['cancelRetry', 'attempt all of 2'],
    ],
  ],
  'a conclusion': [
    [
      'is reported, and retries start anew when results changed',
      having({ kindsKnown: true }),
      concluded(),
      { done: true, finishedAt: at, heardAt: at, results: '[]' },
      ['resetRetry', 'report'],
    ],
    [
      'with something that is not applied is retried',
      having({ kindsKnown: true, results: '[]' }),
      concluded({ applied: false }),
      { done: true, finishedAt: at, heardAt: at },
      ['retryLater', 'report'],
    ],
    [
      'is retried while a kind is not known',
      having({ results: '[]' }),
      concluded(),
      { done: true, finishedAt: at, heardAt: at },
      ['retryLater', 'report'],
    ],
    [
      'under ReportDiff is retried, since no watch reports a change',
      having({
        kindsKnown: true,
        results: '[]',
        assignment: { ...web, strategy: { ...web.strategy, type: 'ReportDiff' } } as PlacementAssignment,
      }),
      concluded(),
      { done: true, finishedAt: at, heardAt: at },
      ['retryLater', 'report'],
    ],
  ],
  'a changed object': [
    ['that is named is compared', having(), changed({ named: true }), { heardAt: at }, ['checkWait', 'compare']],
    [
      'that is labelled counts as a change',
      having(),
      changed({ labelled: true }),
      { heardAt: at, changedAt: at },
      ['checkWait'],
    ],
    ['of others has no effect', having({ done: true }), changed({}), {}, ['checkWait']],
    [
      'that came back after all was done may be a conflict',
      having({ done: true }),
      changed({ labelled: true }),
      { heardAt: at, changedAt: at },
      ['checkWait', 'checkReturned'],
    ],
    [
      'that is being removed is no conflict',
      having({ done: true }),
      changed({ labelled: true, change: going }),
      { heardAt: at, changedAt: at },
      ['checkWait'],
    ],
    [
      'that is named by a removal is not compared',
      having({ assignment: removal, done: true }),
      changed({ named: true, labelled: true }),
      { heardAt: at, changedAt: at },
      ['checkWait', 'checkReturned'],
    ],
    [
      'that is left alone is not compared',
      having({ assignment: { ...web, leaveAlone: true } }),
      changed({ named: true }),
      { heardAt: at },
      ['checkWait'],
    ],
    [
      'is not compared after a stop',
      having({ stopped: true }),
      changed({ named: true }),
      { heardAt: at },
      ['checkWait'],
    ],
  ],
  'an actor': [
    [
      'starts anew on another cluster, and keeps what it is to do',
      having({ done: true, finishedAt: 1 }),
      { kind: 'restarted', certain: true, atMs: at },
      { done: false, heardAt: at },
      ['restartObjects', 'forgetNotes', 'resetRetry', 'recheck'],
    ],
    [
      'applies all again on what may be another cluster, and reports its last results meanwhile',
      having({ done: true, finishedAt: 1 }),
      { kind: 'restarted', certain: false, atMs: at },
      { heardAt: at, inDoubt: true },
      ['restartObjects', 'forgetNotes', 'resetRetry', 'recheck'],
    ],
    [
      'that is stopped waits for nothing',
      having(),
      { kind: 'stopped' },
      { stopped: true },
      ['cancelRetry', 'stopObjects', 'forgetConflicts', 'checkWait'],
    ],
  ],
};

describe.each(Object.entries(rows))('%s', (_, of) => {
  it.each(of)('%s', (_what, from, event, to, effects) => {
    expect(step(from, event)).toEqual({ to, effects });
  });
});

describe('the objects of a placement on a member are known', () => {
  const whole = { kindsKnown: true, finishedAt: at, generation: 2 };
  it.each<[what: string, state: Partial<ActorState>, known: boolean]>([
    ['after a whole attempt', whole, true],
    ['while the same is attempted again', { ...whole, attempt: 2 }, true],
    ['not while an attempt at an earlier assignment is in flight', { ...whole, attempt: 1 }, false],
    ['not before the first whole attempt', { ...whole, finishedAt: undefined }, false],
    ['not while a kind is not known', { ...whole, kindsKnown: false }, false],
  ])('%s', (_, state, known) => {
    expect(isComplete({ ...firstActorState, ...state })).toBe(known);
  });
});
