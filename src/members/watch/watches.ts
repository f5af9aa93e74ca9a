import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import { inOwnStorage, type ServedKind } from '../api-server/served-kind.ts';
import type { ReflectorState } from './reflection.ts';
import { type LabelledInput, type Reflector, reflectLabelled } from './reflector.ts';
import { isOlder } from './resource-version.ts';

/** Our objects on one member, over all watched kinds. */
export interface Watches {
  /** Watches a kind; resolves when its objects are known, or with the server's first error. */
  follow(kind: ServedKind): Promise<ReflectorState>;
  /** The object in its version. Undefined when it is not ours; an unlabelled one of the same name may exist. */
  object(ref: ObjectRef): Manifest | undefined;
  /** The same in any watched version, without objects whose label a controller copied. */
  inAnyVersion(ref: ObjectRef): Manifest | undefined;
  /** Whether the watches cover the object, so that absence means that it does not exist or is not ours. */
  shows(ref: ObjectRef): boolean;
  /** Why such objects are polled and not watched; undefined when they are watched. */
  unwatched(ref: ObjectRef): string | undefined;
  /** Our own request changed or removed it: without a watch it is read again soon. */
  touched(ref: ObjectRef): void;
  /** Stores the response to our own request, so that no decision uses an older state until the watch catches up. */
  put(object: Manifest): void;
  /** Every object of ours once, even if it is watched in several versions. */
  all(): Manifest[];
  /** The latest resourceVersion seen in the server's main storage; undefined before the first. */
  latest(): string | undefined;
  /** False while a watch is broken, refused or reads its list: a missing object may exist. */
  complete(): boolean;
  /** Instant up to which all stores are current, milliseconds; Infinity when they are empty. */
  asOf(): number;
  /** Stops the watches of other kinds, unless they have objects that no other version shows. */
  keep(needed: ReadonlySet<string>): void;
  /** The member is another cluster now: drops everything and reads it again. */
  restart(): void;
  stop(): void;
}

/** Names a kind in a version, for `keep`. */
export const kindKey = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
  `${apiVersion}/${kind}`;

export function watches(input: LabelledInput): Watches {
  const reflectors = new Map<string, Reflector>();
  return {
    async follow(kind) {
      let reflector = reflectors.get(kindKey(kind));
      if (reflector === undefined || reflector.state().kind === 'unserved') {
        reflector = reflectLabelled(input, kind);
        reflectors.set(kindKey(kind), reflector);
      }
      await reflector.ready();
      return reflector.state();
    },
    object: (ref) => reflectors.get(kindKey(ref))?.store.get(objectKey(ref)),
    inAnyVersion(ref) {
      const key = objectKey(ref);
      for (const reflector of reflectors.values()) {
        if (groupKindOf(reflector.kind) !== groupKindOf(ref)) continue;
        const object = reflector.store.ofOurs(key);
        if (object) return object;
      }
      return undefined;
    },
    shows(ref) {
      const reflector = reflectors.get(kindKey(ref));
      return reflector?.shows(objectKey(ref)) ?? false;
    },
    unwatched(ref) {
      const state = reflectors.get(kindKey(ref))?.state();
      return state?.kind === 'synced' ? state.unwatched : undefined;
    },
    put(object) {
      const reflector = reflectors.get(kindKey(object));
      reflector?.store.put(object);
      reflector?.touched();
    },
    touched: (ref) => reflectors.get(kindKey(ref))?.touched(),
    all() {
      const seen = new Map<string, Manifest>();
      for (const { store } of reflectors.values()) {
        for (const object of store.ours()) {
          const key = keyOfManifest(object);
          if (!seen.has(key)) seen.set(key, object);
        }
      }
      return [...seen.values()];
    },
    asOf: () => Math.min(...[...reflectors.values()].map((reflector) => reflector.asOf())),
    latest: () =>
      [...reflectors.values()]
        .filter(({ kind }) => inOwnStorage(kind))
        .flatMap(({ store }) => store.version() ?? [])
        .reduce<string | undefined>(
          (latest, current) => (latest && !isOlder(latest, current) ? latest : current),
          undefined,
        ),
    complete: () => [...reflectors.values()].every((reflector) => reflector.complete()),
    keep(needed) {
      const elsewhere = new Set(
        [...reflectors.values()]
          .filter((other) => needed.has(kindKey(other.kind)) && other.complete())
          .map(({ kind }) => groupKindOf(kind)),
      );
      for (const [key, reflector] of reflectors) {
        if (needed.has(key) || (reflector.store.size() > 0 && !elsewhere.has(groupKindOf(reflector.kind)))) continue;
        reflector.stop();
        reflectors.delete(key);
      }
    },
    restart() {
      for (const [key, reflector] of reflectors) {
        reflector.stop();
        reflectors.set(key, reflectLabelled(input, reflector.kind));
      }
    },
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}

const groupKindOf = ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): string =>
  `${groupVersionOf(apiVersion).group}/${kind}`;
