import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import type { FirstObservation } from '../watch/first-observation.ts';
import type { Watches } from '../watch/watches.ts';
import { conflictBackOff, isFromAnotherDaemon, mayBePlacedSince } from './conflict-back-off.ts';

/** Objects that are left alone until their desired state is confirmed, because another daemon may have a newer plan. */
export interface UnconfirmedObjects {
  /** Another daemon changed the object, or may have, since our last apply or since the plan was made. */
  isInConflict(assignment: PlacementAssignment, manifest: Manifest, live: Manifest | undefined): boolean;
  /** Leaves the object alone until its desired state is confirmed. `live`: the object as it was found. */
  add(manifest: Manifest, live: Manifest | undefined): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  /** The assignment was confirmed by the record; returns objects that may be repaired now. */
  confirmed(): readonly string[];
  /** The assignment changed. */
  forget(): void;
}

export function unconfirmedObjects(input: {
  readonly clock: Clock;
  readonly watches: Watches;
  readonly observed: FirstObservation;
  /** Requests that the record is read again. */
  readonly ask: () => void;
  /** The change that another daemon made is now repaired. */
  readonly overrule: (key: string) => void;
}): UnconfirmedObjects {
  const { watches, observed } = input;
  const found = new Map<string, { readonly ref: ObjectRef; readonly live: Manifest | undefined }>();
  const conflicts = conflictBackOff(input.clock, input.ask);

  return {
    has: conflicts.holds,
    keys: conflicts.held,
    isInConflict(assignment, manifest, live) {
      // State from before a broken watch may be out of date.
      if (!observed.fresh() && !watches.shows(refOfManifest(manifest))) return true;
      // An object that only the record names may have been removed by a later plan.
      if (live === undefined) return assignment.adopted;
      return observed.isNews(live) && (isFromAnotherDaemon(manifest, live) || mayBePlacedSince(assignment, live));
    },
    add(manifest, live) {
      const key = keyOfManifest(manifest);
      found.set(key, { ref: refOfManifest(manifest), live });
      conflicts.found(key);
    },
    confirmed() {
      const due = conflicts.confirmed();
      if (due.length > 0) observed.renew();
      for (const key of due) {
        const { ref, live: before } = found.get(key)!;
        const live = watches.object(ref) ?? before;
        if (!live) continue;
        observed.accept(live);
        input.overrule(key);
      }
      return due;
    },
    forget() {
      conflicts.forget();
      found.clear();
    },
  };
}
