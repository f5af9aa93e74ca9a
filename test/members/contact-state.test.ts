import { describe, expect, it } from 'vitest';
import {
  admits,
  type ContactEvent,
  type ContactState,
  firstContactState,
  isRefused,
  nextContactState,
  pauseMs,
  type Reachability,
} from '../../src/members/contact-state.ts';

const sentAt = 50_000;
const at = 51_000;
const met: Reachability = { kind: 'reachable', heartbeat: 10_000, healthy: true, since: 2_000, joined: 1_000 };
const ill: Reachability = { ...met, healthy: false, trouble: '500' };
const lost: Reachability = { kind: 'unreachable', cause: 'refused', lastHeartbeat: 10_000 };
const reachable: Partial<ContactState> = { reachability: met };
const closed = { untilMs: 60_000, onTrial: false };
const over = { untilMs: at, onTrial: false };
const trial = { untilMs: 40_000, onTrial: true };

const responded = (trouble?: string): ContactEvent => ({ kind: 'responded', trouble, sentAt, atMs: at });
const throttled: ContactEvent = { kind: 'throttled', trouble: '429', sentAt, atMs: at };
const missed = (lasting = false): ContactEvent => ({ kind: 'missed', cause: 'no response', lasting, atMs: at });
const refused = (random = 1): ContactEvent => ({ kind: 'refused', cause: 'too large', random, atMs: at });

type Row = readonly [what: string, from: Partial<ContactState>, event: ContactEvent, to: Partial<ContactState>];

/** `to` names what differs from the state before. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  'a response': [
    [
      'makes a member reachable',
      {},
      responded(),
      { reachability: { kind: 'reachable', heartbeat: sentAt, healthy: true, since: sentAt, joined: sentAt } },
    ],
    [
      'makes it reachable again, from now on',
      { reachability: lost, misses: 3 },
      responded(),
      { reachability: { ...met, heartbeat: sentAt, since: sentAt, joined: sentAt }, misses: 0 },
    ],
    [
      'keeps since when it is healthy and when it joined',
      { ...reachable, misses: 1, busy: true },
      responded(),
      { reachability: { ...met, heartbeat: sentAt }, misses: 0, busy: false },
    ],
    [
      'of an error makes it unhealthy, not unreachable',
      reachable,
      responded('500'),
      { reachability: { ...ill, heartbeat: sentAt, since: sentAt } },
    ],
    [
      'makes it healthy again',
      { reachability: ill },
      responded(),
      { reachability: { ...met, heartbeat: sentAt, since: sentAt } },
    ],
  ],
  'a 429': [
    [
      'shows nothing about health',
      { ...reachable, misses: 1 },
      throttled,
      { reachability: { ...met, heartbeat: sentAt }, misses: 0, busy: true },
    ],
    [
      'is a response the second time',
      { ...reachable, busy: true },
      throttled,
      { reachability: { ...ill, heartbeat: sentAt, trouble: '429', since: sentAt }, busy: false },
    ],
    [
      'is a response of an unhealthy member',
      { reachability: ill },
      throttled,
      { reachability: { ...ill, heartbeat: sentAt, trouble: '429' } },
    ],
    [
      'is a response of a member that was unreachable',
      { reachability: lost },
      throttled,
      { reachability: { ...ill, heartbeat: sentAt, trouble: '429', since: sentAt, joined: sentAt } },
    ],
  ],
  'a probe without response': [
    ['may be a hiccup', reachable, missed(), { misses: 1 }],
    [
      'is an outage the second time',
      { ...reachable, misses: 1 },
      missed(),
      { misses: 2, reachability: { ...lost, cause: 'no response' } },
    ],
    [
      'is an outage at once if nothing can be read',
      reachable,
      missed(true),
      { misses: 1, reachability: { ...lost, cause: 'no response' } },
    ],
    [
      'leaves no last heartbeat where there was none',
      { misses: 1 },
      missed(),
      { misses: 2, reachability: { kind: 'unreachable', cause: 'no response' } },
    ],
    ['keeps the cause of the outage', { reachability: lost, misses: 2 }, missed(), { misses: 3 }],
    ['does not end a 429', { ...reachable, busy: true }, missed(), { misses: 1 }],
  ],
  'a refusal': [
    [
      'makes a member unreachable for a while',
      reachable,
      refused(),
      { reachability: { ...lost, cause: 'too large' }, refusal: { untilMs: at + 15_000, onTrial: false } },
    ],
    [
      'is up to a quarter shorter',
      reachable,
      refused(0),
      { reachability: { ...lost, cause: 'too large' }, refusal: { untilMs: at + 11_250, onTrial: false } },
    ],
    [
      'during the trial is twice as long',
      { reachability: lost, refusal: trial },
      refused(),
      { refusal: { untilMs: at + 30_000, onTrial: false }, refusalMs: 30_000 },
    ],
    [
      'soon after the last is twice as long',
      { ...reachable, acceptedAt: at - 299_999 },
      refused(),
      {
        reachability: { ...lost, cause: 'too large' },
        refusal: { untilMs: at + 30_000, onTrial: false },
        refusalMs: 30_000,
      },
    ],
    [
      'is at most five minutes long',
      { reachability: lost, refusal: trial, refusalMs: 240_000 },
      refused(),
      { refusal: { untilMs: at + 300_000, onTrial: false }, refusalMs: 300_000 },
    ],
    [
      'long after the last is short again',
      { ...reachable, acceptedAt: at - 300_000, refusalMs: 240_000 },
      refused(),
      {
        reachability: { ...lost, cause: 'too large' },
        refusal: { untilMs: at + 15_000, onTrial: false },
        refusalMs: 15_000,
      },
    ],
    ['changes nothing while one lasts', { reachability: lost, refusal: closed }, refused(), {}],
  ],
  'a refused member': [
    ['stays refused, though it responds', { reachability: lost, refusal: closed }, responded(), {}],
    [
      'gets requests on trial when its time is over',
      { reachability: lost, refusal: over },
      responded(),
      { refusal: { untilMs: at, onTrial: true } },
    ],
    [
      'gets no requests on trial while it does not respond',
      { reachability: lost, refusal: over },
      missed(),
      { misses: 1 },
    ],
    [
      'is accepted when it responds during the trial',
      { reachability: lost, refusal: trial },
      responded(),
      {
        reachability: { ...met, heartbeat: sentAt, since: sentAt, joined: sentAt },
        refusal: undefined,
        acceptedAt: at,
      },
    ],
    [
      'is accepted though it is unhealthy',
      { reachability: lost, refusal: trial },
      throttled,
      {
        reachability: { ...ill, heartbeat: sentAt, trouble: '429', since: sentAt, joined: sentAt },
        refusal: undefined,
        acceptedAt: at,
      },
    ],
    [
      'loses the trial when it does not respond',
      { reachability: lost, refusal: trial },
      missed(),
      { misses: 1, refusal: { ...trial, onTrial: false } },
    ],
  ],
};

describe.each(Object.entries(rows))('%s', (_, table) => {
  it.each(table)('%s', (_what, from, event, to) => {
    const before = { ...firstContactState, ...from };
    expect(nextContactState(before, event)).toEqual({ ...before, ...to });
  });
});

it.each<[string, Partial<ContactState>, boolean, boolean]>([
  ['unknown', {}, false, false],
  ['reachable', reachable, true, false],
  ['unreachable', { reachability: lost }, false, false],
  ['refused', { reachability: lost, refusal: closed }, false, true],
  ['on trial', { reachability: lost, refusal: trial }, true, false],
])('a member that is %s', (_what, from, gets, isOut) => {
  const state = { ...firstContactState, ...from };
  expect([admits(state), isRefused(state)]).toEqual([gets, isOut]);
});

it.each<[string, Partial<ContactState>, least: number, most: number]>([
  ['a heartbeat', reachable, 95_000, 105_000],
  ['a second after a 429', { ...reachable, busy: true }, 500, 1_000],
  ['a second after a miss', { ...reachable, misses: 1 }, 500, 1_000],
  ['twice as long after the next', { ...reachable, misses: 2 }, 1_000, 2_000],
  ['at most 15 seconds after many', { reachability: lost, misses: 9 }, 7_500, 15_000],
  ['the rest of a refusal', { reachability: lost, refusal: closed }, 9_000, 9_000],
  ['at most a minute on trial', { reachability: lost, refusal: trial }, 60_000, 60_000],
])('the next probe is sent after %s', (_what, from, least, most) => {
  const state = { ...firstContactState, ...from };
  const pauses = [0, 1].map((random) => Math.round(pauseMs(state, { heartbeatMs: 100_000, atMs: at, random })));
  expect(pauses).toEqual([least, most]);
});
