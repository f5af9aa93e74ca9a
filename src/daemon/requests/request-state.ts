import type { PullRequest } from '../../forge/forge.ts';
import type { ListedApprovals } from '../../git/approval-branches.ts';
import {
  type AnsweredCall,
  type AnsweredRequest,
  callForAnswered,
  type Outdated,
  withAnswers,
  withoutAnswer,
  withSought,
} from './answered-requests.ts';
import {
  afterFailedCall,
  type Due,
  editEveryMs,
  type FailedCall,
  type ForgeCalls,
  firstCalls,
  lastingTrouble,
  listEveryMs,
  refusedMs,
  succeeded,
} from './forge-calls.ts';

/** A pull request that the last reconciliation wants to be open. */
export interface WantedRequest {
  /** Of the approval; its branch is `gitfleet/approve/<name>`. */
  readonly name: string;
  /** Tip of its branch; undefined where it is not known now: an open request stays, and none is opened. */
  readonly commit: string | undefined;
  readonly title: string;
  readonly body: string;
  /** Page of its pull request that has got labels and reviewers, as the status branch says. */
  readonly assigned?: string | undefined;
}

/** What is known of the pull requests of a forge. */
export interface RequestState extends ForgeCalls {
  /** By name. Undefined before the first reconciliation. */
  readonly wanted: ReadonlyMap<string, WantedRequest> | undefined;
  /** The record that says so was read later. Milliseconds. */
  readonly wantedAsOfMs: number;
  /** Names that fleets in other folders of the repo request. */
  readonly others: ReadonlySet<string>;
  readonly known: ReadonlyMap<string, KnownRequest>;
  /** Of approvals that were given. */
  readonly outdated: ReadonlyMap<string, Outdated>;
  /** Names whose requests, open or not, were looked for, with the commit that they were looked for. */
  readonly found: ReadonlyMap<string, string | undefined>;
  /** Numbers of requests that gitfleet closed: nobody declined them. */
  readonly withdrawn: ReadonlySet<number>;
  /** Who approves them at the forge, by name of the approval; kept while one that was merged is not yet acted on. */
  readonly reviews: ReadonlyMap<string, { readonly by: readonly string[]; readonly atMs: number }>;
  /** Requests that the forge did not accept. */
  readonly refused: ReadonlyMap<string, { readonly untilMs: number; readonly why: string }>;
}

export interface KnownRequest extends PullRequest {
  /** When it was seen first. */
  readonly seenMs: number;
  /** When gitfleet wrote it. */
  readonly writtenMs?: number;
  /** What came of setting labels and reviewers, which is tried once: what people make of them later stays. */
  readonly assignment?: 'set' | 'refused';
}

export type ForgeCall =
  | { readonly kind: 'list' }
  | { readonly kind: 'find'; readonly request: WantedRequest }
  | { readonly kind: 'open'; readonly request: WantedRequest }
  | { readonly kind: 'edit'; readonly number: number; readonly request: WantedRequest }
  | { readonly kind: 'assign'; readonly number: number; readonly request: WantedRequest }
  | { readonly kind: 'reviews'; readonly number: number; readonly name: string }
  | { readonly kind: 'close'; readonly number: number; readonly name: string }
  | AnsweredCall;

/** The approval branches that there were before the record was read. */
export type BranchesAsOf = Pick<ListedApprovals, 'asOfMs' | 'others'>;

export type ForgeEvent =
  | {
      readonly kind: 'wanted';
      readonly requests: readonly WantedRequest[];
      readonly answers?: readonly AnsweredRequest[];
      readonly asOf: BranchesAsOf;
    }
  | { readonly kind: 'listed'; readonly pulls: ReadonlyMap<string, PullRequest> }
  /** Newest first. */
  | { readonly kind: 'found'; readonly request: WantedRequest; readonly pulls: readonly PullRequest[] }
  | { readonly kind: 'opened'; readonly request: WantedRequest; readonly pull: PullRequest }
  | { readonly kind: 'assigned'; readonly request: WantedRequest }
  | { readonly kind: 'edited'; readonly request: WantedRequest }
  /** Undefined: the forge does not tell. */
  | { readonly kind: 'reviewed'; readonly name: string; readonly by: readonly string[] | undefined }
  | { readonly kind: 'closed'; readonly number: number; readonly name: string }
  /** Newest first. */
  | { readonly kind: 'sought'; readonly name: string; readonly pulls: readonly PullRequest[] }
  | { readonly kind: 'rewritten'; readonly name: string; readonly body: string }
  | FailedCall<ForgeCall>;

/** Requests whose reviews are read after each list, those that were read longest ago: a token has few calls. */
const mostReviewed = 5;

export const firstRequestState: RequestState = {
  wanted: undefined,
  wantedAsOfMs: 0,
  others: new Set(),
  known: new Map(),
  outdated: new Map(),
  found: new Map(),
  withdrawn: new Set(),
  reviews: new Map(),
  refused: new Map(),
  ...firstCalls,
};

/** What to ask the forge now, else when to look again; neither: nothing is to be done until the next reconciliation. */
export function nextCall(state: RequestState, nowMs: number): Due<ForgeCall> {
  const { wanted, listedMs, notBeforeMs } = state;
  if (wanted === undefined) return {};
  if (nowMs < notBeforeMs) return { atMs: notBeforeMs };
  if (listedMs === undefined || (wanted.size > 0 && nowMs >= listedMs + listEveryMs)) return { call: { kind: 'list' } };
  const due = [...wanted.values()].map((request) => callFor(request, state, nowMs));
  const call =
    due.find((it) => it.call)?.call ??
    callForAnswered(state.outdated) ??
    leftover(state) ??
    reviewsToRead(state, listedMs);
  if (call) return { call };
  const times = due.flatMap(({ atMs }) => atMs ?? []);
  return wanted.size === 0 ? {} : { atMs: Math.min(listedMs + listEveryMs, ...times) };
}

function callFor(request: WantedRequest, { known, found, refused }: RequestState, nowMs: number): Due<ForgeCall> {
  const { untilMs = 0 } = refused.get(request.name) ?? {};
  if (nowMs < untilMs) return { atMs: untilMs };
  const there = known.get(request.name);
  if (there?.state === 'open') {
    if (there.assignment === undefined) return { call: { kind: 'assign', number: there.number, request } };
    if (sameText(there, request)) return {};
    const mayMs = (there.writtenMs ?? 0) + editEveryMs;
    return nowMs < mayMs ? { atMs: mayMs } : { call: { kind: 'edit', number: there.number, request } };
  }
  // Closed or merged with this very content: that is the answer until it is reopened, or its content changes.
  if (request.commit === undefined || there?.headCommit === request.commit) return {};
  return { call: { kind: found.get(request.name) === request.commit ? 'open' : 'find', request } };
}

/** A forge may change line ends, and the white space around a text. */
const sameText = (a: { readonly title: string; readonly body: string }, b: typeof a): boolean =>
  a.title.trim() === b.title.trim() && a.body.replaceAll('\r\n', '\n').trim() === b.body.trim();

/**
 * An open request whose approval is no longer wanted, and whose branch the forge did not close it with. Another daemon may have opened one
 * that the last record here did not want yet.
 */
function leftover({ known, wanted, wantedAsOfMs, others }: RequestState): ForgeCall | undefined {
  for (const [name, { state, number, seenMs }] of known)
    if (state === 'open' && wanted?.has(name) === false && !others.has(name) && seenMs < wantedAsOfMs)
      return { kind: 'close', number, name };
  return undefined;
}

export const hasLeftover = (state: RequestState): boolean => leftover(state) !== undefined;

export const wantedAsOf = (state: RequestState, { asOfMs, others }: BranchesAsOf): RequestState =>
  asOfMs > state.wantedAsOfMs ? { ...state, wantedAsOfMs: asOfMs, others: new Set(others) } : state;

/** Known before it is merged, since a reconciliation does not wait for the forge. */
function reviewsToRead({ known, wanted, reviews }: RequestState, listedMs: number): ForgeCall | undefined {
  const readMs = (name: string): number => reviews.get(name)?.atMs ?? 0;
  if ([...reviews.values()].filter(({ atMs }) => atMs >= listedMs).length >= mostReviewed) return undefined;
  const [oldest] = [...known]
    .filter(([name, { state }]) => state !== 'closed' && wanted?.has(name) && readMs(name) < listedMs)
    .sort(([a], [b]) => readMs(a) - readMs(b));
  return oldest && { kind: 'reviews', number: oldest[1].number, name: oldest[0] };
}

export function afterEvent(state: RequestState, event: ForgeEvent, nowMs: number): RequestState {
  switch (event.kind) {
    case 'wanted': {
      const wanted = new Map(event.requests.map((request) => [request.name, request]));
      const stays = <T>(entries: ReadonlyMap<string, T>) => new Map([...entries].filter(([name]) => wanted.has(name)));
      const known = new Map([...state.known].filter(([name, it]) => wanted.has(name) || it.state === 'open'));
      // One that is no longer wanted may have been merged: it is closed only if it is still open after another look.
      const dropped = [...known].some(([name]) => !wanted.has(name) && (state.wanted?.has(name) ?? false));
      const listedMs = dropped ? undefined : state.listedMs;
      const outdated = withAnswers(state.outdated, { answers: event.answers ?? [], known: state.known });
      const kept = { found: stays(state.found), refused: stays(state.refused), reviews: stays(state.reviews) };
      return { ...wantedAsOf(state, event.asOf), wanted, known, outdated, listedMs, ...kept };
    }
    case 'listed':
      return succeeded(afterList(state, event.pulls, nowMs));
    case 'found': {
      const { name, commit } = event.request;
      const there =
        event.pulls.find((pull) => pull.state === 'open') ??
        event.pulls.find(
          ({ headCommit, state: is, number }) =>
            headCommit === commit && (is === 'merged' || !state.withdrawn.has(number)),
        );
      const known = new Map(state.known);
      if (there) known.set(name, asKnown(state, name, there, nowMs));
      else known.delete(name);
      return succeeded({ ...state, known, found: new Map(state.found).set(name, commit) });
    }
    case 'opened': {
      const { name, title, body } = event.request;
      // As it was sent: a forge that changes texts would have it edited again and again.
      const pull = { ...event.pull, title, body, seenMs: nowMs, writtenMs: nowMs };
      const reviews = new Map(state.reviews).set(name, { by: [], atMs: nowMs });
      return succeeded({ ...state, known: new Map(state.known).set(name, pull), reviews });
    }
    case 'reviewed': {
      const { name, by = state.reviews.get(name)?.by ?? [] } = event;
      return succeeded({ ...state, reviews: new Map(state.reviews).set(name, { by, atMs: nowMs }) });
    }
    case 'assigned':
      return succeeded(withAssignment(state, event.request.name, 'set'));
    case 'edited': {
      const { name, title, body } = event.request;
      const there = state.known.get(name);
      const known = there && new Map(state.known).set(name, { ...there, title, body, writtenMs: nowMs });
      return succeeded(known ? { ...state, known } : state);
    }
    case 'closed':
      return succeeded({
        ...withdrawing(state, event.number),
        known: new Map([...state.known].filter(([name]) => name !== event.name)),
      });
    case 'sought':
      return succeeded({ ...state, outdated: withSought(state.outdated, event) });
    case 'rewritten': {
      const { name, body } = event;
      const there = state.known.get(name);
      const known = there ? new Map(state.known).set(name, { ...there, body }) : state.known;
      return succeeded({ ...state, known, outdated: withoutAnswer(state.outdated, name) });
    }
    case 'failed':
      // The answer may be lost.
      return afterFailure(event.call.kind === 'close' ? withdrawing(state, event.call.number) : state, event, nowMs);
  }
}

const withdrawing = (state: RequestState, number: number): RequestState => ({
  ...state,
  withdrawn: new Set(state.withdrawn).add(number),
});

function withAssignment(
  state: RequestState,
  name: string,
  assignment: NonNullable<KnownRequest['assignment']>,
): RequestState {
  const there = state.known.get(name);
  return there ? { ...state, known: new Map(state.known).set(name, { ...there, assignment }) } : state;
}

/** What is no longer among the open ones was closed or merged: that is looked for. */
function afterList(state: RequestState, pulls: ReadonlyMap<string, PullRequest>, nowMs: number): RequestState {
  const ended = [...state.known].filter(([name, { state: was }]) => was === 'open' && !pulls.has(name));
  const gone = new Set(ended.map(([name]) => name));
  const known = new Map<string, KnownRequest>([...state.known].filter(([name]) => !gone.has(name)));
  for (const [name, pull] of pulls) known.set(name, asKnown(state, name, pull, nowMs));
  const found = new Map([...state.found].filter(([name]) => !gone.has(name)));
  // One that is open again is for people to close.
  const open = new Set([...pulls.values()].map(({ number }) => number));
  return { ...state, known, found, withdrawn: state.withdrawn.difference(open), listedMs: nowMs };
}

/** With what only gitfleet knows of it. */
function asKnown({ known, wanted }: RequestState, name: string, pull: PullRequest, nowMs: number): KnownRequest {
  const before = known.get(name);
  if (before?.number === pull.number) return { ...before, ...pull };
  const isAssigned = pull.url !== '' && wanted?.get(name)?.assigned === pull.url;
  return { ...pull, seenMs: nowMs, ...(isAssigned && { assignment: 'set' }) };
}

/** A lost answer may stand for a request that was opened: everything is looked at again before anything else is asked. */
function afterFailure(state: RequestState, failed: FailedCall<ForgeCall>, nowMs: number): RequestState {
  const { call, code, why } = failed;
  const again: RequestState = { ...state, listedMs: undefined, found: new Map() };
  if (call.kind === 'assign' && code !== 'unreachable' && code !== 'limited') {
    // The request is open without them, which is all that an approval needs.
    const refused = new Map(state.refused).set(call.request.name, { untilMs: nowMs, why });
    return withAssignment({ ...state, refused }, call.request.name, 'refused');
  }
  if (code === 'refused' && 'request' in call) {
    const refused = new Map(state.refused).set(call.request.name, { untilMs: nowMs + refusedMs, why });
    return { ...again, refused };
  }
  if (code === 'refused' && (call.kind === 'seek' || call.kind === 'rewrite'))
    return { ...again, outdated: withoutAnswer(state.outdated, call.name) };
  return afterFailedCall(again, failed, nowMs);
}

/** Why requests cannot be opened or edited, if that lasts or an operator must act. */
export const troubles = (state: RequestState, nowMs: number): string[] => [
  ...lastingTrouble(state, nowMs),
  ...[...state.refused.values()].map(({ why }) => why),
];
