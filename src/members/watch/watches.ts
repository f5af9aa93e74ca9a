import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';
import { keyOfManifest, objectKey } from '../../engine/selection/object-key.ts';
import { inOwnStorage, type ServedKind } from '../api-server/served-kind.ts';
import type { ReflectorState } from './reflection.ts';
import { type Reflector, type ReflectorInput, reflect } from './reflector.ts';
import { isOlder } from './resource-version.ts';

/** What one member holds of ours, over all kinds that are watched. */
export interface Watches {
  /** Begins to watch a kind if it is not watched; resolves when what is there is known, or the server's answer says why not. */
  follow(kind: ServedKind): Promise<ReflectorState>;
  /** As its version shows it. Undefined when there is none of ours; an unlabelled one of the same name may still exist. */
  object(ref: ObjectRef): Manifest | undefined;
  /** The same in whatever version it is watched, without copies that controllers made of it. */
  inAnyVersion(ref: ObjectRef): Manifest | undefined;
  /** Whether an object of this kind and version would be shown if it were there and ours. */
  shows(ref: ObjectRef): boolean;
  /** Why nothing tells of changes of such objects, though they are looked at now and then; undefined when they are told. */
  unwatched(ref: ObjectRef): string | undefined;
  /** A request of ours changed or removed it: where nothing tells what came of it, it is looked at soon. */
  touched(ref: ObjectRef): void;
  /** What a request of ours returned, so that nothing is decided on an older state while the watch catches up. */
  put(object: Manifest): void;
  /** Every object of ours once, whatever versions it is watched in. */
  all(): Manifest[];
  /** The latest version that the server has shown of anything in its own storage; undefined before it has shown anything. */
  latest(): string | undefined;
  /** False while a watch is broken, refused or reads its list: then absence means nothing. */
  complete(): boolean;
  /** Instant up to which everything shown is true, milliseconds; Infinity when nothing is shown. */
  asOf(): number;
  /** Stops watching kinds that nobody needs, unless there is something of them that no other version shows. */
  keep(needed: ReadonlySet<string>): void;
  /** Another cluster answers now: everything is read anew, and until then nothing is known. */
  restart(): void;
  stop(): void;
}

/** Names a kind in a version, for `keep`. */
export const kindKey = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string =>
  `${apiVersion}/${kind}`;

export function watches(input: ReflectorInput): Watches {
  const reflectors = new Map<string, Reflector>();
  return {
    async follow(kind) {
      let reflector = reflectors.get(kindKey(kind));
      if (reflector === undefined || reflector.state().kind === 'unserved') {
        reflector = reflect(input, kind);
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
        .flatMap(({ store }) => store.told() ?? [])
        .reduce<string | undefined>((latest, told) => (latest && !isOlder(latest, told) ? latest : told), undefined),
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
        reflectors.set(key, reflect(input, reflector.kind));
      }
    },
    stop() {
      for (const reflector of reflectors.values()) reflector.stop();
    },
  };
}

const groupKindOf = ({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): string =>
  `${groupVersionOf(apiVersion).group}/${kind}`;
