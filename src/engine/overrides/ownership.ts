import type { Manifest } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { memoize, memoizePair } from '../kernel/memoize.ts';
import { jsonTextOf } from '../selection/content-hash.ts';

/** A label of every object that gitfleet applies: the placement that it belongs to. */
export const placementLabel = 'gitfleet.dev/placement';
/** An annotation with the full name of the placement, on objects whose label cannot hold it. */
export const placementAnnotation = 'gitfleet.dev/placement';
/** An annotation: `sha256:` and the digest of the rendered manifest, so that a new commit does not change an unchanged object. */
export const digestAnnotation = 'gitfleet.dev/digest';

/**
 * Value of the placement label: `name` or `namespace.name`; beyond the 63 characters of a label value the first 54, a
 * dash, and 8 hex digits of the full name's sha-256.
 */
export function placementLabelValue(placement: PlacementRef, digest: (text: string) => string): string {
  const full = placementKey(placement);
  return full.length <= 63 ? full : `${full.slice(0, 54)}-${digest(full).slice(0, 8)}`;
}

/**
 * The manifest with our label and annotations, which replace those of the file. Memoized, so that variants of a snapshot share every
 * object that they do not change.
 */
export function marked(manifest: Manifest, placement: PlacementRef, digest: (text: string) => string): Manifest {
  const full = placementKey(placement);
  const byPlacement = marksOf(manifest);
  const known = byPlacement.get(full) ?? mark(manifest, full, placementLabelValue(placement, digest), digest);
  byPlacement.set(full, known);
  return known;
}

const marksOf = memoize((_: Manifest) => new Map<string, Manifest>());

function mark(manifest: Manifest, full: string, label: string, digest: (text: string) => string): Manifest {
  const { metadata } = manifest;
  return {
    ...manifest,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [placementLabel]: label },
      annotations: {
        ...metadata.annotations,
        ...(label === full ? {} : { [placementAnnotation]: full }),
        [digestAnnotation]: digestOf(manifest, digest),
      },
    },
  };
}

/** `sha256:` and the hex digest of a manifest's canonical JSON, memoized by the manifest's identity. */
export const digestOf = memoizePair(
  (manifest: Manifest, digest: (text: string) => string): string => `sha256:${digest(jsonTextOf(manifest))}`,
);
