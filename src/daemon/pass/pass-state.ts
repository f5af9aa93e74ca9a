import type { Problem } from '../../api/problem.ts';
import type { Fleet, FleetRecord, PlanInput } from '../../engine/input.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { StatusText } from '../../repo/record/status-text.ts';
import type { FleetMembers } from '../members.ts';
import type { Remembered } from '../record/remembered.ts';
import type { VerifiedContents } from '../record/verify/snapshot-contents.ts';
import { nothingWithheld, type WithheldTargets } from '../record/verify/withheld-targets.ts';
import { type Basis, type Rest, stillAtRest } from './at-rest.ts';
import type { LastContacts } from './last-contact.ts';
import { type PassResult, reportedFleet } from './pass-result.ts';

/** State that a reconciler keeps from one pass to the next. */
export interface PassState {
  readonly remembered: Remembered | undefined;
  /** True: members were assigned the targets of a record; false: there was no record; undefined: neither yet. */
  readonly adoptedRecord: boolean | undefined;
  /** The record that the next plan starts from while a plan waits for its push. */
  readonly gathered: { readonly on: Remembered; readonly record: FleetRecord } | undefined;
  readonly rest: Rest | undefined;
}

/** The commit to plan for, and the inputs of the plan without observations. */
export interface Loaded {
  readonly before: Remembered;
  readonly record: FleetRecord;
  readonly fleet: Fleet;
  /** Of the commit, if it is not the tip of its branch, and of branches that request approvals. */
  readonly problems: readonly Problem[];
  readonly waiting: VerifiedContents['waiting'];
  /** Nothing of it waits for its push. */
  readonly isPublished: boolean;
  readonly input: Omit<PlanInput, 'observations'>;
}

export interface Observed extends Loaded {
  readonly swept: ReturnType<FleetMembers['swept']>;
  readonly contacts: LastContacts;
  /** Undefined if the daemon cannot be at rest. */
  readonly basis: Basis | undefined;
}

export interface Planned extends Observed {
  readonly result: PlanResult;
  readonly withheld: WithheldTargets;
  readonly files: ReadonlyMap<string, StatusText>;
  /** The files differ from those on the status branch. */
  readonly changed: boolean;
}

/** A plan that the actors may act on. */
export interface Recorded extends Pick<Planned, 'before' | 'fleet' | 'basis' | 'result' | 'withheld' | 'changed'> {
  readonly record: FleetRecord;
  readonly subject?: string | undefined;
}

export type PassEvent =
  | { readonly kind: 'started' }
  | { readonly kind: 'recordRead'; readonly remembered: Remembered }
  | { readonly kind: 'loaded'; readonly loaded: Loaded }
  | { readonly kind: 'adopted'; readonly loaded: Loaded }
  /** `disputed`: another daemon changed a member otherwise than assigned. */
  | { readonly kind: 'observed'; readonly observed: Observed; readonly disputed: boolean; readonly atMs: number }
  /** `pushAtMs`: the push must wait until then. `gathered`: the record for the next plan in that case. */
  | {
      readonly kind: 'planned';
      readonly planned: Planned;
      readonly pushAtMs: number | undefined;
      readonly gathered: FleetRecord | undefined;
    }
  | { readonly kind: 'published'; readonly recorded: Recorded }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'approvalsRequested'; readonly recorded: Recorded; readonly known: boolean };

export type PassEffect =
  | { readonly kind: 'readRecord' }
  /** The followed branch must contain this commit. */
  | { readonly kind: 'acceptCommit'; readonly commit: string }
  | { readonly kind: 'load'; readonly before: Remembered; readonly record: FleetRecord }
  /** Assign the targets of the record, and wait until the members are observed. */
  | { readonly kind: 'adopt'; readonly loaded: Loaded }
  | { readonly kind: 'observe'; readonly loaded: Loaded }
  | { readonly kind: 'plan'; readonly observed: Observed }
  | { readonly kind: 'publish'; readonly planned: Planned }
  | { readonly kind: 'useRewind'; readonly commit: string }
  | { readonly kind: 'assign'; readonly recorded: Recorded }
  | { readonly kind: 'confirm' }
  | { readonly kind: 'requestApprovals'; readonly recorded: Recorded; readonly known: boolean }
  | { readonly kind: 'finish'; readonly result: PassResult };

export interface PassStep {
  readonly state: PassState;
  readonly effects: readonly PassEffect[];
}

export const firstPassState: PassState = {
  remembered: undefined,
  adoptedRecord: undefined,
  gathered: undefined,
  rest: undefined,
};

/** The next step of a pass: read, plan, record, then assign. The last effect of a step yields the next event. */
export function nextInPass(state: PassState, event: PassEvent): PassStep {
  switch (event.kind) {
    case 'started':
      return { state, effects: [{ kind: 'readRecord' }] };
    case 'recordRead':
      return afterRead(state, event.remembered);
    case 'loaded': {
      const { loaded } = event;
      const { exists } = loaded.before.record;
      // A lost record is like a start. After a loss, a record that another daemon wrote must be adopted too.
      if (state.adoptedRecord === exists) return { state, effects: [{ kind: 'observe', loaded }] };
      return { state: { ...state, adoptedRecord: exists }, effects: [{ kind: 'adopt', loaded }] };
    }
    case 'adopted':
      return { state, effects: [{ kind: 'observe', loaded: event.loaded }] };
    case 'observed':
      return afterLook(state, event);
    case 'planned':
      return afterPlan(state, event);
    case 'published':
      return act(state, event.recorded);
    case 'rejected':
      return { state, effects: [{ kind: 'finish', result: { kind: 'moved' } }] };
    case 'approvalsRequested':
      return finish(state, event);
    default:
      return assertNever(event);
  }
}

function afterRead(state: PassState, remembered: Remembered): PassStep {
  const { commit } = remembered.record;
  // Another daemon may have moved on, or accepted a rewind. A deleted branch shows nothing, so our own state stays.
  const isNews = remembered !== state.remembered && commit !== undefined;
  const record = state.gathered?.on === remembered ? state.gathered.record : remembered.record;
  return {
    state: { ...state, remembered },
    effects: [
      ...(isNews ? [{ kind: 'acceptCommit', commit } as const] : []),
      { kind: 'load', before: remembered, record },
    ],
  };
}

function afterLook(
  state: PassState,
  { observed, disputed, atMs }: Extract<PassEvent, { readonly kind: 'observed' }>,
): PassStep {
  const { basis, before, fleet } = observed;
  const { rest } = state;
  if (rest && basis && !disputed && stillAtRest(rest, { basis, ms: atMs })) {
    const { result } = rest;
    // Nothing is assigned again.
    const recorded = { before, fleet, basis, result, withheld: nothingWithheld, changed: false, record: before.record };
    return { state, effects: [{ kind: 'confirm' }, { kind: 'requestApprovals', recorded, known: true }] };
  }
  return { state: { ...state, rest: undefined }, effects: [{ kind: 'plan', observed }] };
}

function afterPlan(
  state: PassState,
  { planned, pushAtMs, gathered }: Extract<PassEvent, { readonly kind: 'planned' }>,
): PassStep {
  const { before, fleet, changed, result } = planned;
  if (pushAtMs !== undefined)
    return {
      // Targets of an unpublished plan are not assigned, so the memo must not contain what it would start.
      state: gathered === undefined ? state : { ...state, gathered: { on: before, record: gathered } },
      effects: [
        { kind: 'finish', result: { kind: 'gathering', plan: result.plan, fleet: reportedFleet(fleet), pushAtMs } },
      ],
    };
  if (changed) return { state, effects: [{ kind: 'publish', planned }] };
  return act(state, { ...planned, record: before.record });
}

const isRefused = ({ result: { plan } }: Recorded): boolean => plan.guard.length > 0;

/** The plan is recorded: assigns its targets, unless the guard refused it. */
function act(state: PassState, recorded: Recorded): PassStep {
  const { plan } = recorded.result;
  const used: PassEffect = { kind: 'useRewind', commit: plan.commit };
  // Last, because a server that rejects these branches must not block the published plan.
  const requests: PassEffect = { kind: 'requestApprovals', recorded, known: false };
  if (isRefused(recorded)) return { state, effects: [used, requests] };
  return {
    state: recorded.record.exists ? { ...state, adoptedRecord: true } : state,
    effects: [used, { kind: 'assign', recorded }, { kind: 'confirm' }, requests],
  };
}

function finish(
  state: PassState,
  { recorded, known }: Extract<PassEvent, { readonly kind: 'approvalsRequested' }>,
): PassStep {
  const { basis, changed, result, subject } = recorded;
  const fleet = reportedFleet(recorded.fleet);
  const { plan, starts } = result;
  if (known) return { state, effects: [{ kind: 'finish', result: { kind: 'unchanged', plan, starts, fleet } }] };
  const refused = isRefused(recorded);
  const rests = basis !== undefined && !changed && !refused;
  const kind = refused ? 'refused' : changed ? 'published' : 'unchanged';
  return {
    state: rests ? { ...state, rest: { basis, result, plannedAtMs: parseInstant(plan.now)! } } : state,
    effects: [{ kind: 'finish', result: { kind, plan, starts, fleet, ...(subject === undefined ? {} : { subject }) } }],
  };
}
