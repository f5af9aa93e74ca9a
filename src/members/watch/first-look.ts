import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation } from '../../engine/overrides/ownership.ts';
import { keyOfManifest, objectKey, refOfManifest } from '../../engine/selection/object-key.ts';
import type { Assignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import { oneText } from '../equal-parts.ts';
import type { Watches } from './watches.ts';

/**
 * What a member showed when it was decided what it should hold: that may be replaced or removed. A member that could not be
 * looked at then may show something newer by the time it can: another daemon may have read a later plan than we did. What
 * is seen late is therefore not taken for what the decision was about.
 */
export interface FirstLook {
  /** Something else is wanted now: notes what is shown. */
  begin(assignment: Assignment): void;
  /** Notes what has come to be shown since, as long as the decision is fresh. */
  more(assignment: Assignment): void;
  /** True while what we find can be taken for what the decision was about. */
  fresh(): boolean;
  /** Carries another digest than it did, or was not looked at in time. Objects without a digest are no daemon's. */
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

export function firstLook(clock: Clock, watches: Watches): FirstLook {
  const digests = new Map<string, string | undefined>();
  let began = Number.NEGATIVE_INFINITY;

  const fresh = (): boolean => clock.now() - began <= freshMs;

  function more({ manifests, prunable }: Assignment): void {
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
    if (!digests.has(key)) digests.set(oneText(key), digestOf(live));
  }

  return {
    begin(assignment) {
      digests.clear();
      // What the record said when this daemon started may be long out of date.
      began = assignment.adopted ? Number.NEGATIVE_INFINITY : clock.now();
      more(assignment);
    },
    more,
    fresh,
    isNews(live) {
      const digest = digestOf(live);
      const key = keyOfManifest(live);
      return digest !== undefined && !(digests.has(key) && digests.get(key) === digest);
    },
    renew() {
      began = clock.now();
    },
    accept: (live) => void digests.set(oneText(keyOfManifest(live)), digestOf(live)),
    forget() {
      digests.clear();
      began = Number.NEGATIVE_INFINITY;
    },
  };
}

const digestOf = (live: Manifest | undefined): string | undefined => live?.metadata.annotations?.[digestAnnotation];
