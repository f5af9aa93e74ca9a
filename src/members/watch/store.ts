import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { type FieldManager, fieldManager, managersOf, withoutManagers } from '../apply/field-managers.ts';
import { internParts, internText } from '../intern.ts';
import type { KeptOfKind } from './kept-bytes.ts';
import { isNewer } from './resource-version.ts';

export type Change =
  | {
      readonly how: 'set';
      readonly key: string;
      readonly object: Manifest;
      readonly managers: readonly FieldManager[];
    }
  | { readonly how: 'deleted'; readonly key: string; readonly object: Manifest };

/** Labelled objects of one kind on one member, in the newest state that a list, a watch or our own request returned. */
export interface Store {
  get(key: string): Manifest | undefined;
  /** Without objects whose label a controller copied: an Endpoints has the labels of its Service. */
  ours(): Manifest[];
  /** One of `ours`. */
  ofOurs(key: string): Manifest | undefined;
  readonly size: () => number;
  /** A complete list. */
  replace(items: readonly Manifest[], version: string): void;
  /** An event of a watch. */
  set(item: Manifest): void;
  remove(item: Manifest, version: string): void;
  /** The response to our own request; it may be ahead of the watch or behind it. */
  put(item: Manifest): void;
  /** The response to a read of this object; `before`: what the store had when it was sent. */
  looked(key: string, before: Manifest | undefined, live: Manifest | undefined): void;
  /** The watch has delivered everything up to this version. */
  passed(version: string): void;
  /** The store is current up to this version; undefined before the first list. */
  readonly version: () => string | undefined;
  /** The kind is no longer served, so it has no objects. */
  empty(): void;
}

/** @param bytes Hears what is kept, and refuses a member whose objects are too much. */
export function objectStore(changed: (change: Change) => void, bytes: KeptOfKind): Store {
  const { objects, keep, forget } = weighedObjects(bytes);
  const copies = new Set<string>();
  /** The store is current up to this version. */
  let current: string | undefined;

  function set(item: Manifest): void {
    const key = internText(keyOfManifest(item));
    const before = objects.get(key);
    if (before !== undefined && !isNewer(versionOf(item), versionOf(before))) return;
    const managers = managersOf(item);
    const object = kept(item);
    if (!keep(key, object)) return;
    if (isOurs(item, managers)) copies.delete(key);
    else copies.add(key);
    changed({ how: 'set', key, object, managers });
  }

  function drop(key: string, object: Manifest): void {
    forget(key);
    copies.delete(key);
    changed({ how: 'deleted', key, object });
  }

  return {
    get: (key) => objects.get(key),
    ours: () =>
      copies.size === 0
        ? [...objects.values()]
        : [...objects].filter(([key]) => !copies.has(key)).map(([, object]) => object),
    ofOurs: (key) => (copies.has(key) ? undefined : objects.get(key)),
    size: () => objects.size,
    replace(items, version) {
      // A lower number means another cluster or a restored backup: the stored state is void.
      const restarted = current !== undefined && version !== current && !isNewer(version, current);
      const listed = new Set(items.map(keyOfManifest));
      for (const [key, object] of [...objects]) {
        const createdSince = !restarted && isNewer(versionOf(object), version);
        if (!listed.has(key) && !createdSince) drop(key, object);
        else if (restarted) forget(key);
      }
      current = version;
      for (const item of items) set(item);
    },
    set(item) {
      current = versionOf(item) ?? current;
      set(item);
    },
    remove(item, version) {
      current = version;
      const key = keyOfManifest(item);
      const before = objects.get(key);
      // Created again in the meantime, according to our own request.
      if (before === undefined || isNewer(versionOf(before), version)) return;
      drop(key, withoutManagers(item));
    },
    put(item) {
      // The watch is ahead: the object may have been removed since, and no event would follow.
      if (current !== undefined && !isNewer(versionOf(item), current)) return;
      if (isLabelled(item)) return set(item);
      // No watch covers it, so it would stay in the store for ever.
      const key = keyOfManifest(item);
      const before = objects.get(key);
      if (before && isNewer(versionOf(item), versionOf(before))) drop(key, before);
    },
    looked(key, before, live) {
      const item = live && isLabelled(live) ? live : undefined;
      const present = objects.get(key);
      // A newer event arrived since, which the response may lack.
      if (present !== before) {
        if (item) set(item);
        return;
      }
      if (item === undefined) {
        if (present) drop(key, present);
        return;
      }
      // Set without comparison: a cluster restored from a backup has lower versions.
      if (present && versionOf(present) !== versionOf(item)) forget(key);
      set(item);
    },
    passed(version) {
      current = version;
    },
    version: () => current,
    empty() {
      for (const [key, object] of [...objects]) drop(key, object);
      current = undefined;
    },
  };
}

/** Objects by key, of which the bytes are known together. */
function weighedObjects(bytes: KeptOfKind) {
  const objects = new Map<string, Manifest>();
  let held = 0;
  const hold = (change: number): void => {
    held += change;
    bytes.hold(held);
  };
  const weightOf = (object: Manifest | undefined): number => (object && bytes.weigh(object)) ?? 0;
  return {
    objects: objects as ReadonlyMap<string, Manifest>,
    /** False: the object is refused. */
    keep(key: string, object: Manifest): boolean {
      const weight = bytes.weigh(object);
      if (weight === undefined) return false;
      hold(weight - weightOf(objects.get(key)));
      objects.set(key, object);
      return true;
    },
    forget(key: string): void {
      hold(-weightOf(objects.get(key)));
      objects.delete(key);
    },
  };
}

/** An object with interned parts: equal specs of a thousand members are one value. Versions and times differ. */
function kept(item: Manifest): Manifest {
  const { metadata, ...content } = withoutManagers(item);
  const alike = Object.keys(content).filter((name) => name !== 'status');
  return { ...internParts(content, alike), metadata: internParts(metadata, ['labels', 'annotations']) } as Manifest;
}

const versionOf = (object: Manifest): string | undefined => object.metadata['resourceVersion'] as string | undefined;

const isLabelled = ({ metadata }: Manifest): boolean => metadata.labels?.[placementLabel] !== undefined;

/** Written by us, according to managedFields or our annotation: a backup can lose either, and a copy has neither. */
const isOurs = (object: Manifest, managers: readonly FieldManager[]): boolean =>
  object.metadata.annotations?.[digestAnnotation] !== undefined ||
  managers.some(({ manager }) => manager === fieldManager);
