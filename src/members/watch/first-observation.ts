import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import { internText } from '../intern.ts';
import type { Watches } from './watches.ts';

/**
 * What a member showed when its assignment was made: only that may be replaced or removed. If the member was not observed then,
 * objects found later may be newer than the assignment, because another daemon may have read a later plan.
 */
export interface FirstObservation {
  /** The assignment changed: notes what is shown. */
  begin(assignment: PlacementAssignment): void;
  /** Notes what is shown since, as long as the assignment is fresh. */
  more(assignment: PlacementAssignment): void;
  /** True while found objects can be older than the assignment. */
  fresh(): boolean;
  /**
   * Has another digest or label of a placement than at the assignment, or was not observed in time. Daemons always write a digest,
   * so objects without one do not count.
   */
  isNews(live: Manifest): boolean;
  /** We applied the object as it is now, or the record confirmed that it is out of date. */
  accept(live: Manifest): void;
  /** The assignment was confirmed, so it is fresh again. */
  renew(): void;
  /** Drops what is known of all objects. */
  forget(): void;
}

/** An assignment is fresh for this time, milliseconds: much longer than a pass takes to assign. Later there may be a newer plan. */
const freshMs = 1_000;

export function firstObservation(clock: Clock, watches: Watches): FirstObservation {
  const marks = new Map<string, string | undefined>();
  let began = Number.NEGATIVE_INFINITY;

  const fresh = (): boolean => clock.now() - began <= freshMs;

  function more({ manifests, prunable }: PlacementAssignment): void {
    if (!fresh()) return;
    for (const { manifest } of manifests) {
      const ref = refOfManifest(manifest);
      if (watches.shows(ref)) note(objectKey(ref), watches.object(ref));
    }
    for (const ref of prunable) {
      const live = watches.inAnyVersion(ref);
      if (live) note(keyOfManifest(live), live);
    }
  }

  function note(key: string, live: Manifest | undefined): void {
    if (!marks.has(key)) marks.set(internText(key), markOf(live));
  }

  return {
    begin(assignment) {
      // What was noted earlier is older than a record that was only read; what is shown now may be newer.
      if (assignment.pushed) marks.clear();
      began = assignment.pushed ? clock.now() : Number.NEGATIVE_INFINITY;
      more(assignment);
    },
    more,
    fresh,
    isNews(live) {
      const mark = markOf(live);
      const key = keyOfManifest(live);
      return mark !== undefined && !(marks.has(key) && marks.get(key) === mark);
    },
    renew() {
      began = clock.now();
    },
    accept: (live) => void marks.set(internText(keyOfManifest(live)), markOf(live)),
    forget() {
      marks.clear();
      began = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The label counts as well as the digest: an object that one placement hands over to another keeps its digest. */
function markOf(live: Manifest | undefined): string | undefined {
  const digest = live?.metadata.annotations?.[digestAnnotation];
  return digest && `${live?.metadata.labels?.[placementLabel]} ${digest}`;
}
