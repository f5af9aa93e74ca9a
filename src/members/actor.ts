import type { Manifest } from '../api/meta.ts';
import type { ObjectOutcome, PlacementSighting } from '../api/observation.ts';
import { onceFor } from '../engine/kernel/once-for.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { describeRef, keyOfManifest, objectKey } from '../engine/selection/object-key.ts';
import { ApiError, UnreachableError } from './api-server/api-error.ts';
import { type ConflictBackOff, conflictBackOff } from './apply/conflict-back-off.ts';
import { delivery } from './apply/delivery.ts';
import { type AssignedManifest, type Assignment, isSameAssignment } from './assignment.ts';
import type { Connection } from './connection.ts';
import { oneText } from './equal-parts.ts';
import { placementSighting } from './placement-sighting.ts';
import { postponed } from './postponed-checks.ts';
import { removeOrphans } from './prune/orphans.ts';
import { removalWait } from './prune/removal-wait.ts';
import { retry } from './retry.ts';
import { undoOf } from './undo.ts';
import { firstObservation } from './watch/first-observation.ts';
import { followKinds } from './watch/follow-kinds.ts';
import type { Change } from './watch/store.ts';

/** Brings one placement about on one member, again and again, until it is told something else. */
export interface PlacementActor {
  /** Replaces what is to be brought about; false when it is what it was. */
  assign(assignment: Assignment): boolean;
  /** What takes back what it made after the record had forgotten the placement; undefined when there is nothing of that. */
  undo(): Assignment | undefined;
  /** An object with our label changed on the member. */
  noticed(change: Change): void;
  /** The member serves these group-versions now. */
  serves(apiVersions: ReadonlySet<string>): void;
  /** Another cluster answers under the name of the member: everything begins anew. */
  restart(): void;
  sighting(): PlacementSighting | undefined;
  /**
   * False while it is not known what the member holds of it: the group of a kind gives no answer, or the first that was sent
   * there, or what was wanted before, is still on its way.
   */
  complete(): boolean;
  /** True when nothing is in progress, nor waits for the member to be reachable. */
  idle(): boolean;
  stop(): void;
}

export function placementActor(input: {
  readonly connection: Connection;
  /** The outcome changed: the next pass should look. With a message when a person should read it. */
  readonly changed: (message?: string) => void;
  /** Another daemon acts here: the next pass should read the record anew. */
  readonly conflict: () => void;
}): PlacementActor {
  const { connection, changed } = input;
  const { clock, contact, watches } = connection;
  let wanted: Assignment | undefined;
  /** Counts what was wanted one after the other: every pass says anew what is wanted, mostly the same. */
  let wish = 0;
  let items: ReadonlyMap<string, AssignedManifest> = new Map();
  let troubles: readonly ObjectOutcome[] = [];
  let pending: 'all' | Set<string> = new Set();
  let complete = false;
  let working = false;
  /** The wish that work was begun for. */
  let workingOn = 0;
  let stopped = false;
  let done = false;
  let finishedAt: number | undefined;
  /** When the member last told anything of the placement, milliseconds: an object changed, or an attempt was over. */
  let heardAt = Number.NEGATIVE_INFINITY;
  /** When an object with its label changed or went, or was wanted otherwise, milliseconds. */
  let shownAt = Number.NEGATIVE_INFINITY;
  let lastResults = '';
  const again = retry(clock, () => lookAgain());
  const observed = firstObservation(clock, watches);
  const objects = delivery(connection, observed, {
    say: changed,
    retold: changed,
    changedMeanwhile: (key) => later.add(key),
    conflict: input.conflict,
  });
  const later = postponed(clock, objects.pauseMs, lookAgain);
  const removals = removalWait(connection);
  /** Objects that are not to be here, and that another daemon may have put here since that was decided. */
  const unwanted: ConflictBackOff = conflictBackOff(clock, input.conflict);

  function lookAgain(key?: string): void {
    if (key === undefined) pending = 'all';
    else if (pending !== 'all') pending.add(key);
    void work();
  }

  /** Asked when it matters: while this placement stays as it is, and work on it may take long, others come and go. */
  const isPlaced: Assignment['isPlaced'] = (label, object) => wanted!.isPlaced(label, object);

  const hasPending = () => pending === 'all' || pending.size > 0;

  async function work(): Promise<void> {
    if (working || stopped) return;
    working = true;
    while (!stopped && wanted && hasPending()) {
      const assignment = { ...wanted, isPlaced };
      const begun = wish;
      const scope = pending;
      pending = new Set();
      workingOn = begun;
      if (scope === 'all') again.cancel();
      try {
        await contact.open();
        await connection.fewAtOnce.run(() => attempt(assignment, scope, () => !stopped && wish === begun));
      } catch (error) {
        // Whatever went wrong with what is not wanted any more says nothing of what is.
        if (stopped || wish !== begun) continue;
        pending = 'all';
        if (error instanceof UnreachableError) contact.doubt();
        else if (!(error instanceof ApiError)) changed(`${assignment.key}: ${String(error)}`);
        again.later();
        break;
      }
      if (!stopped && wish === begun && !hasPending() && !objects.undecided()) conclude(assignment);
    }
    working = false;
  }

  async function attempt(
    assignment: Assignment,
    scope: 'all' | ReadonlySet<string>,
    goOn: () => boolean,
  ): Promise<void> {
    if (!goOn()) return;
    complete = await followKinds(connection, assignment);
    if (!goOn()) return;
    observed.more(assignment);
    if (assignment.leaveAlone) return;
    const removal = { connection, assignment, goOn, mayGo };
    if (assignment.remove) {
      if (assignment.adopted) return;
      troubles = await removeOrphans({ ...removal, between: (wave) => removals.gone(wave, goOn) });
      return;
    }
    const report = assignment.strategy.type === 'ReportDiff';
    if (scope === 'all' && !report && !assignment.adopted) troubles = await removeOrphans(removal);
    await objects.bring(assignment, scope, goOn);
  }

  function mayGo(live: Manifest): boolean {
    const key = keyOfManifest(live);
    if (observed.isNews(live)) unwanted.found(key);
    return !unwanted.holds(key);
  }

  /** What is there now has been confirmed not to be wanted. */
  function removeConfirmed(): void {
    const confirmed = new Set(unwanted.confirmed());
    for (const ref of wanted?.prunable ?? []) {
      const live = confirmed.has(objectKey(ref)) ? watches.inAnyVersion(ref) : undefined;
      if (!live) continue;
      observed.accept(live);
      if (wanted?.undoes)
        changed(`${describeRef(ref)} of ${wanted.key} came back although it was removed: it is removed again`);
    }
    if (confirmed.size > 0) lookAgain();
  }

  function conclude(assignment: Assignment): void {
    done = true;
    finishedAt = clock.now();
    heardAt = finishedAt;
    const outcomes = [...objects.outcomes(), ...troubles];
    const results = oneText(JSON.stringify(outcomes));
    // KubeFleet starts its back-off anew when results change (work applier, requeue rate limiter).
    if (results !== lastResults) again.reset();
    lastResults = results;
    // Under ReportDiff nothing of what is compared need carry our label, so that no watch would tell.
    const unwatched = assignment.strategy.type === 'ReportDiff';
    if (unwatched || !complete || outcomes.some(({ result }) => result !== 'Applied')) again.later();
    changed();
  }

  const isOurs = (object: Manifest): boolean => object.metadata.labels?.[placementLabel] === wanted?.label;

  return {
    assign(assignment) {
      const before = wanted;
      wanted = assignment;
      if (before && isSameAssignment(before, assignment)) {
        for (const key of objects.confirmed()) later.add(key);
        removeConfirmed();
        // What an adopted one left alone is due now.
        if (before.adopted && !assignment.adopted) lookAgain();
        return false;
      }
      wish++;
      shownAt = clock.now();
      unwanted.forget();
      items = itemsOf(assignment.manifests);
      if (before?.digest !== assignment.digest || assignment.remove || before?.remove) objects.forget();
      observed.begin(assignment);
      troubles = [];
      done = false;
      again.reset();
      removals.nudge();
      lookAgain();
      return true;
    },
    undo: () => wanted && undoOf(wanted, { ...connection, quietMs: clock.now() - shownAt }),
    noticed(change) {
      removals.nudge();
      if (items.has(change.key) || isOurs(change.object)) heardAt = clock.now();
      if (isOurs(change.object)) shownAt = clock.now();
      if (!wanted || wanted.leaveAlone || stopped) return;
      const item = wanted.remove ? undefined : items.get(change.key);
      if (item) {
        if (objects.concerns(wanted, item, change)) later.add(change.key);
      } else if (change.how === 'set' && isOurs(change.object) && !change.object.metadata.deletionTimestamp) {
        // Somebody put back what was removed: from a backup perhaps, or a daemon that knows a newer plan.
        if (done && wanted.prunable.some((ref) => objectKey(ref) === change.key)) unwanted.found(change.key);
      }
    },
    serves(apiVersions) {
      for (const key of objects.unserved(apiVersions)) lookAgain(key);
    },
    restart() {
      objects.restart();
      observed.forget();
      heardAt = clock.now();
      done = false;
      again.reset();
      lookAgain();
    },
    sighting() {
      // What a daemon before us did here is not known before it was looked at once: not even that it is unfinished.
      if (!wanted || finishedAt === undefined) return undefined;
      return placementSighting({ wanted, finishedAt, heardAt, done, outcomes: [...objects.outcomes(), ...troubles] });
    },
    // What is on its way may arrive yet, and what is held back is not decided: that nothing is told says nothing.
    complete: () => complete && finishedAt !== undefined && !(working && workingOn !== wish),
    idle: () => !working,
    stop() {
      stopped = true;
      again.cancel();
      objects.stop();
      unwanted.forget();
      later.stop();
      removals.nudge();
    },
  };
}

/** By the keys of their objects. Members that get the same are assigned the same list, and need one index of it. */
const itemsOf = onceFor(
  (manifests: readonly AssignedManifest[]): ReadonlyMap<string, AssignedManifest> =>
    new Map(manifests.map((item) => [keyOfManifest(item.manifest), item])),
);
