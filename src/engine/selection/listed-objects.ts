import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { memoize } from '../kernel/memoize.ts';
import { unpack } from './envelope.ts';
import { objectKey, refOfManifest } from './object-key.ts';

export interface Listed {
  readonly refs: readonly ObjectRef[];
  /** `objectKey` each of them. */
  readonly keys: ReadonlySet<string>;
}

/** Every object in the recorded snapshots of a placement. An envelope counts as its contents, since it never reaches a member. */
export const listedObjects = memoize((snapshots: ReadonlyMap<number, readonly Manifest[]>): Listed => {
  const refs = new Map([...snapshots.values()].flatMap(refsIn).map((ref) => [JSON.stringify(ref), ref]));
  return { refs: [...refs.values()], keys: new Set([...refs.values()].map(objectKey)) };
});

/** The objects that reach a member: the contents of an envelope instead of it, or none if it cannot be unpacked. */
export const refsIn = (manifests: readonly Manifest[]): ObjectRef[] =>
  manifests.flatMap((manifest) => {
    const opened = unpack(manifest);
    if (opened) return opened.ok ? refsIn(opened.manifests) : [];
    return [refOfManifest(manifest)];
  });
