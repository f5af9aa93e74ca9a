import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import type { PlacementAssignment } from '../assignment.ts';
import type { Clock } from '../clock.ts';
import { isSameManifest } from './attempt.ts';

/**
 * Objects that another daemon changed. It may have read a newer plan, so nothing is repaired before a pass that started later has
 * confirmed the assignment. Otherwise two daemons undo each other's work until both have read the same plan, and one that
 * cannot reach the git server restores old versions.
 */
export interface ConflictBackOff {
  /** True when the object must be left as it is for now. */
  holds(key: string): boolean;
  held(): Iterable<string>;
  /** Another daemon changed the object. */
  found(key: string): void;
  /** The assignment is confirmed; returns the objects that may be repaired now. */
  confirmed(): readonly string[];
  /** The assignment changed. */
  forget(): void;
}

/** Time until the publication of another daemon can be read, milliseconds. */
const settleMs = 1_000;
/** The pass under way may have read the record earlier; the one after it has not. */
const confirmations = 2;

/** `ask` requests that the record is read again. */
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

/** Has our label, and a digest that differs from the manifest we applied: only a daemon writes that. */
export const isFromAnotherDaemon = (manifest: Manifest, live: Manifest): boolean =>
  live.metadata.labels?.[placementLabel] === manifest.metadata.labels?.[placementLabel] &&
  live.metadata.annotations?.[digestAnnotation] !== undefined &&
  !isSameManifest(manifest, live);

/** Labelled for a placement that has no such object here in our record: another daemon may have a newer record. */
export function mayBePlacedSince(
  { label, isPlaced }: Pick<PlacementAssignment, 'label' | 'isPlaced'>,
  live: Manifest,
): boolean {
  const mark = live.metadata.labels?.[placementLabel];
  return mark !== undefined && mark !== label && !isPlaced(mark, refOfManifest(live));
}
