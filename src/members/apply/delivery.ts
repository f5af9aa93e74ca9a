import type { Manifest, ObjectRef } from '../../api/meta.ts';
import type { ObjectOutcome } from '../../api/observation.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { wholeObject } from '../../engine/bindings/conditions/patch-details.ts';
import { assertNever } from '../../engine/kernel/assert.ts';
import { placementLabel } from '../../engine/overrides/ownership.ts';
import { definitionIn } from '../../engine/selection/custom-definition.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import type { ServedKind } from '../api-server/served-kind.ts';
import type { AssignedManifest, PlacementAssignment } from '../assignment.ts';
import type { Connection } from '../connection.ts';
import { internText } from '../intern.ts';
import type { ObjectWait } from '../object-wait.ts';
import { eachOf } from '../pool.ts';
import type { FirstObservation } from '../watch/first-observation.ts';
import type { Change } from '../watch/store.ts';
import { type Applied, applyObject } from './apply.ts';
import { untilServed } from './awaited-kinds.ts';
import { localDifferences, reportable } from './compare.ts';
import { type DriftCheck, driftCheck } from './drift-check.ts';
import { type KindsServed, kindsServed } from './kinds-served.ts';
import {
  firstObjectState,
  nextForObject,
  type ObjectEffect,
  type ObjectEvent,
  type ObjectState,
  type Shown,
} from './object-state.ts';
import { type RepairReports, repairReports } from './repair-reports.ts';
import { type UnconfirmedObjects, unconfirmedObjects } from './unconfirmed-objects.ts';
import { inWaves } from './waves.ts';

/** Applies the objects of one placement on one member, and keeps the outcome of each. */
export interface Delivery {
  /** Applies the named objects, or all, wave by wave. Rejects with UnreachableError; a refusal of the server is an outcome. */
  deliver(assignment: PlacementAssignment, scope: 'all' | ReadonlySet<string>, isWanted: () => boolean): Promise<void>;
  /** The watch reported a change: notes who made it, and requests a check if the object differs. */
  objectChanged(assignment: PlacementAssignment, item: AssignedManifest, change: Change): void;
  /** Milliseconds until an object may be checked again, because someone keeps undoing repairs; 0 = at once. */
  pauseMs(key: string): number;
  /** Objects whose kind the member did not serve, of these group-versions. */
  unserved(apiVersions: ReadonlySet<string>): readonly string[];
  outcomes(): readonly ObjectOutcome[];
  /** True while the desired state of some object is unconfirmed. */
  undecided(): boolean;
  /** The assignment was confirmed by the record; returns objects that another daemon changed and that may be repaired now. */
  confirmed(): readonly string[];
  /** The assigned objects changed: drops everything known about them. */
  forget(): void;
  /** The member is another cluster now: drops everything known about objects. */
  restart(): void;
  stop(): void;
}

export interface DeliveryEvents {
  /** A message for users. */
  readonly notify: (message: string) => void;
  /** The report changed without an attempt. */
  readonly reportChanged: () => void;
  /** An object, or what prevented its apply, changed during the apply. */
  readonly changedMeanwhile: (key: string) => void;
  /** Another daemon changed an object: the record must be read again. */
  readonly conflict: () => void;
}

/** KubeFleet's word for a manifest that cannot be mapped to what the member serves (work applier, preprocess.go). */
const unservedResult = 'DecodingErred';

/** State of the objects of one placement on one member. */
interface Objects {
  readonly connection: Connection;
  readonly observed: FirstObservation;
  readonly events: DeliveryEvents;
  readonly states: Map<string, ObjectState>;
  readonly kinds: KindsServed;
  readonly drift: DriftCheck;
  readonly repairs: RepairReports;
  readonly held: UnconfirmedObjects;
}

/** One manifest of an assignment during an attempt. */
interface Item {
  readonly assignment: PlacementAssignment;
  readonly manifest: Manifest;
  readonly key: string;
  readonly object: ObjectRef;
  /** Whether the assignment is current. */
  readonly isWanted: () => boolean;
}

export function delivery(
  connection: Connection,
  observed: FirstObservation,
  { wait, ...events }: DeliveryEvents & { readonly wait: ObjectWait },
): Delivery {
  const { client, watches, clock } = connection;
  const repairs = repairReports(clock, events);
  const held = unconfirmedObjects({
    clock,
    watches,
    observed,
    ask: events.conflict,
    overrule: (key) => repairs.again(key),
  });
  const of: Objects = {
    connection,
    observed,
    events,
    states: new Map(),
    kinds: kindsServed(connection),
    drift: driftCheck(),
    repairs,
    held,
  };

  function forgetObjects(): void {
    for (const [key, state] of [...of.states]) {
      const forgotten = nextForObject(state, { kind: 'forgotten' }).state;
      of.states.delete(key);
      if (forgotten.inFlight) of.states.set(key, forgotten);
    }
    of.kinds.forget();
    repairs.forget();
  }

  return {
    async deliver(assignment, scope, isWanted) {
      const wanted = assignment.manifests.filter((item) => scope === 'all' || scope.has(keyOfManifest(item.manifest)));
      const report = assignment.strategy.type === 'ReportDiff';
      const waves = report ? [wanted] : inWaves(wanted, ({ manifest }) => manifest);
      const one = ({ manifest }: AssignedManifest) => applyOne(of, itemOf(assignment, manifest, isWanted));
      const crds = report ? [] : assignment.manifests.filter(({ manifest }) => definitionIn(manifest));
      for (const wave of waves) {
        if (crds.length > 0) await untilServed(connection, wait, { ...awaited(of, crds, wave), isWanted });
        await eachOf(wave, client.concurrency, one, isWanted);
      }
    },
    objectChanged: (assignment, { manifest }, change) =>
      objectChanged(
        of,
        itemOf(assignment, manifest, () => true),
        change,
      ),
    pauseMs: (key) => repairs.pauseMs(key),
    unserved: of.kinds.missing,
    outcomes: () => [...outcomesIn(of)].map(([key, outcome]) => withCaveat(of, repairs.withRepair(key, outcome))),
    undecided: () => [...held.keys()].some((key) => stateOf(of, key).outcome === undefined),
    confirmed: held.confirmed,
    forget() {
      held.forget();
      forgetObjects();
    },
    restart() {
      of.drift.forget();
      // Unconfirmed objects stay unconfirmed: another daemon's plan applies to this cluster as well.
      forgetObjects();
    },
    stop() {
      held.forget();
      repairs.stop();
    },
  };
}

const itemOf = (assignment: PlacementAssignment, manifest: Manifest, isWanted: () => boolean): Item => ({
  assignment,
  manifest,
  key: internText(keyOfManifest(manifest)),
  object: refOfManifest(manifest),
  isWanted,
});

/** A kind that was not served after one wait is reported, and its CRD is watched: retries do not wait again. */
function awaited(of: Objects, crds: readonly AssignedManifest[], wave: readonly AssignedManifest[]) {
  const resultOf = ({ manifest }: AssignedManifest) => stateOf(of, keyOfManifest(manifest)).outcome?.result;
  return {
    objects: wave.filter((item) => resultOf(item) !== unservedResult).map(({ manifest }) => refOfManifest(manifest)),
    definitions: crds.filter((item) => resultOf(item) === 'Applied').map(({ manifest }) => manifest),
  };
}

const stateOf = ({ states }: Objects, key: string): ObjectState => states.get(key) ?? firstObjectState;

function* outcomesIn({ states }: Objects): Iterable<readonly [key: string, outcome: ObjectOutcome]> {
  for (const [key, { outcome }] of states) if (outcome) yield [key, outcome];
}

/** Applies an event to the state of an object; returns the effects to perform. */
function dispatch({ states }: Objects, key: string, event: ObjectEvent): readonly ObjectEffect[] {
  const { state, effects } = nextForObject(states.get(key) ?? firstObjectState, event);
  states.set(key, state);
  return effects;
}

async function applyOne(of: Objects, item: Item): Promise<void> {
  const { kinds, connection, held } = of;
  const { assignment, isWanted, key, manifest, object } = item;
  dispatch(of, key, { kind: 'started' });
  try {
    const kind = await kinds.find(manifest, assignment.manifests);
    if (!('unserved' in kind)) await connection.objectQueue.run(key, async () => isWanted() && apply(of, item, kind));
    else if (isWanted())
      dispatch(of, key, { kind: 'unserved', outcome: { object, result: unservedResult, message: kind.unserved } });
  } catch (error) {
    dispatch(of, key, { kind: 'failed' });
    throw error;
  }
  const settled = stateOf(of, key).outcome?.result !== 'Applied' || isSettled(of, item);
  const ended = { wanted: isWanted(), held: held.has(key), settled };
  perform(of, item, dispatch(of, key, { kind: 'ended', ...ended }));
}

function isSettled({ connection: { watches }, drift }: Objects, { assignment, manifest, object }: Item): boolean {
  const live = watches.object(object);
  // Without a right to watch, the response of the server is all that is known.
  if (live === undefined && !watches.shows(object)) return true;
  return drift.verdict(assignment.strategy, manifest, live) !== 'differs';
}

async function apply(of: Objects, item: Item, served: ServedKind): Promise<void> {
  const { connection, drift, held } = of;
  const { assignment, isWanted, key, manifest, object } = item;
  const { strategy, label, isPlaced } = assignment;
  const live = connection.watches.object(object);
  const shown: Shown = {
    live,
    verdict: drift.verdict(strategy, manifest, live),
    missing: live === undefined && connection.watches.shows(object),
    relabelled: live !== undefined && live.metadata.labels?.[placementLabel] !== label,
    removing: live?.metadata.deletionTimestamp !== undefined,
  };
  const effects = dispatch(of, key, {
    kind: 'compared',
    shown,
    strategy,
    same: { object, result: 'Applied' },
    conflict: held.isInConflict(assignment, manifest, live),
    held: held.has(key),
  });
  perform(of, item, effects);
  if (!effects.some(({ kind }) => kind === 'apply')) return;
  const before = stateOf(of, key).outcome;
  const applied = await applyObject({
    client: connection.client,
    served,
    manifest,
    label,
    isPlaced: (mark) => isPlaced(mark, object),
    strategy,
    live,
    probablyAbsent: shown.missing && (before === undefined || before.result === 'Applied'),
    mayReplace: (found) => strategy.type === 'ReportDiff' || !held.isInConflict(assignment, manifest, found),
    making: () => connection.unrecorded.begin(manifest),
    isWanted,
  });
  responded(of, item, { applied, shown });
}

function responded(
  of: Objects,
  item: Item,
  { applied, shown }: { readonly applied: Applied; readonly shown: Shown },
): void {
  const { key, manifest } = item;
  const kept = applied.kept ?? false;
  const wanted = item.isWanted();
  const response = {
    live: applied.live,
    known: applied.live === shown.live,
    kept,
    applied: applied.outcome.result === 'Applied',
    wanted,
  };
  perform(of, item, dispatch(of, key, { kind: 'responded', ...response }));
  if (kept || !wanted) return;
  const outcome = of.repairs.withCulprit(key, applied.outcome);
  const changes = applied.repaired;
  const loss = shown.missing || shown.relabelled ? lostOf(manifest, applied) : undefined;
  perform(of, item, dispatch(of, key, { kind: 'applied', outcome, changes, loss }));
}

/** What is missing of an object that the watch no longer shows: all of it, or its label. */
const lostOf = (manifest: Manifest, { found, live }: Applied): PatchDetail[] =>
  found && live ? reportable(manifest, localDifferences(live, found, 'full')) : [wholeObject];

function objectChanged(of: Objects, item: Item, change: Change): void {
  const { assignment, key, manifest } = item;
  const verdict = change.how === 'set' ? of.drift.verdict(assignment.strategy, manifest, change.object) : 'differs';
  const paused = of.repairs.pauseMs(key) > 0;
  perform(of, item, dispatch(of, key, { kind: 'changed', change, verdict, paused }));
}

function perform(of: Objects, item: Item, effects: readonly ObjectEffect[]): void {
  for (const effect of effects) performOne(of, item, effect);
}

function performOne(of: Objects, item: Item, effect: ObjectEffect): void {
  const { connection, drift, events, held, observed, repairs } = of;
  const { assignment, key, manifest, object } = item;
  switch (effect.kind) {
    case 'apply':
      return;
    case 'noteAsked':
      drift.asked(assignment.strategy, manifest, effect.live);
      return;
    case 'show':
      connection.watches.put(effect.live);
      return;
    case 'accept':
      observed.accept(effect.live);
      return;
    case 'hold':
      held.add(manifest, effect.live);
      return;
    case 'reportRepair':
      repairs.reportRepair(key, object, effect.details);
      return;
    case 'countRepair':
      repairs.again(key);
      return;
    case 'retryDependents':
      for (const waiting of failedIn(of, object)) events.changedMeanwhile(waiting);
      return;
    case 'check':
      events.changedMeanwhile(key);
      return;
    case 'clearChanges':
      repairs.undone(key, []);
      return;
    case 'blame':
      blame(of, item, effect.change);
      return;
    case 'reportChanges':
      repairs.undone(key, changesOf(of, item, effect.change));
      return;
    default:
      assertNever(effect);
  }
}

/** The member does not show who deleted an object, and the last writer need not be the one. */
const blame = ({ repairs }: Objects, { key, manifest }: Item, change: Change): void =>
  change.how === 'set'
    ? repairs.blame(key, change.managers, localDifferences(manifest, change.object, 'partial'))
    : repairs.blame(key, [], []);

const changesOf = ({ drift }: Objects, { assignment, manifest }: Item, change: Change): readonly PatchDetail[] =>
  change.how === 'set' ? reportable(manifest, drift.news(assignment.strategy, manifest, change.object)) : [wholeObject];

/** Failed objects of a namespace: its absence may be the reason, so they are retried at once. */
const failedIn = (of: Objects, { apiVersion, kind, name }: ObjectRef): readonly string[] =>
  apiVersion !== 'v1' || kind !== 'Namespace'
    ? []
    : [...outcomesIn(of)].flatMap(([key, { object, result }]) =>
        object.namespace === name && result !== 'Applied' ? [key] : [],
      );

/** Without a watch an applied object may have changed since, and the outcome must mention that. */
function withCaveat({ connection: { watches } }: Objects, outcome: ObjectOutcome): ObjectOutcome {
  const message = outcome.result === 'Applied' ? watches.unwatched(outcome.object) : undefined;
  return message === undefined ? outcome : { ...outcome, message };
}
