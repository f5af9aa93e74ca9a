import type { Manifest } from '../../api/meta.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import type { Connection } from '../connection.ts';

/** Waits for the removal of objects. */
export interface RemovalWait {
  /** Resolves when the objects are gone, or after 30 s: a stuck finalizer must not block all other objects. */
  gone(wave: readonly Manifest[], isWanted: () => boolean): Promise<void>;
  /** Checks again whether the wait is over. */
  nudge(): void;
}

/** Longest wait for a wave of a removed placement before the next wave, which it depends on, is removed. */
const goneMs = 30_000;

export function removalWait({ clock, watches }: Connection): RemovalWait {
  let nudged = () => {};
  return {
    gone(wave, isWanted) {
      const over = () => !isWanted() || wave.every((object) => watches.object(refOfManifest(object)) === undefined);
      if (over()) return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = clock.after(goneMs, resolve);
        nudged = () => {
          if (!over()) return;
          cancel();
          resolve();
        };
      });
    },
    nudge: () => nudged(),
  };
}
