import type { Manifest } from '../../api/meta.ts';
import { refOfManifest } from '../../engine/selection/object-key.ts';
import type { Connection } from '../connection.ts';

/** Waits for objects that were asked to go. */
export interface RemovalWait {
  /** Resolves when the objects are gone, or after 30 s: a finalizer that nobody serves must not keep all the rest. */
  gone(wave: readonly Manifest[], goOn: () => boolean): Promise<void>;
  /** Something may have gone, or waiting may have become pointless. */
  nudge(): void;
}

/** When a whole placement is removed, a wave is given this long to be gone before what it stands on is removed. */
const goneMs = 30_000;

export function removalWait({ clock, watches }: Connection): RemovalWait {
  let nudged = () => {};
  return {
    gone(wave, goOn) {
      const over = () => !goOn() || wave.every((object) => watches.object(refOfManifest(object)) === undefined);
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
