import type { Manifest } from '../../api/meta.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { memoize } from '../kernel/memoize.ts';

/**
 * Hex sha-256 of the JSON of `{selectedResources: […]}`, manifests in the order given (KubeFleet resource.HashOf over a
 * snapshot's spec). The text of each manifest is memoized; a call joins the texts and digests them.
 */
export const hashOfContents = (manifests: readonly Manifest[], digest: (text: string) => string): string =>
  digest(`{"selectedResources":[${manifests.map(jsonTextOf).join(',')}]}`);

/** Canonical JSON of a manifest, memoized by the manifest's identity. */
export const jsonTextOf = memoize((manifest: Manifest) => canonicalJson(manifest));

/** Takes the place of the hash for contents rebuilt from members' objects; no contents have this hash. */
export const rebuiltHash = 'lost';
