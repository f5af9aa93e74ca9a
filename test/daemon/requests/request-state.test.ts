import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterEvent,
  type ForgeEvent,
  firstRequestState,
  nextCall,
  type RequestState,
  troubles,
  type WantedRequest,
  wantedAsOf,
} from '../../../src/daemon/requests/request-state.ts';
import type { PullRequest } from '../../../src/forge/forge.ts';
import { answeredBody } from '../../../src/report/approval/approval-markdown.ts';

const request: WantedRequest = { name: 'web-1', commit: 'c1', title: 'Approve', body: 'Facts' };
const pull: PullRequest = {
  number: 1,
  url: 'https://forge.example/1',
  head: 'gitfleet/approve/web-1',
  headCommit: 'c1',
  isFork: false,
  state: 'open',
  title: 'Approve',
  body: 'Facts',
};
const asOf = (asOfMs: number, ...others: string[]) => ({ asOfMs, others });
const wanted: ForgeEvent = { kind: 'wanted', requests: [request], asOf: asOf(0) };
const listed = (...pulls: PullRequest[]): ForgeEvent => ({
  kind: 'listed',
  pulls: new Map(pulls.map((it) => [it.head.slice('gitfleet/approve/'.length), it])),
});
const reached = (...events: readonly ForgeEvent[]): RequestState =>
  events.reduce((state, event) => afterEvent(state, event, 0), firstRequestState);

describe('the next call', () => {
  it('is none before a plan, then the list, then a look for a closed one, then the new one, then its labels', () => {
    expect(nextCall(firstRequestState, 0)).toEqual({});
    expect(nextCall(reached(wanted), 0)).toEqual({ call: { kind: 'list' } });
    expect(nextCall(reached(wanted, listed()), 0)).toEqual({ call: { kind: 'find', request } });
    const none = reached(wanted, listed(), { kind: 'found', request, pulls: [] });
    expect(nextCall(none, 0)).toEqual({ call: { kind: 'open', request } });
    const opened = afterEvent(none, { kind: 'opened', request, pull }, 0);
    expect(nextCall(opened, 0)).toEqual({ call: { kind: 'assign', number: 1, request } });
    expect(nextCall(afterEvent(opened, { kind: 'assigned', request }, 0), 0)).toEqual({ atMs: 60_000 });
  });

  it('is none where the very request was closed', () => {
    const known = reached(wanted, listed(), { kind: 'found', request, pulls: [{ ...pull, state: 'closed' }] });
    expect(nextCall(known, 1)).toEqual({ atMs: 60_000 });
  });

  it('asks who approved one that is open, or that was merged, once after each list, and few of many', () => {
    const found: ForgeEvent = { kind: 'found', request, pulls: [{ ...pull, state: 'merged' }] };
    const merged = afterEvent(afterEvent(reached(wanted), listed(), 1), found, 1);
    expect(nextCall(merged, 1)).toEqual({ call: { kind: 'reviews', number: 1, name: 'web-1' } });
    const read = afterEvent(merged, { kind: 'reviewed', name: 'web-1', by: ['ann'] }, 1);
    expect(nextCall(read, 1)).toEqual({ atMs: 60_001 });
    expect(read.reviews.get('web-1')?.by).toEqual(['ann']);
    const requests = Array.from({ length: 9 }, (_, at) => ({ ...request, name: `web-${at}`, assigned: pull.url }));
    const pulls = requests.map(({ name }, at) => ({ ...pull, number: at, head: `gitfleet/approve/${name}` }));
    let state = reached({ kind: 'wanted', requests, asOf: asOf(0) });
    const asked: string[] = [];
    for (const now of [1, 60_001]) {
      state = afterEvent(state, listed(...pulls), now);
      for (let call = nextCall(state, now).call; call?.kind === 'reviews'; call = nextCall(state, now).call) {
        asked.push(call.name);
        state = afterEvent(state, { kind: 'reviewed', name: call.name, by: undefined }, now);
      }
    }
    expect(asked.length).toBe(10);
    expect(new Set(asked).size).toBe(9);
  });

  it('opens another one for other content', () => {
    const found: ForgeEvent = { kind: 'found', request, pulls: [{ ...pull, state: 'closed', headCommit: 'c0' }] };
    expect(nextCall(reached(wanted, listed(), found), 0)).toEqual({ call: { kind: 'open', request } });
  });

  it('is an edit a minute after the last one', () => {
    const opened = reached(wanted, listed(), { kind: 'opened', request, pull }, { kind: 'assigned', request });
    const changed = { ...request, body: 'New facts' };
    const state = afterEvent(opened, { kind: 'wanted', requests: [changed], asOf: asOf(0) }, 1_000);
    expect(nextCall(state, 1_000)).toEqual({ atMs: 60_000 });
    expect(nextCall(afterEvent(state, listed(pull), 60_000), 60_000)).toEqual({
      call: { kind: 'edit', number: 1, request: changed },
    });
  });

  it('looks again before it closes one that is no longer wanted', () => {
    const state = reached(wanted, listed(pull), { kind: 'wanted', requests: [], asOf: asOf(1) });
    expect(nextCall(state, 0)).toEqual({ call: { kind: 'list' } });
    expect(nextCall(afterEvent(state, listed(pull), 0), 0)).toEqual({
      call: { kind: 'close', number: 1, name: 'web-1' },
    });
    expect(nextCall(afterEvent(state, listed(), 0), 0)).toEqual({});
  });

  it('leaves one open while the tip of its branch is not known, and opens none meanwhile', () => {
    const unknown = { ...request, commit: undefined };
    const again: ForgeEvent = { kind: 'wanted', requests: [unknown], asOf: asOf(1) };
    const open = reached(wanted, listed(pull), { kind: 'assigned', request }, again, listed(pull));
    expect(nextCall(open, 1)).toEqual({ atMs: 60_000 });
    expect(nextCall(reached(again, listed()), 1)).toEqual({ atMs: 60_000 });
  });

  it('opens another one in place of one that gitfleet closed, and none once people closed that', () => {
    const none: ForgeEvent = { kind: 'wanted', requests: [], asOf: asOf(1) };
    const closed: ForgeEvent = { kind: 'closed', number: 1, name: 'web-1' };
    const failed: ForgeEvent = {
      kind: 'failed',
      call: { kind: 'close', number: 1, name: 'web-1' },
      code: 'unreachable',
      why: '',
      retryAfterMs: undefined,
    };
    const found: ForgeEvent = { kind: 'found', request, pulls: [{ ...pull, state: 'closed' }] };
    for (const end of [closed, failed]) {
      const events = [wanted, listed(pull), none, listed(pull), end, wanted, listed()];
      expect(reached(...events, found).known.size).toBe(0);
      expect(reached(...events, listed(pull), listed(), found).known.get('web-1')?.state).toBe('closed');
    }
  });

  it('opens another one in place of one that gitfleet closed before it was started anew', () => {
    const body = answeredBody('Facts', { outcome: 'dropped', text: 'no longer requested' });
    const found: ForgeEvent = { kind: 'found', request, pulls: [{ ...pull, state: 'closed', body }] };
    expect(nextCall(reached(wanted, listed(), found), 1)).toEqual({ call: { kind: 'open', request } });
  });

  it('closes none that another daemon opened, before a record that was read later does not want it either', () => {
    const seen = afterEvent(reached({ kind: 'wanted', requests: [], asOf: asOf(4) }), listed(pull), 5);
    for (const asOfMs of [4, 5]) expect(nextCall(wantedAsOf(seen, asOf(asOfMs)), 6)).toEqual({});
    const close = { call: { kind: 'close', number: 1, name: 'web-1' } };
    expect(nextCall(wantedAsOf(seen, asOf(6)), 6)).toEqual(close);
    expect(nextCall(afterEvent(seen, { kind: 'wanted', requests: [], asOf: asOf(6) }, 6), 6)).toEqual(close);
  });

  it('closes none that a fleet in another folder of the repo requests', () => {
    const seen = afterEvent(reached({ kind: 'wanted', requests: [], asOf: asOf(4) }), listed(pull), 5);
    expect(nextCall(wantedAsOf(seen, asOf(6, 'web-1')), 6)).toEqual({});
  });

  it('waits after failures, ever longer up to five minutes, and as long as the forge says', () => {
    let state = reached(wanted);
    const waits: number[] = [];
    for (let count = 0; count < 10; count++) {
      state = afterEvent(state, failed('unreachable'), 0);
      waits.push(nextCall(state, 0).atMs!);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map((seconds) => seconds * 1000));
    expect(nextCall(afterEvent(reached(wanted), failed('limited', 900_000), 0), 0)).toEqual({ atMs: 900_000 });
  });

  it('goes on with the others where the forge does not accept one', () => {
    const other = { ...request, name: 'web-2' };
    const both = reached({ kind: 'wanted', requests: [request, other], asOf: asOf(0) }, listed());
    const refused = afterEvent(both, { ...failed('refused'), call: { kind: 'open', request } }, 0);
    expect(nextCall(afterEvent(refused, listed(), 0), 0)).toEqual({ call: { kind: 'find', request: other } });
    expect(troubles(refused, 0)).toEqual(['why']);
  });
});

describe('a failure', () => {
  const other = { ...request, name: 'web-2' };
  const two = reached({ kind: 'wanted', requests: [request, other], asOf: asOf(0) }, listed());
  const opening = { kind: 'open', request } as const;

  it('of one call waits ever longer, while lists and other requests succeed', () => {
    let state = two;
    const tried: number[] = [];
    for (let now = 0; now < 600_000; now += 1_000)
      for (let { call } = nextCall(state, now); call; call = nextCall(state, now).call) {
        const of = 'request' in call ? call.request : other;
        const isFailing = call.kind === 'open' && of === request;
        if (isFailing) tried.push(now / 1_000);
        const answers: Readonly<Record<string, ForgeEvent>> = {
          list: listed(...state.known.values()),
          find: { kind: 'found', request: of, pulls: [] },
          open: { kind: 'opened', request: of, pull: { ...pull, head: `gitfleet/approve/${of.name}` } },
          assign: { kind: 'assigned', request: of },
          reviews: { kind: 'reviewed', name: of.name, by: [] },
        };
        state = afterEvent(state, isFailing ? { ...failed('unreachable'), call } : answers[call.kind]!, now);
      }
    expect(tried).toEqual([0, 2, 6, 14, 30, 62, 126, 254, 510]);
    expect(state.known.get('web-2')?.assignment).toBe('set');
  });

  it('is a trouble after a minute, or at once if the forge refused, until the call succeeds or is not to be made any more', () => {
    const down = afterEvent(afterEvent(two, { ...failed('unreachable'), call: opening }, 0), listed(), 1);
    expect([59_999, 60_000].map((now) => troubles(down, now))).toEqual([[], ['why']]);
    const refused = afterEvent(two, { ...failed('refused'), call: opening }, 0);
    expect(troubles(refused, 0)).toEqual(['why']);
    const ends: ForgeEvent[] = [
      { kind: 'opened', request, pull },
      listed(pull),
      { kind: 'wanted', requests: [other], asOf: asOf(1) },
    ];
    for (const end of ends) expect(troubles(afterEvent(refused, end, 1), 1)).toEqual([]);
  });

  it('that several calls have is named once', () => {
    const events = [request, other].map(
      (of) => ({ ...failed('refused'), call: { kind: 'open', request: of } }) as const,
    );
    expect(
      troubles(
        events.reduce((state, event) => afterEvent(state, event, 0), two),
        0,
      ),
    ).toEqual(['why']);
  });

  it('with a time to ask again, as of a rate limit, holds up everything', () => {
    const limited = afterEvent(two, { ...failed('limited', 60_000), call: opening }, 0);
    expect(nextCall(limited, 0)).toEqual({ atMs: 60_000 });
  });

  it('does not lose the text of a request that was answered', () => {
    const body = 'Closing this request leaves it waiting';
    const answers = [{ name: 'web-1', isOpened: true, outcome: 'dropped', text: 'No longer requested' }] as const;
    const none = { kind: 'wanted', requests: [], asOf: asOf(1) } as const;
    const pulls = [{ ...pull, state: 'closed' as const, body }];
    const sought = reached(wanted, { ...none, answers }, listed(), { kind: 'sought', name: 'web-1', pulls });
    const call = nextCall(sought, 0).call!;
    expect(call.kind).toBe('rewrite');
    const lost = afterEvent(sought, { ...failed('unreachable'), call }, 0);
    const later = afterEvent(afterEvent(lost, none, 1), listed(), 1);
    expect(nextCall(later, 1)).toEqual({ atMs: 2_000 });
    expect(nextCall(later, 2_000)).toEqual({ call });
  });
});

const failed = (code: 'unreachable' | 'limited' | 'refused', retryAfterMs?: number) =>
  ({ kind: 'failed', call: { kind: 'list' }, code, why: 'why', retryAfterMs }) as const;

it('never opens what is open: any order of answers, faults and clicks', () => {
  const step = fc.constantFrom('ok', 'lost', 'down', 'close', 'reopen', 'time', 'restart');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = 0;
      let state = reached(wanted);
      const pulls: PullRequest[] = [];
      for (const kind of steps) {
        now += kind === 'time' ? 301_000 : 1;
        if (kind === 'restart') state = reached(wanted);
        if (kind === 'close' && pulls[0]) pulls[0] = { ...pulls[0], state: 'closed' };
        if (kind === 'reopen' && pulls[0]) pulls[0] = { ...pulls[0], state: 'open' };
        const { call } = nextCall(state, now);
        if (!call || !['ok', 'lost', 'down'].includes(kind)) continue;
        if (kind !== 'down' && call.kind === 'open') {
          // The second one is what the forge would refuse; after a closed one it must not come either.
          expect(pulls).toEqual([]);
          pulls.push(pull);
        }
        const answers: Readonly<Record<string, ForgeEvent>> = {
          list: listed(...pulls.filter((it) => it.state === 'open')),
          find: { kind: 'found', request, pulls },
          open: { kind: 'opened', request, pull },
          assign: { kind: 'assigned', request },
          reviews: { kind: 'reviewed', name: request.name, by: [] },
        };
        const answer = kind === 'ok' ? answers[call.kind] : { ...failed('unreachable'), call };
        state = afterEvent(state, answer!, now);
      }
    }),
  );
});
