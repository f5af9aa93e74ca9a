import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/bindings/conditions/patch-details.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { AssignedManifest, PlacementAssignment } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { oneText } from '../equal-parts.ts';
import { eachOf } from '../pool.ts';
import type { FirstObservation } from '../watch/first-observation.ts';
import type { Change } from '../watch/store.ts';
import { type Applied, applyObject } from './apply.ts';
import { localDifferences, tellable } from './compare.ts';
import { driftCheck } from './drift-check.ts';
import { heldBack } from './held-back.ts';
import { kindsServed } from './kinds-served.ts';
import { repairReports } from './repair-reports.ts';
import { inWaves } from './waves.ts';

/** The objects of one placement on one member: brings them about and keeps what became of each. */
export interface Delivery {
  /** Applies the named objects, or all, wave by wave. Rejects with UnreachableError; what the server says is an outcome. */
  bring(assignment: PlacementAssignment, scope: 'all' | ReadonlySet<string>, goOn: () => boolean): Promise<void>;
  /** Whether a change that the watch told asks for `bring`; remembers who made it. */
  concerns(assignment: PlacementAssignment, item: AssignedManifest, change: Change): boolean;
  /** Milliseconds until an object should be looked at again, since somebody undoes what we do; 0 = at once. */
  pauseMs(key: string): number;
  /** Objects whose kind the member did not serve, of these group-versions. */
  unserved(apiVersions: ReadonlySet<string>): readonly string[];
  outcomes(): readonly ObjectOutcome[];
  /** True while it is not known of some object whether it should be as we would have it. */
  undecided(): boolean;
  /** What is assigned was read from the record anew; returns objects that another daemon changed and that may be put right now. */
  confirmed(): readonly string[];
  /** Other objects are wanted now: nothing known about the present ones holds. */
  forget(): void;
  /** It is another cluster now: nothing known about objects holds. */
  restart(): void;
  stop(): void;
}

export interface DeliveryEvents {
  /** Something that a person should read. */
  readonly say: (message: string) => void;
  /** What is reported has changed although nothing was done. */
  readonly retold: () => void;
  /** An object changed while it was being applied, or what kept it from being applied. */
  readonly changedMeanwhile: (key: string) => void;
  /** Another daemon changed an object: the record should be read anew. */
  readonly conflict: () => void;
}

/** KubeFleet's word for a manifest that cannot be mapped to what the member serves (work applier, preprocess.go). */
const unservedResult = 'DecodingErred';

/** Something is told of an object that ends once it is as it should be. */
const isTold = (outcome: ObjectOutcome | undefined): boolean =>
  outcome?.result !== 'Applied' || (outcome.details?.length ?? 0) > 0;

/** What was lost of an object that is not shown as ours any more: all of it, or the label that it was shown by. */
const lostOf = (manifest: Manifest, { found, live }: Applied): PatchDetail[] =>
  found && live ? tellable(manifest, localDifferences(live, found, 'full')) : [wholeObject];

export function delivery(connection: Connection, observed: FirstObservation, events: DeliveryEvents): Delivery {
  const { client, watches, clock, objectTurns, unrecorded } = connection;
  const outcomes = new Map<string, ObjectOutcome>();
  const inFlight = new Set<string>();
  /** Applied ones that somebody deleted, until they are there again: not before their namespace, or what keeps them, has gone. */
  const lost = new Set<string>();
  const kinds = kindsServed(connection);
  const drift = driftCheck();
  const repaired = repairReports(clock, events);
  const held = heldBack({ clock, watches, observed, ask: events.conflict, overrule: (key) => repaired.again(key) });

  async function one(assignment: PlacementAssignment, item: AssignedManifest, goOn: () => boolean): Promise<void> {
    const { manifest } = item;
    const key = oneText(keyOfManifest(manifest));
    inFlight.add(key);
    try {
      const kind = await kinds.find(manifest, assignment.manifests);
      if (!('unserved' in kind))
        await objectTurns.take(key, async () => goOn() && apply(assignment, manifest, kind, goOn));
      else if (goOn())
        outcomes.set(key, { object: refOfManifest(manifest), result: unservedResult, message: kind.unserved });
    } finally {
      inFlight.delete(key);
    }
    if (!goOn() || held.has(key) || outcomes.get(key)?.result !== 'Applied' || isSettled(assignment, manifest)) return;
    // Counted as a repair, so that an object which never stays as it was applied is not applied in a loop.
    repaired.again(key);
    events.changedMeanwhile(key);
  }

  const isSettled = (assignment: PlacementAssignment, manifest: Manifest): boolean => {
    const object = refOfManifest(manifest);
    const live = watches.object(object);
    // Not watched, because the member does not let us: what the server answered is all there is.
    if (live === undefined && !watches.shows(object)) return true;
    return drift.verdict(assignment.strategy, manifest, live) !== 'differs';
  };

  async function apply(
    assignment: PlacementAssignment,
    manifest: Manifest,
    served: ServedKind,
    goOn: () => boolean,
  ): Promise<void> {
    const { strategy, label, isPlaced } = assignment;
    const object = refOfManifest(manifest);
    const key = oneText(keyOfManifest(manifest));
    const live = watches.object(object);
    const verdict = drift.verdict(strategy, manifest, live);
    const before = outcomes.get(key)?.result ?? '';
    const missing = live === undefined && watches.shows(object);
    const astray = live !== undefined && live.metadata.labels?.[placementLabel] !== label;
    if (before === 'Applied' && (missing || astray || live?.metadata.deletionTimestamp)) lost.add(key);
    if (strategy.type !== 'ReportDiff') {
      if (verdict === 'same') {
        if (live) {
          observed.accept(live);
          // Whatever the server was asked about before is over: the same again is news.
          drift.asked(strategy, manifest, live);
        }
        lost.delete(key);
        outcomes.set(key, { object, result: 'Applied' });
        return;
      }
      // What was found to differ is left only for as long as it is to be: the strategy may be another by now.
      const isLeft = before.startsWith('FoundDrifts') && strategy.whenToApply === 'IfNotDrifted';
      if (verdict === 'asked' && (before === 'Applied' || isLeft)) return;
      if (held.isInConflict(assignment, manifest, live)) held.add(manifest, live);
      if (held.has(key)) return;
    }
    const applied = await applyObject({
      client,
      served,
      manifest,
      label,
      isPlaced: (mark) => isPlaced(mark, object),
      strategy,
      live,
      mayReplace: (found) => strategy.type === 'ReportDiff' || !held.isInConflict(assignment, manifest, found),
      making: () => unrecorded.begin(manifest),
      isWanted: goOn,
    });
    if (applied.kept) {
      if (applied.live) watches.put(applied.live);
      if (!goOn()) return;
      held.add(manifest, applied.live ?? undefined);
      return;
    }
    if (applied.live && !applied.live.metadata.deletionTimestamp) drift.asked(strategy, manifest, applied.live);
    // What we were shown before is no news, and may be of a cluster that another has replaced since.
    if (applied.live && applied.live !== live) watches.put(applied.live);
    // Also when something else is wanted by now, of which this says nothing: what we have just put here is no news to it.
    if (applied.live && applied.outcome.result === 'Applied') observed.accept(applied.live);
    if (!goOn()) return;
    outcomes.set(key, repaired.withCulprit(key, applied.outcome));
    if (applied.outcome.result === 'Applied') {
      if (applied.repaired) repaired.tell(key, object, applied.repaired);
      // One that lost our label is as gone to the watch as one that was deleted; with that of others it is shown as theirs.
      else if ((missing || astray) && lost.has(key)) repaired.tell(key, object, lostOf(manifest, applied));
      if (before !== 'Applied' || lost.has(key))
        for (const waiting of failedIn(object)) events.changedMeanwhile(waiting);
      lost.delete(key);
    }
  }

  /** Objects of a namespace that could not be applied: perhaps for want of it, so that there is no reason to wait. */
  const failedIn = ({ apiVersion, kind, name }: ObjectRef): readonly string[] =>
    apiVersion !== 'v1' || kind !== 'Namespace'
      ? []
      : [...outcomes].flatMap(([key, { object, result }]) =>
          object.namespace === name && result !== 'Applied' ? [key] : [],
        );

  /** What is as it should be may not be so any more where nothing tells of changes. */
  function withCaveat(outcome: ObjectOutcome): ObjectOutcome {
    const message = outcome.result === 'Applied' ? watches.unwatched(outcome.object) : undefined;
    return message === undefined ? outcome : { ...outcome, message };
  }

  function forgetObjects(): void {
    outcomes.clear();
    lost.clear();
    kinds.forget();
    repaired.forget();
  }

  return {
    async bring(assignment, scope, goOn) {
      const wanted = assignment.manifests.filter((item) => scope === 'all' || scope.has(keyOfManifest(item.manifest)));
      const report = assignment.strategy.type === 'ReportDiff';
      const waves = report ? [wanted] : inWaves(wanted, ({ manifest }) => manifest);
      for (const wave of waves) await eachOf(wave, client.concurrency, (item) => one(assignment, item, goOn), goOn);
    },
    concerns(assignment, { manifest }, change) {
      const { key } = change;
      if (change.how === 'set') {
        const { object, managers } = change;
        const verdict = drift.verdict(assignment.strategy, manifest, object);
        if (verdict !== 'differs') repaired.undone(key, []);
        if (verdict === 'asked') return false;
        if (verdict === 'same') return !inFlight.has(key) && isTold(outcomes.get(key));
        repaired.blame(key, managers, localDifferences(manifest, object, 'partial'));
        if (repaired.pauseMs(key) > 0)
          repaired.undone(key, tellable(manifest, drift.news(assignment.strategy, manifest, object)));
      } else {
        // Whoever changed it before need not be who does this, and nothing on the member tells.
        repaired.blame(key, [], []);
        if (repaired.pauseMs(key) > 0) repaired.undone(key, [wholeObject]);
      }
      return !inFlight.has(key);
    },
    pauseMs: (key) => repaired.pauseMs(key),
    unserved: kinds.missing,
    outcomes: () => [...outcomes].map(([key, outcome]) => withCaveat(repaired.withRepair(key, outcome))),
    undecided: () => [...held.keys()].some((key) => !outcomes.has(key)),
    confirmed: held.confirmed,
    forget() {
      held.forget();
      forgetObjects();
    },
    restart() {
      drift.forget();
      // What is held back stays so: whatever another daemon wants of the cluster it wants of this one, too.
      forgetObjects();
    },
    stop() {
      held.forget();
      repaired.stop();
    },
  };
}
