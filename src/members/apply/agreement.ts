import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { isSameManifest } from './apply.ts';
import { localDifferences } from './compare.ts';

/** How an object compares with its manifest, as far as that can be told without asking the server. */
export type Verdict =
  | 'same'
  /** Something looks different, and the server has been asked about this very state. */
  | 'asked'
  | 'differs';

export interface Agreement {
  verdict(manifest: Manifest, live: Manifest | undefined, comparison: 'partial' | 'full'): Verdict;
  /** The server has been asked about this very state; what still looks different is no reason to ask again. */
  asked(manifest: Manifest, live: Manifest, comparison: 'partial' | 'full'): void;
}

/**
 * Servers write some things differently (`0.5` as `500m`) and add items to lists. Such differences are told from real ones by
 * asking once and remembering what was left over.
 */
export function agreement(): Agreement {
  const known = new Map<string, string>();
  return {
    verdict(manifest, live, comparison) {
      if (live === undefined || live.metadata.deletionTimestamp || !isSameManifest(manifest, live)) return 'differs';
      if (live.metadata.labels?.[placementLabel] !== manifest.metadata.labels?.[placementLabel]) return 'differs';
      const seen = look(manifest, live, comparison);
      if (seen === '') return 'same';
      return known.get(keyOfManifest(manifest)) === seen ? 'asked' : 'differs';
    },
    asked(manifest, live, comparison) {
      const seen = look(manifest, live, comparison);
      if (seen === '') known.delete(keyOfManifest(manifest));
      else known.set(keyOfManifest(manifest), seen);
    },
  };
}

function look(manifest: Manifest, live: Manifest, comparison: 'partial' | 'full'): string {
  const details = localDifferences(manifest, live, comparison);
  return details.length === 0 ? '' : `${manifest.metadata.annotations?.[digestAnnotation]} ${JSON.stringify(details)}`;
}
