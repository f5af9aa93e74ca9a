import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import { oneText } from '../equal-parts.ts';
import type { Watches } from './watches.ts';

/**
 * What a member showed when it was decided what it should hold: that may be replaced or removed. A member that could not be
 * looked at then may show something newer by the time it can: another daemon may have read a later plan than we did. What
 * is seen late is therefore not taken for what the decision was about.
 */
export interface FirstObservation {
  /** Something else is wanted now: notes what is shown. */
  begin(assignment: PlacementAssignment): void;
  /** Notes what has come to be shown since, as long as the decision is fresh. */
  more(assignment: PlacementAssignment): void;
  /** True while what we find can be taken for what the decision was about. */
  fresh(): boolean;
  /**
   * Carries another digest or another placement's label than it did, or was not looked at in time. Objects without a digest are
   * no daemon's.
   */
  isNews(live: Manifest): boolean;
  /** We put the object there as it is now, or it has been confirmed to be out of date. */
  accept(live: Manifest): void;
  /** What is wanted has been confirmed: the decision is fresh again. */
  renew(): void;
  /** Nothing is known of any object. */
  forget(): void;
}

/** A plan that was published this long ago may have been followed by another one. Much longer than any pass takes to assign it. */
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
    if (!marks.has(key)) marks.set(oneText(key), markOf(live));
  }

  return {
    begin(assignment) {
      marks.clear();
      // What the record said when this daemon started may be long out of date.
      began = assignment.adopted ? Number.NEGATIVE_INFINITY : clock.now();
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
    accept: (live) => void marks.set(oneText(keyOfManifest(live)), markOf(live)),
    forget() {
      marks.clear();
      began = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Whose it is tells as much as what it is: what one placement hands over to another has the same digest. */
function markOf(live: Manifest | undefined): string | undefined {
  const digest = live?.metadata.annotations?.[digestAnnotation];
  return digest && `${live?.metadata.labels?.[placementLabel]} ${digest}`;
}
