import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { keyOfManifest, refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import type { FirstObservation } from '../watch/first-observation.ts';
import type { Watches } from '../watch/watches.ts';
import { conflictBackOff, isFromAnotherDaemon, mayBePlacedSince } from './conflict-back-off.ts';

/** Objects that are held back, since it is not known whether it is still wanted what we hold of them. */
export interface HeldBack {
  /** Another daemon changed the object since we did, or since what is wanted was decided; or may have, for all we are shown. */
  isInConflict(assignment: PlacementAssignment, manifest: Manifest, live: Manifest | undefined): boolean;
  /** Leaves the object as it is until what we hold of it is confirmed; `live`: as it was found. */
  add(manifest: Manifest, live: Manifest | undefined): void;
  has(key: string): boolean;
  keys(): Iterable<string>;
  /** What is assigned was read from the record anew; returns objects that may be put right now. */
  confirmed(): readonly string[];
  /** Something else is wanted now. */
  forget(): void;
}

export function heldBack(input: {
  readonly clock: Clock;
  readonly watches: Watches;
  readonly observed: FirstObservation;
  /** Lets the record be read anew. */
  readonly ask: () => void;
  /** What another daemon made of an object is to be put right. */
  readonly overrule: (key: string) => void;
}): HeldBack {
  const { watches, observed } = input;
  const found = new Map<string, { readonly ref: ObjectRef; readonly live: Manifest | undefined }>();
  const conflicts = conflictBackOff(input.clock, input.ask);

  return {
    has: conflicts.holds,
    keys: conflicts.held,
    isInConflict(assignment, manifest, live) {
      // What was shown before the watch was lost may hide something newer.
      if (!observed.fresh() && !watches.shows(refOfManifest(manifest))) return true;
      // What the record alone says should be there may have been removed by a later plan.
      if (live === undefined) return assignment.adopted === true;
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
