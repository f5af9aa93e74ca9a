import type { Manifest } from '../../api/meta.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { internParts } from '../intern.ts';
import type { KeptOfKind } from '../watch/kept-bytes.ts';
import type { ReflectedStore } from '../watch/reflector.ts';
import { type Kept, keptOf } from './kept-fields.ts';

/** All objects of one kind on one member, with the fields that are kept of them. */
export interface SeenObjects extends ReflectedStore {
  /** The same list as long as nothing changed. */
  all(): Manifest[];
}

/** @param changed Called when something that is kept changed; `gone`: the object as it was last, if it is no longer there. */
export function seenObjects(
  kept: Kept,
  bytes: KeptOfKind,
  changed: (change: { readonly gone?: Manifest }) => void,
): SeenObjects {
  const objects = new Map<string, Manifest>();
  let held = 0;
  let list: Manifest[] | undefined;

  const weightOf = (object: Manifest | undefined): number => (object && bytes.weigh(object)) ?? 0;

  function hold(by: number): void {
    held += by;
    bytes.hold(held);
  }

  function news(change: { readonly gone?: Manifest }): void {
    list = undefined;
    changed(change);
  }

  function set(item: Manifest): void {
    const key = keyOfManifest(item);
    const before = objects.get(key);
    const object = interned(keptOf(item, kept));
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(object)) return;
    const weight = bytes.weigh(object);
    if (weight === undefined) return;
    hold(weight - weightOf(before));
    objects.set(key, object);
    news({});
  }

  function drop(key: string, last?: Manifest): void {
    const before = objects.get(key);
    if (before === undefined) return;
    hold(-weightOf(before));
    objects.delete(key);
    news({ gone: last ?? before });
  }

  return {
    replace(items) {
      const listed = new Set(items.map(keyOfManifest));
      for (const key of [...objects.keys()]) if (!listed.has(key)) drop(key);
      for (const item of items) set(item);
    },
    set,
    remove: (item) => drop(keyOfManifest(item), item),
    passed() {},
    empty() {
      for (const key of [...objects.keys()]) drop(key);
    },
    all() {
      list ??= [...objects.values()];
      return list;
    },
  };
}

/** Pods of one template have equal specs but for their node. */
const interned = (object: Manifest): Manifest =>
  ({ ...internParts(object, ['spec']), metadata: internParts(object.metadata, ['labels']) }) as Manifest;
