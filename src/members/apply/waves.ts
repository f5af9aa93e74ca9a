import type { Manifest } from '../../api/meta.ts';
import { waveOf } from '../../engine/selection/waves.ts';

/** Items in KubeFleet's waves, in the order of apply; removal uses the reverse order. */
export function inWaves<T>(items: readonly T[], manifestOf: (item: T) => Manifest): T[][] {
  const waves = new Map<number, T[]>();
  for (const item of items) {
    const wave = waveOf(manifestOf(item));
    const there = waves.get(wave);
    if (there) there.push(item);
    else waves.set(wave, [item]);
  }
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}
