import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import { isSameManifest } from './attempt.ts';

/**
 * Objects that another daemon put somewhere else than we did. It may know a newer plan: nothing is put back before a pass
 * that began later has confirmed that what we hold is still wanted. Without this two daemons undo each other's work at
 * full speed until both have read the same plan, and one that cannot reach the git server brings old versions back.
 */
export interface ConflictBackOff {
  /** True when the object must be left as it is for now. */
  holds(key: string): boolean;
  held(): Iterable<string>;
  /** Another daemon has been here. */
  found(key: string): void;
  /** What we hold is wanted still; returns the objects that may be put right now. */
  confirmed(): readonly string[];
  /** Something else is wanted now. */
  forget(): void;
}

/** Another daemon that has just published is given this long to be read. */
const settleMs = 1_000;
/** The first pass that ends after the record was asked for may have read it before; the one after it has not. */
const confirmations = 2;

/** `ask` lets the record be read anew. */
export function conflictBackOff(clock: Clock, ask: () => void): ConflictBackOff {
  const left = new Map<string, number>();
  let asked = false;
  let cancel = () => {};

  function askSoon(): void {
    cancel();
    asked = false;
    cancel = clock.after(settleMs, () => {
      asked = true;
      ask();
    });
  }

  return {
    holds: (key) => left.has(key),
    held: () => left.keys(),
    found(key) {
      if (left.has(key)) return;
      left.set(key, confirmations);
      askSoon();
    },
    confirmed() {
      if (!asked) return [];
      for (const [key, times] of left) left.set(key, times - 1);
      const due = [...left].filter(([, times]) => times <= 0).map(([key]) => key);
      for (const key of due) left.delete(key);
      if (left.size > 0) ask();
      return due;
    },
    forget() {
      cancel();
      left.clear();
    },
  };
}

/** Carries our label, and the digest of another manifest than the one we applied: only a daemon writes that. */
export const isFromAnotherDaemon = (manifest: Manifest, live: Manifest): boolean =>
  live.metadata.labels?.[placementLabel] === manifest.metadata.labels?.[placementLabel] &&
  live.metadata.annotations?.[digestAnnotation] !== undefined &&
  !isSameManifest(manifest, live);

/** Marked for a placement that does not have it here as far as we know: others know first what has come to be placed here. */
export function mayBePlacedSince(
  { label, isPlaced }: Pick<PlacementAssignment, 'label' | 'isPlaced'>,
  live: Manifest,
): boolean {
  const mark = live.metadata.labels?.[placementLabel];
  return mark !== undefined && mark !== label && !isPlaced(mark, refOfManifest(live));
}
