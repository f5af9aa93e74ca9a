import type { Timestamp } from '../../../api/meta.ts';
import type { DiffedPlacement, DriftedPlacement, PatchDetail } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { canonicalJson } from '../../kernel/canonical-json.ts';
import { formatInstant, parseInstant } from '../../kernel/instant.ts';
import type { Delivered } from '../delivered-objects.ts';
import { mostOfList, sameObject } from './object-lists.ts';
import { asFitting, mostDetails, shownDetails, wholeObject } from './patch-details.ts';
import { isRepaired, withReportedRepairs } from './reported-repairs.ts';

/** An object on the member that is not as it was applied, or would be applied. */
interface Changed {
  readonly object: Delivered;
  readonly details: readonly PatchDetail[];
}

/**
 * Drifts are changes found on objects of ours, repaired or not; diffs are what a takeover or a report found on objects
 * that are not. When each began is kept; observationTime is that of what is told, so that looking again at the
 * same is no news. What was put right is told for ten minutes, whoever did it.
 */
export function changedLists(
  objects: readonly Delivered[],
  now: Timestamp,
  before: Pick<Binding, 'driftedPlacements' | 'diffedPlacements'>,
): { drifted: DriftedPlacement[]; diffed: DiffedPlacement[] } {
  const toldOf = ({ identifier }: Delivered): DriftedPlacement | undefined =>
    before.driftedPlacements?.find((entry) => sameObject(entry, identifier));
  const drifts = found(
    objects.filter(({ outcome, gone }) => gone || !diffResults.has(outcome.result)),
    (object, details) =>
      object.outcome.result === 'Applied' && !object.gone ? withReportedRepairs(details, toldOf(object), now) : details,
  );
  const diffs = found(objects.filter(({ outcome, gone }) => !gone && diffResults.has(outcome.result)));
  const told = asFitting([...drifts, ...diffs].map(({ details }) => details));
  return {
    drifted: drifts.map(({ object, details }): DriftedPlacement => {
      const observedDrifts = told(details);
      const old = toldOf(object);
      const isSame =
        old !== undefined && sameDetails(old.observedDrifts, observedDrifts) && !isRepairedSince(old, object);
      return {
        ...seen(object, isSame ? old : undefined, now),
        firstDriftedObservedTime: driftedSince({ old, details, object, now }),
        observedDrifts,
      };
    }),
    diffed: diffs.map(({ object, details }): DiffedPlacement => {
      const observedDiffs = told(details);
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

/** It drifted once more in the same way, and no plan saw it before it was put right. */
const isRepairedSince = ({ observationTime = '' }: DriftedPlacement, { outcome }: Delivered): boolean =>
  (parseInstant(outcome.repairedAt ?? '') ?? 0) > (parseInstant(observationTime) ?? 0);

/**
 * Where all that was told before had been put right, something else that differs is a drift of its own. One that was put right
 * before a plan saw it, perhaps because git did not answer meanwhile, began no later than that.
 */
function driftedSince(of: {
  readonly old: DriftedPlacement | undefined;
  readonly details: readonly PatchDetail[];
  readonly object: Delivered;
  readonly now: Timestamp;
}): Timestamp {
  const { old, details, object, now } = of;
  const told = old?.observedDrifts ?? [];
  const news = details.filter(({ path }) => !told.some((known) => known.path === path));
  const isAnother = news.length > 0 && told.length > 0 && told.every(isRepaired);
  if (old?.firstDriftedObservedTime !== undefined && !isAnother) return old.firstDriftedObservedTime;
  const repairedAt = news.some(isRepaired) ? parseInstant(object.outcome.repairedAt ?? '') : undefined;
  return repairedAt !== undefined && repairedAt < (parseInstant(now) ?? 0) ? formatInstant(repairedAt) : now;
}

const sameDetails = (old: readonly PatchDetail[] | undefined, details: readonly PatchDetail[]): boolean =>
  old !== undefined && canonicalJson(old) === canonicalJson(details);

type Told = Pick<DriftedPlacement, 'observationTime' | 'targetClusterObservedGeneration'>;

/** Which object it is, and when it was looked at; `before` is what was told of the very same. */
const seen = (object: Delivered, before: Told | undefined, now: Timestamp) => ({
  ...object.identifier,
  observationTime: before?.observationTime ?? now,
  ...generationOf(object, before),
});

/**
 * Of the object that was compared. Where the result does not say, what was recorded of the same stands, and of what is new
 * it is as the member shows it. KubeFleet has it on every drift.
 */
function generationOf(
  { outcome, live }: Delivered,
  before: Told | undefined,
): { readonly targetClusterObservedGeneration?: number } {
  const generation = outcome.observedGeneration ?? before?.targetClusterObservedGeneration ?? live?.metadata.generation;
  return generation === undefined ? {} : { targetClusterObservedGeneration: generation };
}
