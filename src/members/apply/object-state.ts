import type { Manifest } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { ApplyStrategy, PatchDetail } from '../../api/placement.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import type { Change } from '../watch/store.ts';
import type { Verdict } from './drift-check.ts';

/** State of one object of a placement. */
export interface ObjectState {
  readonly outcome: ObjectOutcome | undefined;
  readonly inFlight: boolean;
  /** Applied and then deleted by someone. Ends when it exists again, which may have to wait for its namespace or finalizers. */
  readonly lost: boolean;
}

export const firstObjectState: ObjectState = { outcome: undefined, inFlight: false, lost: false };

/** What the watches show of an object at the start of its attempt. */
export interface Shown {
  readonly live: Manifest | undefined;
  readonly verdict: Verdict;
  /** The watch covers it and does not show it. */
  readonly missing: boolean;
  /** It carries the label of another placement, or none. */
  readonly relabelled: boolean;
  readonly removing: boolean;
}

export type ObjectEvent =
  | { readonly kind: 'started' }
  /** The member does not serve the kind. */
  | { readonly kind: 'unserved'; readonly outcome: ObjectOutcome }
  | {
      readonly kind: 'compared';
      readonly shown: Shown;
      readonly strategy: ApplyStrategy;
      /** The outcome if the object matches its manifest. */
      readonly same: ObjectOutcome;
      /** Another daemon may have another desired state for it. */
      readonly conflict: boolean;
      readonly held: boolean;
    }
  | {
      readonly kind: 'responded';
      /** The object as the last request showed it; null when it does not exist. */
      readonly live: Manifest | null;
      /** `live` is what the watch showed before. */
      readonly known: boolean;
      /** The object found must not be replaced, so it was left as it is. */
      readonly kept: boolean;
      readonly applied: boolean;
      /** The assignment is current. */
      readonly wanted: boolean;
    }
  /** The outcome of an object of the current assignment. */
  | {
      readonly kind: 'applied';
      readonly outcome: ObjectOutcome;
      /** The drift that was repaired; undefined when there was none. */
      readonly changes: readonly PatchDetail[] | undefined;
      /** What is missing if the watch no longer shows it as ours; else undefined. */
      readonly loss: readonly PatchDetail[] | undefined;
    }
  | { readonly kind: 'failed' }
  /** `settled`: the watch shows it as applied, or does not cover it. */
  | { readonly kind: 'ended'; readonly wanted: boolean; readonly held: boolean; readonly settled: boolean }
  /** `paused`: it was repaired recently, and backs off. */
  | { readonly kind: 'changed'; readonly change: Change; readonly verdict: Verdict; readonly paused: boolean }
  /** The assigned objects changed, or the member is another cluster. */
  | { readonly kind: 'forgotten' };

export type ObjectEffect =
  | { readonly kind: 'apply' }
  /** A dry-run was made for the present state of the object. */
  | { readonly kind: 'noteAsked'; readonly live: Manifest }
  /** Store the object as the request returned it, until the watch catches up. */
  | { readonly kind: 'show'; readonly live: Manifest }
  /** It matches its manifest. */
  | { readonly kind: 'accept'; readonly live: Manifest }
  /** Leave it alone until its desired state is confirmed. */
  | { readonly kind: 'hold'; readonly live: Manifest | undefined }
  | { readonly kind: 'reportRepair'; readonly details: readonly PatchDetail[] }
  | { readonly kind: 'countRepair' }
  /** Retry objects that failed because this one was missing. */
  | { readonly kind: 'retryDependents' }
  | { readonly kind: 'check' }
  /** It matches its manifest: no repair is due. */
  | { readonly kind: 'clearChanges' }
  /** Note who changed it. */
  | { readonly kind: 'blame'; readonly change: Change }
  /** Report the change that waits for repair. */
  | { readonly kind: 'reportChanges'; readonly change: Change };

export interface ObjectStep {
  readonly state: ObjectState;
  readonly effects: readonly ObjectEffect[];
}

/** The next state of one object. Effects are performed in order. */
export function nextForObject(state: ObjectState, event: ObjectEvent): ObjectStep {
  switch (event.kind) {
    case 'started':
      return { state: { ...state, inFlight: true }, effects: [] };
    case 'unserved':
      return { state: { ...state, outcome: event.outcome }, effects: [] };
    case 'compared':
      return afterComparison(state, event);
    case 'responded':
      return { state, effects: afterResponse(event) };
    case 'applied':
      return afterApply(state, event);
    case 'failed':
      return { state: { ...state, inFlight: false }, effects: [] };
    case 'ended': {
      const differs = event.wanted && !event.held && state.outcome?.result === 'Applied' && !event.settled;
      return {
        state: { ...state, inFlight: false },
        // Counted as a repair, so that an object that changes after each apply is not applied in a loop.
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
    // The result of the last dry-run no longer counts: the same difference again is new drift.
    const effects: ObjectEffect[] = live
      ? [
          { kind: 'accept', live },
          { kind: 'noteAsked', live },
        ]
      : [];
    return { state: { ...state, lost: false, outcome: same }, effects };
  }
  // Found drift is left alone only under IfNotDrifted, and the strategy may have changed.
  const isLeft = result.startsWith('FoundDrifts') && strategy.whenToApply === 'IfNotDrifted';
  if (shown.verdict === 'asked' && (result === 'Applied' || isLeft)) return { state, effects: [] };
  if (conflict) return { state, effects: [{ kind: 'hold', live }] };
  return { state, effects: held ? [] : [{ kind: 'apply' }] };
}

function afterResponse(event: Extract<ObjectEvent, { readonly kind: 'responded' }>): ObjectEffect[] {
  const { applied, kept, known, live, wanted } = event;
  const effects: ObjectEffect[] = [];
  if (kept) {
    if (live) effects.push({ kind: 'show', live });
    if (wanted) effects.push({ kind: 'hold', live: live ?? undefined });
    return effects;
  }
  if (live && !live.metadata.deletionTimestamp) effects.push({ kind: 'noteAsked', live });
  // A state from an earlier watch event is not stored: the cluster may have been replaced since.
  if (live && !known) effects.push({ kind: 'show', live });
  // Also for an outdated assignment: the object that we just applied must not count as another daemon's.
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
  // The watch reports a lost label like a deletion; with another label the object belongs to another placement.
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

/** The outcome ends when the object matches its manifest. */
const isReported = (outcome: ObjectOutcome | undefined): boolean =>
  outcome?.result !== 'Applied' || (outcome.details?.length ?? 0) > 0;
