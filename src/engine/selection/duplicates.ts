import type { Manifest } from '../../api/meta.ts';
import { type EnvelopeRef, unpack } from './envelope.ts';
import { describeObject } from './group-version.ts';
import { keyOfManifest } from './object-key.ts';

interface Item {
  readonly manifest: Manifest;
  readonly envelope?: EnvelopeRef;
}

/** A manifest of an object that another one before it describes already. */
export interface Duplicate<T> {
  readonly item: T;
  /** Where both are, for people. */
  readonly message: string;
}

/**
 * The first manifest of every object, and those after it, which are not applied (KubeFleet work applier, preprocess.go:
 * Duplicated). An envelope is no work of its own here, so that this holds across envelopes too, where KubeFleet lets the
 * later one fail to take over.
 */
export function withoutDuplicates<T extends Item>(
  items: readonly T[],
): { readonly first: readonly T[]; readonly duplicates: readonly Duplicate<T>[] } {
  // What is selected is there once.
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

/** What selected resources hold more than once, counting what is in their envelopes: a sentence for each. */
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
