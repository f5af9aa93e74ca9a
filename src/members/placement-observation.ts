import type { ObjectOutcome, PlacementObservation } from '../api/observation.ts';
import { objectKey } from '../engine/selection/object-key.ts';
import type { PlacementAssignment } from './assignment.ts';

/** The observation of a placement by its actor. Instants in milliseconds since the epoch. */
export const placementObservation = (of: {
  readonly wanted: PlacementAssignment;
  /** End of the last complete attempt. */
  readonly finishedAt: number;
  /** When the member last reported on the placement. */
  readonly heardAt: number;
  /** The present assignment has had an attempt. */
  readonly done: boolean;
  readonly outcomes: readonly ObjectOutcome[];
}): PlacementObservation => {
  const { placement, resourceSnapshotIndex, digest } = of.wanted;
  return {
    placement,
    ...(resourceSnapshotIndex === undefined ? {} : { resourceSnapshotIndex }),
    ...(digest === undefined ? {} : { digest }),
    at: new Date(of.finishedAt).toISOString(),
    heardAt: new Date(of.heardAt).toISOString(),
    done: of.done,
    results: of.outcomes.filter(isReported).sort((a, b) => (objectKey(a.object) < objectKey(b.object) ? -1 : 1)),
  };
};

const isReported = ({ result, message, details }: ObjectOutcome): boolean =>
  result !== 'Applied' || (message ?? '') !== '' || (details?.length ?? 0) > 0;
