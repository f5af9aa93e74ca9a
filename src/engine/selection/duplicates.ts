import type { Manifest } from '../../api/meta.ts';
import { type EnvelopeRef, unpack } from './envelope.ts';
import { describeObject } from './group-version.ts';
import { keyOfManifest } from './object-key.ts';

interface Item {
  readonly manifest: Manifest;
  readonly envelope?: EnvelopeRef;
}

/** A manifest of an object that an earlier manifest describes already. */
export interface Duplicate<T> {
  readonly item: T;
  /** Where both are, as a sentence. */
  readonly message: string;
}

/**
 * The first manifest of every object, and later ones, which are not applied (KubeFleet work applier, preprocess.go:
 * Duplicated). This holds across envelopes too, since an envelope is not a Work of its own here. In KubeFleet the later envelope
 * fails to take the object over.
 */
export function withoutDuplicates<T extends Item>(
  items: readonly T[],
): { readonly first: readonly T[]; readonly duplicates: readonly Duplicate<T>[] } {
  // Selected resources have no duplicates among themselves.
  if (!items.some(({ envelope }) => envelope)) return { first: items, duplicates: [] };
  const first = new Map<string, T>();
  const duplicates: Duplicate<T>[] = [];
  for (const item of items) {
    const key = keyOfManifest(item.manifest);
    const before = first.get(key);
    if (before === undefined) first.set(key, item);
    else duplicates.push({ item, message: `${describeObject(item.manifest)} is ${whereBoth(before, item)}` });
  }
  return { first: [...first.values()], duplicates };
}

/** One sentence for each object that selected resources, including the contents of envelopes, contain more than once. */
export function heldTwice(manifests: readonly Manifest[]): readonly string[] {
  const plain = manifests.filter((manifest) => !unpack(manifest)).map((manifest): Item => ({ manifest }));
  const wrapped = manifests.flatMap((manifest): Item[] => {
    const opened = unpack(manifest);
    return opened?.ok ? opened.manifests.map((inner) => ({ manifest: inner, envelope: opened.envelope })) : [];
  });
  return withoutDuplicates([...plain, ...wrapped]).duplicates.map(({ message }) => message);
}

function whereBoth(a: Item, b: Item): string {
  const [one, other] = [originOf(a), originOf(b)];
  return one === other ? `twice in ${one}; one of them is applied` : `in ${one} and in ${other}; the first is applied`;
}

const originOf = ({ envelope }: Item): string =>
  envelope
    ? `envelope ${envelope.namespace ? `${envelope.namespace}/` : ''}${envelope.name}`
    : 'the selected resources';
