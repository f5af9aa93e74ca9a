import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import type { Change } from '../watch/store.ts';
import type { Verdict } from './drift-check.ts';

/** What is known of one object of a placement. */
export interface ObjectState {
  readonly outcome: ObjectOutcome | undefined;
  readonly inFlight: boolean;
  /** Applied, and then deleted by somebody, until it is there again: not before its namespace, or what keeps it, has gone. */
  readonly lost: boolean;
}

export const firstObjectState: ObjectState = { outcome: undefined, inFlight: false, lost: false };

/** How the member shows an object when it is its turn. */
export interface Shown {
  readonly live: Manifest | undefined;
  readonly verdict: Verdict;
  /** It would be shown if it were there and ours, and is not. */
  readonly missing: boolean;
  /** It carries the label of another placement, or none. */
  readonly relabelled: boolean;
  readonly removing: boolean;
}

export type ObjectEvent =
  | { readonly kind: 'started' }
  /** The member serves no such kind. */
  | { readonly kind: 'unserved'; readonly outcome: ObjectOutcome }
  | {
      readonly kind: 'compared';
      readonly shown: Shown;
      readonly strategy: ApplyStrategy;
      /** The outcome of an object that is as it should be. */
      readonly same: ObjectOutcome;
      /** Another daemon may want something else of it. */
      readonly conflict: boolean;
      readonly held: boolean;
    }
  | {
      readonly kind: 'answered';
      /** The object as the last request showed it; null when it is not there. */
      readonly live: Manifest | null;
      /** `live` is what the watch showed before. */
      readonly known: boolean;
      /** It was found to be what must not be replaced, and was left as it is. */
      readonly kept: boolean;
      readonly applied: boolean;
      /** The same is wanted still. */
      readonly wanted: boolean;
    }
  /** What came of an object that is wanted still. */
  | {
      readonly kind: 'applied';
      readonly outcome: ObjectOutcome;
      /** What somebody had changed of what was sent before; undefined when nothing. */
      readonly changes: readonly PatchDetail[] | undefined;
      /** What is missing where it is not shown as ours any more; undefined where it is. */
      readonly loss: readonly PatchDetail[] | undefined;
    }
  | { readonly kind: 'failed' }
  /** `settled`: it is shown as it should be, or cannot be. */
  | { readonly kind: 'ended'; readonly wanted: boolean; readonly held: boolean; readonly settled: boolean }
  /** `paused`: it was repaired lately, and waits before it is again. */
  | { readonly kind: 'changed'; readonly change: Change; readonly verdict: Verdict; readonly paused: boolean }
  /** Other objects are wanted, or it is another cluster. */
  | { readonly kind: 'forgotten' };

export type ObjectEffect =
  | { readonly kind: 'apply' }
  /** The server has been asked about the object as it is now. */
  | { readonly kind: 'noteAsked'; readonly live: Manifest }
  /** Show the object as the request did, while the watch catches up. */
  | { readonly kind: 'show'; readonly live: Manifest }
  /** It is as we would have it: no news. */
  | { readonly kind: 'accept'; readonly live: Manifest }
  /** Leave it as it is until what we hold of it is confirmed. */
  | { readonly kind: 'hold'; readonly live: Manifest | undefined }
  | { readonly kind: 'reportRepair'; readonly details: readonly PatchDetail[] }
  | { readonly kind: 'countRepair' }
  /** What could not be applied for want of it is tried again. */
  | { readonly kind: 'retryDependents' }
  | { readonly kind: 'check' }
  /** It is as it should be: nothing of it waits for repair. */
  | { readonly kind: 'clearChanges' }
  /** Who changed it. */
  | { readonly kind: 'blame'; readonly change: Change }
  /** What was changed waits for repair. */
  | { readonly kind: 'reportChanges'; readonly change: Change };

export interface ObjectStep {
  readonly state: ObjectState;
  readonly effects: readonly ObjectEffect[];
}

/** What is done next about one object. Effects are performed in order. */
export function nextForObject(state: ObjectState, event: ObjectEvent): ObjectStep {
  switch (event.kind) {
    case 'started':
      return { state: { ...state, inFlight: true }, effects: [] };
    case 'unserved':
      return { state: { ...state, outcome: event.outcome }, effects: [] };
    case 'compared':
      return afterComparison(state, event);
    case 'answered':
      return { state, effects: afterAnswer(event) };
    case 'applied':
      return afterApply(state, event);
    case 'failed':
      return { state: { ...state, inFlight: false }, effects: [] };
    case 'ended': {
      const differs = event.wanted && !event.held && state.outcome?.result === 'Applied' && !event.settled;
      return {
        state: { ...state, inFlight: false },
        // Counted as a repair, so that an object which never stays as it was applied is not applied in a loop.
        effects: differs ? [{ kind: 'countRepair' }, { kind: 'check' }] : [],
      };
    }
    case 'changed':
      return afterChange(state, event);
    case 'forgotten':
      return { state: { ...firstObjectState, inFlight: state.inFlight }, effects: [] };
    default:
      return assertNever(event);
  }
}

function afterComparison(
  before: ObjectState,
  { shown, strategy, same, conflict, held }: Extract<ObjectEvent, { readonly kind: 'compared' }>,
): ObjectStep {
  const result = before.outcome?.result ?? '';
  const isLost = result === 'Applied' && (shown.missing || shown.relabelled || shown.removing);
  const state = isLost ? { ...before, lost: true } : before;
  if (strategy.type === 'ReportDiff') return { state, effects: [{ kind: 'apply' }] };
  const { live } = shown;
  if (shown.verdict === 'same') {
    // Whatever the server was asked about before is over: the same again is news.
    const effects: ObjectEffect[] = live
      ? [
          { kind: 'accept', live },
          { kind: 'noteAsked', live },
        ]
      : [];
    return { state: { ...state, lost: false, outcome: same }, effects };
  }
  // What was found to differ is left only for as long as it is to be: the strategy may be another by now.
  const isLeft = result.startsWith('FoundDrifts') && strategy.whenToApply === 'IfNotDrifted';
  if (shown.verdict === 'asked' && (result === 'Applied' || isLeft)) return { state, effects: [] };
  if (conflict) return { state, effects: [{ kind: 'hold', live }] };
  return { state, effects: held ? [] : [{ kind: 'apply' }] };
}

function afterAnswer(event: Extract<ObjectEvent, { readonly kind: 'answered' }>): ObjectEffect[] {
  const { applied, kept, known, live, wanted } = event;
  const effects: ObjectEffect[] = [];
  if (kept) {
    if (live) effects.push({ kind: 'show', live });
    if (wanted) effects.push({ kind: 'hold', live: live ?? undefined });
    return effects;
  }
  if (live && !live.metadata.deletionTimestamp) effects.push({ kind: 'noteAsked', live });
  // What we were shown before is no news, and may be of a cluster that another has replaced since.
  if (live && !known) effects.push({ kind: 'show', live });
  // Also when something else is wanted by now, of which this says nothing: what we have just put here is no news to it.
  if (live && applied) effects.push({ kind: 'accept', live });
  return effects;
}

function afterApply(
  state: ObjectState,
  { outcome, changes, loss }: Extract<ObjectEvent, { readonly kind: 'applied' }>,
): ObjectStep {
  if (outcome.result !== 'Applied') return { state: { ...state, outcome }, effects: [] };
  const effects: ObjectEffect[] = [];
  if (changes) effects.push({ kind: 'reportRepair', details: changes });
  // One that lost our label is as gone to the watch as one that was deleted; with that of others it is shown as theirs.
  else if (loss && state.lost) effects.push({ kind: 'reportRepair', details: loss });
  if (state.outcome?.result !== 'Applied' || state.lost) effects.push({ kind: 'retryDependents' });
  return { state: { ...state, outcome, lost: false }, effects };
}

function afterChange(
  state: ObjectState,
  { change, verdict, paused }: Extract<ObjectEvent, { readonly kind: 'changed' }>,
): ObjectStep {
  const check: ObjectEffect[] = state.inFlight ? [] : [{ kind: 'check' }];
  if (change.how === 'deleted' || verdict === 'differs') {
    const report: ObjectEffect[] = paused ? [{ kind: 'reportChanges', change }] : [];
    return { state, effects: [{ kind: 'blame', change }, ...report, ...check] };
  }
  const due = verdict === 'same' && isReported(state.outcome);
  return { state, effects: [{ kind: 'clearChanges' }, ...(due ? check : [])] };
}

/** Something is reported of an object that ends once it is as it should be. */
const isReported = (outcome: ObjectOutcome | undefined): boolean =>
  outcome?.result !== 'Applied' || (outcome.details?.length ?? 0) > 0;
