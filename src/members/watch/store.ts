import type { Manifest } from '../../api/meta.ts';
import { digestAnnotation, placementLabel } from '../../engine/overrides/ownership.ts';
import { keyOfManifest } from '../../engine/selection/object-key.ts';
import { type FieldManager, fieldManager, managersOf, withoutManagers } from '../apply/field-managers.ts';
import { oneText, sharingParts } from '../equal-parts.ts';
import { isNewer } from './resource-version.ts';

export type Change =
  | {
      readonly how: 'set';
      readonly key: string;
      readonly object: Manifest;
      readonly managers: readonly FieldManager[];
    }
  | { readonly how: 'deleted'; readonly key: string; readonly object: Manifest };

/** Labelled objects of one kind on one member, in the newest state that a list, a watch or a request of ours told. */
export interface Store {
  get(key: string): Manifest | undefined;
  /** Without objects that only inherited our label: controllers copy labels, an Endpoints has those of its Service. */
  ours(): Manifest[];
  /** One of `ours`. */
  ofOurs(key: string): Manifest | undefined;
  readonly size: () => number;
  /** A whole list. */
  replace(items: readonly Manifest[], version: string): void;
  /** An event of a watch. */
  set(item: Manifest): void;
  remove(item: Manifest, version: string): void;
  /** What a request of ours returned; it may be ahead of the watch or behind it. */
  put(item: Manifest): void;
  /** What a request for this object alone told; `before` is what was shown when it was sent. */
  looked(key: string, before: Manifest | undefined, live: Manifest | undefined): void;
  /** The watch is known to have told everything up to this version. */
  passed(version: string): void;
  /** Up to here everything has been told; undefined before the first list. */
  readonly told: () => string | undefined;
  /** The kind is not served any more: nothing of it is there. */
  empty(): void;
}

export function objectStore(changed: (change: Change) => void): Store {
  const objects = new Map<string, Manifest>();
  const copies = new Set<string>();
  /** Up to here a list or the watch has told everything. */
  let told: string | undefined;

  function set(item: Manifest): void {
    const key = oneText(keyOfManifest(item));
    const before = objects.get(key);
    if (before !== undefined && !isNewer(versionOf(item), versionOf(before))) return;
    const managers = managersOf(item);
    const object = kept(item);
    objects.set(key, object);
    if (isOurs(item, managers)) copies.delete(key);
    else copies.add(key);
    changed({ how: 'set', key, object, managers });
  }

  function drop(key: string, object: Manifest): void {
    objects.delete(key);
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
      // Numbers that go back mean another cluster under the same name, or one restored from a backup: nothing known holds.
      const restarted = told !== undefined && version !== told && !isNewer(version, told);
      const listed = new Set(items.map(keyOfManifest));
      for (const [key, object] of [...objects]) {
        const createdSince = !restarted && isNewer(versionOf(object), version);
        if (!listed.has(key) && !createdSince) drop(key, object);
        else if (restarted) objects.delete(key);
      }
      told = version;
      for (const item of items) set(item);
    },
    set(item) {
      told = versionOf(item) ?? told;
      set(item);
    },
    remove(item, version) {
      told = version;
      const key = keyOfManifest(item);
      const before = objects.get(key);
      // Created again in the meantime, as a request of ours told.
      if (before === undefined || isNewer(versionOf(before), version)) return;
      drop(key, withoutManagers(item));
    },
    put(item) {
      // The watch is further already: the object may have been removed since, and nothing would tell again.
      if (told !== undefined && !isNewer(versionOf(item), told)) return;
      if (isLabelled(item)) return set(item);
      // What becomes of it no watch tells: it would be taken for what is there for ever.
      const key = keyOfManifest(item);
      const before = objects.get(key);
      if (before && isNewer(versionOf(item), versionOf(before))) drop(key, before);
    },
    looked(key, before, live) {
      const item = live && isLabelled(live) ? live : undefined;
      const present = objects.get(key);
      // Something came in meanwhile, of which the answer may not know.
      if (present !== before) {
        if (item) set(item);
        return;
      }
      if (item === undefined) {
        if (present) drop(key, present);
        return;
      }
      // Whatever the number: a cluster that was restored from a backup goes back.
      if (present && versionOf(present) !== versionOf(item)) objects.delete(key);
      set(item);
    },
    passed(version) {
      told = version;
    },
    told: () => told,
    empty() {
      for (const [key, object] of [...objects]) drop(key, object);
      told = undefined;
    },
  };
}

/** An object as it is kept: what a thousand members have alike is one value. Versions and times are each one's own. */
function kept(item: Manifest): Manifest {
  const { metadata, ...content } = withoutManagers(item);
  const alike = Object.keys(content).filter((name) => name !== 'status');
  return { ...sharingParts(content, alike), metadata: sharingParts(metadata, ['labels', 'annotations']) } as Manifest;
}

const versionOf = (object: Manifest): string | undefined => object.metadata['resourceVersion'] as string | undefined;

const isLabelled = ({ metadata }: Manifest): boolean => metadata.labels?.[placementLabel] !== undefined;

/** Written by us, by the word of the server or by what we wrote: either can be lost in a backup, and a copy has neither. */
const isOurs = (object: Manifest, managers: readonly FieldManager[]): boolean =>
  object.metadata.annotations?.[digestAnnotation] !== undefined ||
  managers.some(({ manager }) => manager === fieldManager);
