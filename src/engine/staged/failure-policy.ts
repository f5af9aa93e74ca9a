import { maxFailuresAnnotation, onFailureAnnotation, progressDeadlineAnnotation } from '../../api/run-annotations.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { parseDuration } from '../kernel/duration.ts';
import { scale } from '../kernel/int-or-percent.ts';

type Annotated = Pick<StagedUpdateRun, 'metadata'>;

/** Milliseconds in which a cluster must become available; undefined = it may take forever, as in KubeFleet. */
export function progressDeadlineOf({ metadata }: Annotated): number | undefined {
  const written = metadata.annotations?.[progressDeadlineAnnotation];
  return written === undefined ? undefined : parseDuration(written);
}

/** How many of a run's clusters may fail. Percentages round down. Without the annotation none may, as in KubeFleet. */
export const failuresAllowed = ({ metadata }: Annotated, clusters: number): number =>
  scale(metadata.annotations?.[maxFailuresAnnotation] ?? 0, clusters, 'down');

/** Whether the clusters of the run return to what they had when it fails. */
export const rollsBack = ({ metadata }: Annotated): boolean =>
  metadata.annotations?.[onFailureAnnotation] === 'rollback';
