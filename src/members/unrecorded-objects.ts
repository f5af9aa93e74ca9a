import type { Manifest, ObjectRef } from '../api/meta.ts';
import { placementLabel } from '../engine/overrides/ownership.ts';
import { refOfManifest } from '../engine/selection/object-key.ts';
import type { Clock } from './clock.ts';

/**
 * Objects that were or may have been created on a member since the record last confirmed the assignments. Meanwhile another daemon
 * may have removed their placement and dropped it from the record. Then only this daemon knows that they must be removed.
 */
export interface UnrecordedObjects {
  /** A request that creates the object is about to be sent. Returns what to call if it created nothing. */
  begin(manifest: Manifest): () => void;
  /** The objects with this ownership label. */
  of(label: string): readonly ObjectRef[];
  /** Drops objects that the record has confirmed. */
  settle(): void;
}

/** Longest time in a pass between reading the record and acting on it, milliseconds. */
const longestPassMs = 30_000;
/** Objects created within this time share one entry, so that a million of them cost one reference each. Milliseconds. */
const spanMs = 10_000;

/** @param knownAt Instant at which the record last confirmed the assignments, milliseconds. */
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
      const isSpan = last !== undefined && now < last.began + spanMs;
      const made = isSpan ? last.made : new Set<Manifest>();
      if (!isSpan) spans.push({ began: now, made });
      const isNew = !made.has(manifest);
      made.add(manifest);
      return () => void (isNew && made.delete(manifest));
    },
    of(label) {
      settle();
      return spans.flatMap(({ made }) =>
        [...made].filter(({ metadata }) => metadata.labels?.[placementLabel] === label).map(refOfManifest),
      );
    },
  };
}
