import type { Manifest } from '../api/meta.ts';
import type { ObjectOutcome } from '../api/observation.ts';
import { assertNever } from '../engine/kernel/assert.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { describeRef, keyOfManifest, objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import type { Actor, ActorInput } from './actor.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import { type ConflictBackOff, conflictBackOff } from './apply/conflict-back-off.ts';
import { type Delivery, delivery } from './apply/delivery.ts';
import type { AssignedManifest, PlacementAssignment } from './assignment.ts';
import { internText } from './intern.ts';
import { type ObjectWait, objectWait } from './object-wait.ts';
import {
  type ActorEffect,
  type ActorEvent,
  type ActorState,
  firstActorState,
  isComplete,
  isCurrent,
  nextForActor,
} from './placement-actor-state.ts';
import { placementObservation } from './placement-observation.ts';
import { type Postponed, postponed } from './postponed-checks.ts';
import { removeOrphans } from './prune/orphans.ts';
import { type Retry, retry } from './retry.ts';
import { undoOf } from './undo.ts';
import { type FirstObservation, firstObservation } from './watch/first-observation.ts';
import { followKinds, objectsNamed } from './watch/follow-kinds.ts';
import type { Change } from './watch/store.ts';

/** What the effects of an actor use. */
interface Tools extends ActorInput {
  readonly observed: FirstObservation;
  readonly objects: Delivery;
  readonly retries: Retry;
  readonly checks: Postponed;
  readonly wait: ObjectWait;
  /** Objects to remove that another daemon may have created since the plan was made. */
  readonly returned: ConflictBackOff;
  readonly state: () => ActorState;
  readonly dispatch: (event: ActorEvent) => void;
}

/** The actor of a placement: performs the effects of `nextForActor`. */
export function placementActor(
  input: ActorInput,
  target: Actor<PlacementAssignment>['target'],
): Actor<PlacementAssignment> {
  const { clock } = input.connection;
  let state = firstActorState;

  function dispatch(event: ActorEvent): void {
    const step = nextForActor(state, event);
    state = step.state;
    for (const effect of step.effects) perform(tools, effect);
  }

  const tools = toolsOf(input, { state: () => state, dispatch });
  const { objects } = tools;
  const outcomes = (): readonly ObjectOutcome[] =>
    state.inDoubt ? JSON.parse(state.results) : [...objects.outcomes(), ...state.failures];
  return {
    target,
    assign(assignment) {
      const { generation } = state;
      dispatch({ kind: 'assigned', assignment, atMs: clock.now() });
      return state.generation !== generation;
    },
    undo(kept) {
      const { assignment, changedAt } = state;
      const undo = assignment && undoOf(assignment, { ...input.connection, quietMs: clock.now() - changedAt });
      return undo && { ...undo, handedOver: undo.prunable.filter((ref) => kept.has(objectKey(ref))) };
    },
    objects: () => (state.assignment ? objectsNamed(state.assignment) : []),
    objectChanged: (change) => dispatch(changeEvent(change, state.assignment, clock.now())),
    serves(apiVersions) {
      for (const key of objects.unserved(apiVersions)) dispatch({ kind: 'due', key });
    },
    restart: (certain) => dispatch({ kind: 'restarted', certain, atMs: clock.now() }),
    observation() {
      const { assignment, finishedAt, heardAt, done } = state;
      // Before the first attempt it is unknown what an earlier daemon applied here, and whether it finished.
      if (!assignment || finishedAt === undefined) return {};
      return {
        placements: [placementObservation({ wanted: assignment, finishedAt, heardAt, done, outcomes: outcomes() })],
      };
    },
    complete: () => isComplete(state),
    idle: () => state.attempt === undefined,
    stop: () => dispatch({ kind: 'stopped' }),
  };
}

function toolsOf(input: ActorInput, { state, dispatch }: Pick<Tools, 'state' | 'dispatch'>): Tools {
  const { connection, changed, conflict } = input;
  const { clock, watches } = connection;
  const observed = firstObservation(clock, watches);
  const recheck = (key?: string): void => dispatch({ kind: 'due', key });
  const wait = objectWait(clock);
  const objects = delivery(connection, observed, {
    wait,
    notify: changed,
    reportChanged: changed,
    changedMeanwhile: (key) => checks.add(key),
    conflict,
  });
  const checks = postponed(clock, objects.pauseMs, recheck);
  return {
    ...input,
    observed,
    objects,
    retries: retry(clock, () => recheck()),
    checks,
    wait,
    returned: conflictBackOff(clock, conflict),
    state,
    dispatch,
  };
}

function perform(tools: Tools, effect: ActorEffect): void {
  const { objects, observed, retries, checks, returned, wait } = tools;
  switch (effect.kind) {
    case 'attempt':
      void attempt(tools, effect);
      return;
    case 'conclude':
      conclude(tools);
      return;
    case 'retryLater':
      retries.later();
      return;
    case 'cancelRetry':
      retries.cancel();
      return;
    case 'resetRetry':
      retries.reset();
      return;
    case 'doubtContact':
      tools.connection.contact.doubt();
      return;
    case 'report':
      tools.changed(effect.message);
      return;
    case 'recheck':
      tools.dispatch({ kind: 'due' });
      return;
    case 'confirm':
      for (const key of objects.confirmed()) checks.add(key);
      removeConfirmed(tools);
      return;
    case 'forgetObjects':
      objects.forget();
      return;
    case 'restartObjects':
      objects.restart();
      return;
    case 'noteObjects':
      observed.begin(effect.assignment);
      return;
    case 'forgetNotes':
      observed.forget();
      return;
    case 'forgetConflicts':
      returned.forget();
      return;
    case 'checkWait':
      wait.nudge();
      return;
    case 'compare':
      compare(tools, effect.change);
      return;
    case 'checkReturned':
      if (isPrunable(tools, effect.key)) returned.found(effect.key);
      return;
    case 'stopObjects':
      objects.stop();
      checks.stop();
      return;
    default:
      assertNever(effect);
  }
}

/** Makes one attempt at the assignment; never rejects, and stops when the assignment changes. */
async function attempt(
  tools: Tools,
  { assignment: given, scope, generation }: Extract<ActorEffect, { readonly kind: 'attempt' }>,
): Promise<void> {
  const { connection, state, dispatch } = tools;
  const isWanted = (): boolean => isCurrent(state(), { generation });
  // Read from the current state: other placements may change during a long attempt.
  const isPlaced: PlacementAssignment['isPlaced'] = (label, object) => state().assignment!.isPlaced(label, object);
  const assignment = { ...given, isPlaced };
  try {
    await connection.contact.open();
    await connection.fewAtOnce.run(() => applyAndPrune(tools, { assignment, scope, generation, isWanted }));
  } catch (error) {
    const unreachable = error instanceof UnreachableError;
    const message = unreachable || error instanceof ApiError ? undefined : `${assignment.key}: ${String(error)}`;
    dispatch({ kind: 'attemptFailed', generation, unreachable, message });
    return;
  }
  dispatch({ kind: 'attemptEnded', generation });
}

async function applyAndPrune(
  tools: Tools,
  {
    assignment,
    scope,
    generation,
    isWanted,
  }: Pick<Extract<ActorEffect, { readonly kind: 'attempt' }>, 'assignment' | 'scope' | 'generation'> & {
    readonly isWanted: () => boolean;
  },
): Promise<void> {
  const { connection, dispatch, objects, observed, wait } = tools;
  const { watches } = connection;
  if (!isWanted()) return;
  dispatch({ kind: 'kindsFollowed', complete: await followKinds(connection, assignment) });
  if (!isWanted()) return;
  observed.more(assignment);
  if (assignment.leaveAlone) return;
  const removal = { connection, assignment, isWanted, mayRemove: (live: Manifest) => mayRemove(tools, live) };
  const tried = (failures: readonly ObjectOutcome[]): void => dispatch({ kind: 'removalsTried', generation, failures });
  if (assignment.remove) {
    if (assignment.adopted) return;
    const isGone = (object: Manifest) => watches.object(refOfManifest(object)) === undefined;
    tried(await removeOrphans({ ...removal, between: (wave) => wait.until(() => !isWanted() || wave.every(isGone)) }));
    return;
  }
  const report = assignment.strategy.type === 'ReportDiff';
  if (scope === 'all' && !report && !assignment.adopted) tried(await removeOrphans(removal));
  await objects.deliver(assignment, scope, isWanted);
}

function mayRemove({ observed, returned }: Tools, live: Manifest): boolean {
  const key = keyOfManifest(live);
  if (observed.isNews(live)) returned.found(key);
  return !returned.holds(key);
}

/** Ends an attempt with its results, unless the desired state of an object is unconfirmed. */
function conclude({ connection, dispatch, objects, state }: Tools): void {
  if (objects.undecided()) return;
  const outcomes = [...objects.outcomes(), ...state().failures];
  dispatch({
    kind: 'concluded',
    results: internText(JSON.stringify(outcomes)),
    applied: outcomes.every(({ result }) => result === 'Applied'),
    atMs: connection.clock.now(),
  });
}

/** Removes objects that exist again, after the record confirmed their removal. */
function removeConfirmed({ changed, connection, dispatch, observed, returned, state }: Tools): void {
  const { assignment } = state();
  const confirmed = new Set(returned.confirmed());
  for (const ref of assignment?.prunable ?? []) {
    const live = confirmed.has(objectKey(ref)) ? connection.watches.inAnyVersion(ref) : undefined;
    if (!live) continue;
    observed.accept(live);
    if (assignment?.undoes)
      changed(
        `${describeRef(ref)} of ${assignment.key} exists again although it was removed: gitfleet removes it again`,
      );
  }
  if (confirmed.size > 0) dispatch({ kind: 'due' });
}

const isPrunable = ({ state }: Tools, key: string): boolean =>
  state().assignment?.prunable.some((ref) => objectKey(ref) === key) ?? false;

function compare({ objects, state }: Tools, change: Change): void {
  const { assignment } = state();
  const item = assignment && itemsOf(assignment.manifests).get(change.key);
  if (item) objects.objectChanged(assignment, item, change);
}

const changeEvent = (change: Change, assignment: PlacementAssignment | undefined, atMs: number): ActorEvent => ({
  kind: 'objectChanged',
  change,
  named: assignment !== undefined && itemsOf(assignment.manifests).has(change.key),
  labelled: change.object.metadata.labels?.[placementLabel] === assignment?.label,
  atMs,
});

/** Manifests by the keys of their objects. Members with equal assignments share one list, and so one index. */
const itemsOf = memoize(
  (manifests: readonly AssignedManifest[]): ReadonlyMap<string, AssignedManifest> =>
    new Map(manifests.map((item) => [keyOfManifest(item.manifest), item])),
);
