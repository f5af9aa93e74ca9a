import type { Timestamp } from '../../api/meta.ts';
import type { DiffedPlacement, DriftedPlacement, PatchDetail } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { mostOfList, sameObject } from './object-lists.ts';
import type { Delivered } from './outcomes.ts';
import { asFitting, shownDetails, wholeObject } from './patch-details.ts';

/** An object on the member that is not as it was applied, or would be applied. */
interface Changed {
  readonly object: Delivered;
  readonly details: readonly PatchDetail[];
}

/**
 * Drifts are changes found on objects of ours, repaired or not; diffs are what a takeover or a report found on objects
 * that are not. When each was first seen is kept; observationTime is that of what is told, so that looking again at the
 * same is no news.
 */
export function changedLists(
  objects: readonly Delivered[],
  now: Timestamp,
  before: Pick<Binding, 'driftedPlacements' | 'diffedPlacements'>,
): { drifted: DriftedPlacement[]; diffed: DiffedPlacement[] } {
  const drifts = found(objects, ({ outcome, gone }) => gone || !diffResults.has(outcome.result));
  const diffs = found(objects, ({ outcome, gone }) => !gone && diffResults.has(outcome.result));
  const told = asFitting([...drifts, ...diffs].map(({ details }) => details));
  return {
    drifted: drifts.map(({ object, details }): DriftedPlacement => {
      const observedDrifts = told(details);
      const old = before.driftedPlacements?.find((entry) => sameObject(entry, object.identifier));
      return {
        ...object.identifier,
        observationTime: (sameDetails(old?.observedDrifts, observedDrifts) ? old?.observationTime : undefined) ?? now,
        ...generationOf(object),
        firstDriftedObservedTime: old?.firstDriftedObservedTime ?? now,
        observedDrifts,
      };
    }),
    diffed: diffs.map(({ object, details }): DiffedPlacement => {
      const observedDiffs = told(details);
      const old = before.diffedPlacements?.find((entry) => sameObject(entry, object.identifier));
      return {
        ...object.identifier,
        observationTime: (sameDetails(old?.observedDiffs, observedDiffs) ? old?.observationTime : undefined) ?? now,
        ...generationOf(object),
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

const found = (objects: readonly Delivered[], belongs: (object: Delivered) => boolean): Changed[] =>
  objects
    .filter(belongs)
    .map((object) => ({
      object,
      details: object.gone ? [wholeObject] : shownDetails(object.identifier, object.outcome.details),
    }))
    .filter(({ details }) => details.length > 0)
    .slice(0, mostOfList);

const sameDetails = (old: readonly PatchDetail[] | undefined, details: readonly PatchDetail[]): boolean =>
  old !== undefined && canonicalJson(old) === canonicalJson(details);

/** Of the object that was compared; where the result does not say, as the member shows it. KubeFleet has it on every drift. */
const generationOf = ({ outcome, live }: Delivered): Pick<DriftedPlacement, 'targetClusterObservedGeneration'> => {
  const generation = outcome.observedGeneration ?? live?.metadata.generation;
  return generation === undefined ? {} : { targetClusterObservedGeneration: generation };
};
