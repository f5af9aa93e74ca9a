import type { ObjectOutcome } from '../api/observation.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import { isSameAssignment, type PlacementAssignment } from './assignment.ts';
import type { Change } from './watch/store.ts';

/** Keys of objects to work on. */
export type Scope = 'all' | ReadonlySet<string>;

export interface ActorState {
  readonly assignment: PlacementAssignment | undefined;
  /** Counts changes of the assignment: every pass assigns, mostly the same. */
  readonly generation: number;
  /** The objects of the next attempt. */
  readonly pending: Scope;
  /** The generation of the attempt in progress; undefined when there is none. */
  readonly attempt: number | undefined;
  /** Every kind of the assignment is watched or not served. */
  readonly kindsKnown: boolean;
  /** Objects that could not be removed. */
  readonly failures: readonly ObjectOutcome[];
  /** The present assignment has had a complete attempt. */
  readonly done: boolean;
  /** End of the last complete attempt, milliseconds; undefined before the first. */
  readonly finishedAt: number | undefined;
  /** When the member last reported on the placement, milliseconds: an object changed, or an attempt ended. */
  readonly heardAt: number;
  /** When an object with its label, or its assignment, last changed, milliseconds. */
  readonly changedAt: number;
  /** The results of the last complete attempt, as JSON. */
  readonly results: string;
  /** The member may be another cluster: until everything was applied again, the results of the last attempt are reported. */
  readonly inDoubt: boolean;
  readonly stopped: boolean;
}

export type ActorEvent =
  | { readonly kind: 'assigned'; readonly assignment: PlacementAssignment; readonly atMs: number }
  /** Check one object again, or all. */
  | { readonly kind: 'due'; readonly key?: string | undefined }
  | {
      readonly kind: 'objectChanged';
      readonly change: Change;
      /** The assignment names it. */
      readonly named: boolean;
      /** It carries the label of the placement. */
      readonly labelled: boolean;
      readonly atMs: number;
    }
  | { readonly kind: 'kindsFollowed'; readonly complete: boolean }
  | { readonly kind: 'removalsTried'; readonly generation: number; readonly failures: readonly ObjectOutcome[] }
  | { readonly kind: 'attemptEnded'; readonly generation: number }
  | { readonly kind: 'concluded'; readonly results: string; readonly applied: boolean; readonly atMs: number }
  /** `message`: an error that is not a response of the server. */
  | {
      readonly kind: 'attemptFailed';
      readonly generation: number;
      readonly unreachable: boolean;
      readonly message: string | undefined;
    }
  /** The name of the member belongs to another cluster; not `certain`: it may be the same one. */
  | { readonly kind: 'restarted'; readonly certain: boolean; readonly atMs: number }
  | { readonly kind: 'stopped' };

export type ActorEffect =
  /** Start an attempt; its events carry `generation`. */
  | {
      readonly kind: 'attempt';
      readonly assignment: PlacementAssignment;
      readonly scope: Scope;
      readonly generation: number;
    }
  /** Report the results of the attempt, unless the desired state of an object is unconfirmed. */
  | { readonly kind: 'conclude' }
  | { readonly kind: 'retryLater' | 'cancelRetry' | 'resetRetry' }
  | { readonly kind: 'doubtContact' }
  /** Something changed that a plan may depend on. */
  | { readonly kind: 'report'; readonly message?: string }
  | { readonly kind: 'recheck' }
  /** The assignment was confirmed by the record. */
  | { readonly kind: 'confirm' }
  /** The assigned objects changed: drop what is known about them. */
  | { readonly kind: 'forgetObjects' }
  /** The member is another cluster: drop what is known about objects. */
  | { readonly kind: 'restartObjects' }
  | { readonly kind: 'noteObjects'; readonly assignment: PlacementAssignment }
  | { readonly kind: 'forgetNotes' }
  | { readonly kind: 'forgetConflicts' }
  /** Check whether the wait of the attempt is over. */
  | { readonly kind: 'checkWait' }
  /** A named object changed: check it if it differs. */
  | { readonly kind: 'compare'; readonly change: Change }
  /** A removed object exists again. */
  | { readonly kind: 'checkReturned'; readonly key: string }
  | { readonly kind: 'stopObjects' };

export interface ActorStep {
  readonly state: ActorState;
  readonly effects: readonly ActorEffect[];
}

export const firstActorState: ActorState = {
  assignment: undefined,
  generation: 0,
  pending: new Set(),
  attempt: undefined,
  kindsKnown: false,
  failures: [],
  done: false,
  finishedAt: undefined,
  heardAt: Number.NEGATIVE_INFINITY,
  changedAt: Number.NEGATIVE_INFINITY,
  results: '',
  inDoubt: false,
  stopped: false,
};

/** The next state of the actor of a placement. Effects are performed in order. */
export function nextForActor(state: ActorState, event: ActorEvent): ActorStep {
  switch (event.kind) {
    case 'assigned':
      return assigned(state, event);
    case 'due':
      return start({ ...state, pending: withPending(state.pending, event.key) });
    case 'objectChanged':
      return objectChanged(state, event);
    case 'kindsFollowed':
      return { state: { ...state, kindsKnown: event.complete }, effects: [] };
    case 'removalsTried':
      return { state: isCurrent(state, event) ? { ...state, failures: event.failures } : state, effects: [] };
    case 'attemptEnded': {
      const rested = { ...state, attempt: undefined };
      if (isCurrent(state, event) && !isPending(state)) return { state: rested, effects: [{ kind: 'conclude' }] };
      return start(rested);
    }
    case 'concluded':
      return concluded(state, event);
    case 'attemptFailed':
      return attemptFailed(state, event);
    case 'restarted':
      return {
        // An attempt in progress counts as a failure, which no budget protects: the same cluster must not seem to start again.
        state: {
          ...state,
          heardAt: event.atMs,
          done: state.done && !event.certain,
          inDoubt: state.done && !event.certain,
        },
        effects: [{ kind: 'restartObjects' }, { kind: 'forgetNotes' }, { kind: 'resetRetry' }, { kind: 'recheck' }],
      };
    case 'stopped':
      return {
        state: { ...state, stopped: true },
        effects: [{ kind: 'cancelRetry' }, { kind: 'stopObjects' }, { kind: 'forgetConflicts' }, { kind: 'checkWait' }],
      };
    default:
      return assertNever(event);
  }
}

/**
 * False while it is unknown what the member holds of the placement: during an attempt, and while objects are unconfirmed, a
 * missing object may still exist.
 */
export const isComplete = ({ kindsKnown, finishedAt, attempt, generation }: ActorState): boolean =>
  kindsKnown && finishedAt !== undefined && (attempt === undefined || attempt === generation);

/** The results of an attempt count only while its assignment is current. */
export const isCurrent = (state: ActorState, { generation }: Pick<ActorState, 'generation'>): boolean =>
  !state.stopped && state.generation === generation;

const isPending = ({ pending }: ActorState): boolean => pending === 'all' || pending.size > 0;

function withPending(pending: Scope, key: string | undefined): Scope {
  if (key === undefined || pending === 'all') return 'all';
  return pending.has(key) ? pending : new Set([...pending, key]);
}

/** Starts the next attempt unless one is running or nothing is pending. */
function start(state: ActorState): ActorStep {
  const { assignment, attempt, generation, pending: scope, stopped } = state;
  if (attempt !== undefined || stopped || assignment === undefined || !isPending(state)) return { state, effects: [] };
  return {
    state: { ...state, pending: new Set(), attempt: generation },
    effects: [
      ...(scope === 'all' ? [{ kind: 'cancelRetry' } as const] : []),
      { kind: 'attempt', assignment, scope, generation },
    ],
  };
}

function assigned(
  state: ActorState,
  { assignment, atMs }: Extract<ActorEvent, { readonly kind: 'assigned' }>,
): ActorStep {
  const before = state.assignment;
  if (before && isSameAssignment(before, assignment)) {
    // Objects that an adopted assignment left alone are due now.
    const due = before.adopted && !assignment.adopted ? [{ kind: 'recheck' } as const] : [];
    return { state: { ...state, assignment }, effects: [{ kind: 'confirm' }, ...due] };
  }
  const others = before?.digest !== assignment.digest || assignment.remove || before?.remove;
  return {
    state: {
      ...state,
      assignment,
      generation: state.generation + 1,
      changedAt: atMs,
      failures: [],
      done: false,
      inDoubt: false,
    },
    effects: [
      { kind: 'forgetConflicts' },
      ...(others ? [{ kind: 'forgetObjects' } as const] : []),
      { kind: 'noteObjects', assignment },
      { kind: 'resetRetry' },
      { kind: 'checkWait' },
      { kind: 'recheck' },
    ],
  };
}

function objectChanged(
  before: ActorState,
  { change, named, labelled, atMs }: Extract<ActorEvent, { readonly kind: 'objectChanged' }>,
): ActorStep {
  const state = {
    ...before,
    ...(named || labelled ? { heardAt: atMs } : {}),
    ...(labelled ? { changedAt: atMs } : {}),
  };
  const effects: ActorEffect[] = [{ kind: 'checkWait' }];
  const { assignment, done, stopped } = state;
  if (assignment === undefined || assignment.leaveAlone || stopped) return { state, effects };
  const isThere = change.how === 'set' && !change.object.metadata.deletionTimestamp;
  if (named && !assignment.remove) effects.push({ kind: 'compare', change });
  // Someone created a removed object again: from a backup, or a daemon with a newer plan.
  else if (done && isThere && labelled) effects.push({ kind: 'checkReturned', key: change.key });
  return { state, effects };
}

function concluded(
  before: ActorState,
  { results, applied, atMs }: Extract<ActorEvent, { readonly kind: 'concluded' }>,
): ActorStep {
  const state = { ...before, done: true, inDoubt: false, finishedAt: atMs, heardAt: atMs, results };
  // Under ReportDiff the compared objects need not have our label, so no watch shows their changes.
  const unwatched = state.assignment?.strategy.type === 'ReportDiff';
  return {
    state,
    effects: [
      // KubeFleet resets its back-off when results change (work applier, requeue rate limiter).
      ...(results === before.results ? [] : [{ kind: 'resetRetry' } as const]),
      ...(unwatched || !state.kindsKnown || !applied ? [{ kind: 'retryLater' } as const] : []),
      { kind: 'report' },
    ],
  };
}

function attemptFailed(before: ActorState, event: Extract<ActorEvent, { readonly kind: 'attemptFailed' }>): ActorStep {
  const state = { ...before, attempt: undefined };
  // An error of an outdated attempt does not concern the present assignment.
  if (!isCurrent(state, event)) return start(state);
  const { unreachable, message } = event;
  return {
    state: { ...state, pending: 'all' },
    effects: [
      ...(unreachable ? [{ kind: 'doubtContact' } as const] : []),
      ...(message === undefined ? [] : [{ kind: 'report', message } as const]),
      { kind: 'retryLater' },
    ],
  };
}
