import type { PullRequest } from '../../forge/forge.ts';
import type { ListedApprovals } from '../../git/approval-branches.ts';
import { isAnswered } from '../../report/approval/approval-markdown.ts';
import {
  type AnsweredCall,
  type AnsweredRequest,
  callsForAnswered,
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
  isTrouble,
  listEveryMs,
  listing,
  type Need,
  onlyFailures,
  refusedMs,
  retryMs,
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
  ...firstCalls,
};

/** What to ask the forge now, else when to look again; neither: nothing is to be done until the next reconciliation. */
export function nextCall(state: RequestState, nowMs: number): Due<ForgeCall> {
  const { wanted, listedMs, notBeforeMs } = state;
  if (wanted === undefined) return {};
  if (nowMs < notBeforeMs) return { atMs: notBeforeMs };
  if (listedMs === undefined || (wanted.size > 0 && nowMs >= listedMs + listEveryMs)) {
    const atMs = retryMs(state, listing);
    return nowMs < atMs ? { atMs } : { call: { kind: 'list' } };
  }
  const needs = needed(state).map(({ call, atMs }) => ({ call, atMs: Math.max(atMs, retryMs(state, nameOf(call))) }));
  const call = needs.find(({ atMs }) => atMs <= nowMs)?.call ?? reviewsToRead(state, { listedMs, nowMs });
  if (call) return { call };
  const times = [...needs.map(({ atMs }) => atMs), ...(wanted.size > 0 ? [listedMs + listEveryMs] : [])];
  return times.length === 0 ? {} : { atMs: Math.min(...times) };
}

/** What the forge should have and does not. */
const needed = (state: RequestState): Need<ForgeCall>[] => [
  ...[...(state.wanted?.values() ?? [])].flatMap((request) => neededFor(request, state)),
  ...[...callsForAnswered(state.outdated), ...leftovers(state)].map((call) => ({ call, atMs: 0 })),
];

function neededFor(request: WantedRequest, { known, found }: RequestState): Need<ForgeCall>[] {
  const there = known.get(request.name);
  if (there?.state === 'open') {
    const { number, assignment, writtenMs = 0 } = there;
    return [
      ...(assignment === undefined ? [{ call: { kind: 'assign', number, request }, atMs: 0 } as const] : []),
      ...(sameText(there, request)
        ? []
        : [{ call: { kind: 'edit', number, request }, atMs: writtenMs + editEveryMs } as const]),
    ];
  }
  // Closed or merged with this very content: that is the answer until it is reopened, or its content changes.
  if (request.commit === undefined || there?.headCommit === request.commit) return [];
  return [{ call: { kind: found.get(request.name) === request.commit ? 'open' : 'find', request }, atMs: 0 }];
}

/** What a call is for: its failures count together with those of calls for the same. */
function nameOf(call: ForgeCall): string {
  switch (call.kind) {
    case 'list':
      return listing;
    case 'find':
    case 'open':
      return `open ${call.request.name}`;
    case 'edit':
    case 'assign':
      return `${call.kind} ${call.request.name}`;
    case 'seek':
    case 'rewrite':
      return `answer ${call.name}`;
    default:
      return `${call.kind} ${call.name}`;
  }
}

/** A forge may change line ends, and the white space around a text. */
const sameText = (a: { readonly title: string; readonly body: string }, b: typeof a): boolean =>
  a.title.trim() === b.title.trim() && a.body.replaceAll('\r\n', '\n').trim() === b.body.trim();

/**
 * Open requests whose approval is no longer wanted, and whose branch the forge did not close them with. Another daemon may have opened one
 * that the last record here did not want yet.
 */
const leftovers = ({ known, wanted, wantedAsOfMs, others }: RequestState): ForgeCall[] =>
  [...known].flatMap(([name, { state, number, seenMs }]) =>
    state === 'open' && wanted?.has(name) === false && !others.has(name) && seenMs < wantedAsOfMs
      ? [{ kind: 'close', number, name }]
      : [],
  );

export const hasLeftover = (state: RequestState): boolean => leftovers(state).length > 0;

export const wantedAsOf = (state: RequestState, { asOfMs, others }: BranchesAsOf): RequestState =>
  asOfMs > state.wantedAsOfMs ? { ...state, wantedAsOfMs: asOfMs, others: new Set(others) } : state;

/** Known before it is merged, since a reconciliation does not wait for the forge. */
function reviewsToRead(
  state: RequestState,
  { listedMs, nowMs }: { readonly listedMs: number; readonly nowMs: number },
): ForgeCall | undefined {
  const { known, reviews } = state;
  const readMs = (name: string): number => reviews.get(name)?.atMs ?? 0;
  if ([...reviews.values()].filter(({ atMs }) => atMs >= listedMs).length >= mostReviewed) return undefined;
  const [oldest] = [...known]
    .filter(
      ([name]) => isReviewed(state, name) && readMs(name) < listedMs && nowMs >= retryMs(state, `reviews ${name}`),
    )
    .sort(([a], [b]) => readMs(a) - readMs(b));
  return oldest && { kind: 'reviews', number: oldest[1].number, name: oldest[0] };
}

const isReviewed = ({ known, wanted }: RequestState, name: string): boolean =>
  known.has(name) && known.get(name)!.state !== 'closed' && (wanted?.has(name) ?? false);

/** Without failures of what is no longer to be done. */
function ofNeeded(state: RequestState): RequestState {
  if (state.failures.size === 0) return state;
  const names = new Set([listing, ...needed(state).map(({ call }) => nameOf(call))]);
  for (const [name, { assignment }] of state.known) {
    if (isReviewed(state, name)) names.add(`reviews ${name}`);
    if (assignment === 'refused' && state.wanted?.has(name)) names.add(`assign ${name}`);
  }
  return onlyFailures(state, (name) => names.has(name));
}

export const afterEvent = (state: RequestState, event: ForgeEvent, nowMs: number): RequestState =>
  ofNeeded(changedBy(event, state, nowMs));

function changedBy(event: ForgeEvent, state: RequestState, nowMs: number): RequestState {
  switch (event.kind) {
    case 'wanted': {
      const wanted = new Map(event.requests.map((request) => [request.name, request]));
      const stays = <T>(entries: ReadonlyMap<string, T>) => new Map([...entries].filter(([name]) => wanted.has(name)));
      const known = new Map([...state.known].filter(([name, it]) => wanted.has(name) || it.state === 'open'));
      // One that is no longer wanted may have been merged: it is closed only if it is still open after another look.
      const dropped = [...known].some(([name]) => !wanted.has(name) && (state.wanted?.has(name) ?? false));
      const listedMs = dropped ? undefined : state.listedMs;
      const outdated = withAnswers(state.outdated, { answers: event.answers ?? [], wanted, known: state.known });
      const kept = { found: stays(state.found), reviews: stays(state.reviews) };
      return { ...wantedAsOf(state, event.asOf), wanted, known, outdated, listedMs, ...kept };
    }
    case 'listed':
      return succeeded(afterList(state, event.pulls, nowMs), listing);
    case 'found': {
      const { name, commit } = event.request;
      const there =
        event.pulls.find((pull) => pull.state === 'open') ??
        event.pulls.find(
          (pull) => pull.headCommit === commit && (pull.state === 'merged' || !isWithdrawn(pull, state)),
        );
      const known = new Map(state.known);
      if (there) known.set(name, asKnown(state, name, there, nowMs));
      else known.delete(name);
      return { ...state, known, found: new Map(state.found).set(name, commit) };
    }
    case 'opened': {
      const { name, title, body } = event.request;
      // As it was sent: a forge that changes texts would have it edited again and again.
      const pull = { ...event.pull, title, body, seenMs: nowMs, writtenMs: nowMs };
      const reviews = new Map(state.reviews).set(name, { by: [], atMs: nowMs });
      return succeeded({ ...state, known: new Map(state.known).set(name, pull), reviews }, `open ${name}`);
    }
    case 'reviewed': {
      const { name, by = state.reviews.get(name)?.by ?? [] } = event;
      return succeeded({ ...state, reviews: new Map(state.reviews).set(name, { by, atMs: nowMs }) }, `reviews ${name}`);
    }
    case 'assigned':
      return withAssignment(state, event.request.name, 'set');
    case 'edited': {
      const { name, title, body } = event.request;
      const there = state.known.get(name);
      const known = there && new Map(state.known).set(name, { ...there, title, body, writtenMs: nowMs });
      return succeeded(known ? { ...state, known } : state, `edit ${name}`);
    }
    case 'closed':
      return {
        ...withdrawing(state, event.number),
        known: new Map([...state.known].filter(([name]) => name !== event.name)),
      };
    case 'sought':
      return { ...state, outdated: withSought(state.outdated, event) };
    case 'rewritten': {
      const { name, body } = event;
      const there = state.known.get(name);
      const known = there ? new Map(state.known).set(name, { ...there, body }) : state.known;
      return { ...state, known, outdated: withoutAnswer(state.outdated, name) };
    }
    case 'failed':
      // The answer may be lost.
      return afterFailure(event.call.kind === 'close' ? withdrawing(state, event.call.number) : state, event, nowMs);
  }
}

/** Whether gitfleet closed it, and nobody declined it. One that it closed before it started anew leaves nothing to decide. */
const isWithdrawn = ({ number, body }: PullRequest, { withdrawn }: RequestState): boolean =>
  withdrawn.has(number) || isAnswered(body);

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

const writes: readonly ForgeCall['kind'][] = ['open', 'edit', 'assign', 'close', 'rewrite'];

/** The lost answer of a write may stand for one that was made: that is looked at before anything else is asked. */
function afterFailure(state: RequestState, failed: FailedCall<ForgeCall>, nowMs: number): RequestState {
  const { call, code } = failed;
  const isRefused = code === 'refused';
  const waits = { nowMs, ...(isRefused && call.kind !== 'list' && { waitMs: () => refusedMs }) };
  const later = afterFailedCall(state, { ...failed, name: nameOf(call) }, waits);
  const again = writes.includes(call.kind) ? { ...later, listedMs: undefined } : later;
  switch (call.kind) {
    case 'open':
      return { ...again, found: new Map([...again.found].filter(([name]) => name !== call.request.name)) };
    case 'assign':
      // The request is open without them, which is all that an approval needs.
      return code === 'unreachable' || code === 'limited' ? again : withAssignment(later, call.request.name, 'refused');
    case 'reviews': {
      // Others are read before.
      const { by = [] } = state.reviews.get(call.name) ?? {};
      return { ...again, reviews: new Map(state.reviews).set(call.name, { by, atMs: nowMs }) };
    }
    case 'seek':
    case 'rewrite':
      // What is gone needs no text.
      return isRefused || code === 'not-found'
        ? { ...again, outdated: withoutAnswer(state.outdated, call.name) }
        : again;
    default:
      return again;
  }
}

/** Why requests cannot be opened or edited, if that lasts or an operator must act; what concerns all comes first, and nothing twice. */
export function troubles({ failures }: RequestState, nowMs: number): string[] {
  const lasting = [...failures].filter(([, failure]) => isTrouble(failure, nowMs));
  const ofAll = lasting.filter(([name]) => name === listing);
  return [...new Set([...ofAll, ...lasting].map(([, { why }]) => why))];
}
