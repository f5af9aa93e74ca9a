import type { Timestamp } from '../../../api/meta.ts';
import type { DiffedPlacement, DriftedPlacement, PatchDetail } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import type { Delivered } from '../delivered-objects.ts';
import { mostOfList, sameObject } from './object-lists.ts';
import { asFitting, mostDetails, shownDetails, wholeObject } from './patch-details.ts';
import { isRepaired, withReportedRepairs } from './reported-repairs.ts';

/** An object on the member that differs from its manifest. */
interface Changed {
  readonly object: Delivered;
  readonly details: readonly PatchDetail[];
}

/**
 * Drifts are changes found on objects of ours, repaired or not; diffs are what a takeover or a report found on other
 * objects. The time at which each was first observed is kept. `observationTime` changes only with the details, so that
 * observing the same again commits nothing. Repairs of any daemon are reported for ten minutes.
 */
export function changedLists(
  objects: readonly Delivered[],
  now: Timestamp,
  before: Pick<Binding, 'driftedPlacements' | 'diffedPlacements'>,
): { drifted: DriftedPlacement[]; diffed: DiffedPlacement[] } {
  const recordedDriftOf = ({ identifier }: Delivered): DriftedPlacement | undefined =>
    before.driftedPlacements?.find((entry) => sameObject(entry, identifier));
  const drifts = found(
    objects.filter(({ outcome, gone }) => gone || !diffResults.has(outcome.result)),
    (object, details) =>
      object.outcome.result === 'Applied' && !object.gone
        ? withReportedRepairs(details, recordedDriftOf(object), now)
        : details,
  );
  const diffs = found(objects.filter(({ outcome, gone }) => !gone && diffResults.has(outcome.result)));
  const fitting = asFitting([...drifts, ...diffs].map(({ details }) => details));
  return {
    drifted: drifts.map(({ object, details }): DriftedPlacement => {
      const observedDrifts = fitting(details);
      const old = recordedDriftOf(object);
      const isSame =
        old !== undefined && sameDetails(old.observedDrifts, observedDrifts) && !isRepairedSince(old, object);
      return {
        ...seen(object, isSame ? old : undefined, now),
        firstDriftedObservedTime: driftedSince({ old, details, object, now }),
        observedDrifts,
      };
    }),
    diffed: diffs.map(({ object, details }): DiffedPlacement => {
      const observedDiffs = fitting(details);
      const old = before.diffedPlacements?.find((entry) => sameObject(entry, object.identifier));
      const isSame = old !== undefined && sameDetails(old.observedDiffs, observedDiffs);
      return {
        ...seen(object, isSame ? old : undefined, now),
        firstDiffedObservedTime: old?.firstDiffedObservedTime ?? now,
        observedDiffs,
      };
    }),
  };
}

/** Results of takeover and ReportDiff: their details compare with an object that is not ours, so they are diffs. */
const diffResults: ReadonlySet<string> = new Set([
  'FoundDiff',
  'FoundDiffInDegradedMode',
  'FailedToTakeOver',
  'NotTakenOver',
]);

const found = (
  objects: readonly Delivered[],
  completed: (object: Delivered, details: readonly PatchDetail[]) => readonly PatchDetail[] = (_, details) => details,
): Changed[] =>
  objects
    .map((object) => {
      const details = object.gone ? [wholeObject] : shownDetails(object.identifier, object.outcome.details);
      return { object, details: completed(object, details).slice(0, mostDetails) };
    })
    .filter(({ details }) => details.length > 0)
    .slice(0, mostOfList);

/** It drifted again in the same way, and was repaired before a plan observed it. */
const isRepairedSince = ({ observationTime = '' }: DriftedPlacement, { outcome }: Delivered): boolean =>
  (parseInstant(outcome.repairedAt ?? '') ?? 0) > (parseInstant(observationTime) ?? 0);

/**
 * Where all recorded differences were repaired, another difference is a new drift. One that was repaired before a plan
 * observed it, for example while git did not respond, started no later than its repair.
 */
function driftedSince(of: {
  readonly old: DriftedPlacement | undefined;
  readonly details: readonly PatchDetail[];
  readonly object: Delivered;
  readonly now: Timestamp;
}): Timestamp {
  const { old, details, object, now } = of;
  const recorded = old?.observedDrifts ?? [];
  const news = details.filter(({ path }) => !recorded.some((known) => known.path === path));
  const isAnother = news.length > 0 && recorded.length > 0 && recorded.every(isRepaired);
  if (old?.firstDriftedObservedTime !== undefined && !isAnother) return old.firstDriftedObservedTime;
  const repairedAt = news.some(isRepaired) ? parseInstant(object.outcome.repairedAt ?? '') : undefined;
  return repairedAt !== undefined && repairedAt < (parseInstant(now) ?? 0) ? formatInstant(repairedAt) : now;
}

const sameDetails = (old: readonly PatchDetail[] | undefined, details: readonly PatchDetail[]): boolean =>
  old !== undefined && canonicalJson(old) === canonicalJson(details);

type Recorded = Pick<DriftedPlacement, 'observationTime' | 'targetClusterObservedGeneration'>;

/** Which object it is, and when it was observed; `before` is its entry in the record. */
const seen = (object: Delivered, before: Recorded | undefined, now: Timestamp) => ({
  ...object.identifier,
  observationTime: before?.observationTime ?? now,
  ...generationOf(object, before),
});

/**
 * Generation of the object that was compared: that of the result, else the recorded one, else the one that the member
 * shows. KubeFleet sets it on every drift.
 */
function generationOf(
  { outcome, live }: Delivered,
  before: Recorded | undefined,
): { readonly targetClusterObservedGeneration?: number } {
  const generation = outcome.observedGeneration ?? before?.targetClusterObservedGeneration ?? live?.metadata.generation;
  return generation === undefined ? {} : { targetClusterObservedGeneration: generation };
}
