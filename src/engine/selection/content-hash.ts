import type { Manifest } from '../../api/meta.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { memoize } from '../kernel/memoize.ts';

/**
 * Hex sha-256 of the JSON of `{selectedResources: […]}`, manifests in the order given (KubeFleet resource.HashOf over a
 * snapshot's spec). Each manifest is turned into text once in its life; a call joins the texts and digests them.
 */
export const hashOfContents = (manifests: readonly Manifest[], digest: (text: string) => string): string =>
  digest(`{"selectedResources":[${manifests.map(jsonTextOf).join(',')}]}`);

/** Canonical JSON of a manifest, remembered by the manifest's identity. */
export const jsonTextOf = memoize((manifest: Manifest) => canonicalJson(manifest));

/** Stands where the hash would of contents that were put together from what members hold: no contents have it. */
export const rebuiltHash = 'lost';
