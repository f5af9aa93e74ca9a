import type { Manifest, ObjectRef } from '../api/meta.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { refOfManifest } from '../engine/selection/object-key.ts';
import type { Clock } from './clock.ts';

/**
 * Objects that were made on a member, or may have been, since the record was last known to want them. Another daemon may
 * have removed their placement meanwhile, seen that nothing of it is left, and forgotten it: what is made after that is
 * nobody's to remove but ours.
 */
export interface UnrecordedObjects {
  /** An object that is not there is about to be sent. */
  begin(manifest: Manifest): void;
  /** Those with this ownership label. */
  of(label: string): readonly ObjectRef[];
  /** Forgets those that the record is known to want. */
  settle(): void;
}

/** From reading the record to acting on it a pass takes less, milliseconds. */
const longestPassMs = 30_000;
/** Objects made within this time are kept and forgotten together, so that a million of them cost one reference each. */
const spanMs = 10_000;

/** @param knownAt Instant at which the record wanted what was assigned last, milliseconds. */
export function unrecorded(clock: Clock, knownAt: () => number): UnrecordedObjects {
  /** The oldest first. */
  const spans: { readonly began: number; readonly made: Set<Manifest> }[] = [];

  function settle(): void {
    const known = knownAt() - longestPassMs;
    while (spans[0] && spans[0].began + spanMs <= known) spans.shift();
  }

  return {
    settle,
    begin(manifest) {
      settle();
      const now = clock.now();
      const last = spans.at(-1);
      if (last && now < last.began + spanMs) last.made.add(manifest);
      else spans.push({ began: now, made: new Set([manifest]) });
    },
    of(label) {
      settle();
      return spans.flatMap(({ made }) =>
        [...made].filter(({ metadata }) => metadata.labels?.[placementLabel] === label).map(refOfManifest),
      );
    },
  };
}
