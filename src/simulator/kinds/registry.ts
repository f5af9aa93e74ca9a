import { builtinKinds } from './builtin.ts';
import { apiVersionOf, type Kind, storageKey } from './kind.ts';

/** The kinds that one member serves: the built-in ones, shared by all members, and its own custom resources. */
export interface Registry {
  all(): readonly Kind[];
  /** By group, version and plural, as in a request path. */
  byPlural(group: string, version: string, plural: string): Kind | undefined;
  byKind(apiVersion: string, kind: string): Kind | undefined;
  /** Any version of the kind with a storage key. */
  stored(key: string): Kind | undefined;
  /** Replaces the versions of one custom resource; none removes it. */
  setCustom(key: string, kinds: readonly Kind[]): void;
  /** Counts changes of the custom resources, for caches. */
  revision(): number;
}

interface Index {
  readonly plurals: ReadonlyMap<string, Kind>;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly keys: ReadonlyMap<string, Kind>;
}

const indexOf = (kinds: readonly Kind[]): Index => ({
  plurals: new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.plural}`, kind])),
  kinds: new Map(kinds.map((kind) => [`${apiVersionOf(kind)}/${kind.kind}`, kind])),
  keys: new Map(kinds.map((kind) => [storageKey(kind), kind])),
});
const builtin = indexOf(builtinKinds);
const noKinds = indexOf([]);

export function openRegistry(): Registry {
  const custom = new Map<string, readonly Kind[]>();
  let own = noKinds;
  let all = builtinKinds;
  let revision = 0;
  return {
    all: () => all,
    byPlural(group, version, plural) {
      const key = `${apiVersionOf({ group, version })}/${plural}`;
      return builtin.plurals.get(key) ?? own.plurals.get(key);
    },
    byKind: (apiVersion, kind) => builtin.kinds.get(`${apiVersion}/${kind}`) ?? own.kinds.get(`${apiVersion}/${kind}`),
    stored: (key) => builtin.keys.get(key) ?? own.keys.get(key),
    setCustom(key, kinds) {
      if (kinds.length === 0) custom.delete(key);
      else custom.set(key, kinds);
      own = indexOf([...custom.values()].flat());
      all = custom.size === 0 ? builtinKinds : [...builtinKinds, ...[...custom.values()].flat()];
      revision++;
    },
    revision: () => revision,
  };
}
