import type { Manifest } from '../../api/meta.ts';
import type { HubObject } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { groupVersionOf } from './group-version.ts';
import { isPlaceable } from './placeable.ts';
import { builtInScope, type Scope } from './scope.ts';

/** Index of everything under `resources/` that may be placed. */
export interface HubIndex {
  /** The input, including objects that are never placed. */
  readonly resources: readonly HubObject[];
  /** By `apiVersion kind`. */
  readonly kinds: ReadonlyMap<string, KindIndex>;
  /** Namespaced objects of every kind by namespace; the Namespace objects themselves are not among them. */
  readonly namespaces: ReadonlyMap<string, readonly HubObject[]>;
  /** Versions that the repo holds of a `group/kind`, in order of appearance. */
  readonly versions: ReadonlyMap<string, readonly string[]>;
  /** Scope of a `group/kind` by CRDs in the repo, then by the objects. */
  readonly scopes: ReadonlyMap<string, Scope>;
}

/** The objects of one group, version and kind. */
export interface KindIndex {
  readonly objects: readonly HubObject[];
  /** By `namespace/name`, `/name` for cluster-scoped ones. */
  readonly byName: ReadonlyMap<string, HubObject>;
  readonly byNamespace: ReadonlyMap<string, readonly HubObject[]>;
}

/** Indexes the repo's resources, once per change of the fleet. */
export const compileHub = memoize((resources: readonly HubObject[]): HubIndex => compile(resources));

/** By the built-in table, then CRDs in the repo, then the objects; undefined = unknown. */
export const scopeOfKind = (hub: HubIndex, group: string, kind: string): Scope | undefined =>
  builtInScope(group, kind) ?? hub.scopes.get(`${group}/${kind}`);

function compile(resources: readonly HubObject[]): HubIndex {
  const services = new Set<string>();
  for (const { manifest } of resources) {
    if (manifest.kind === 'Service' && manifest.apiVersion === 'v1') services.add(nameKey(manifest));
  }
  const hasService = (namespace: string, name: string): boolean => services.has(`${namespace}/${name}`);

  const kinds = new Map<string, { objects: HubObject[]; byName: Map<string, HubObject>; byNamespace: Groups }>();
  const namespaces: Groups = new Map();
  const versions = new Map<string, string[]>();
  const scopes = new Map<string, Scope>(resources.flatMap(({ manifest }) => customScope(manifest)));
  for (const object of resources) {
    const { manifest, scope } = object;
    const { group, version } = groupVersionOf(manifest.apiVersion);
    const groupKind = `${group}/${manifest.kind}`;
    if (!scopes.has(groupKind)) scopes.set(groupKind, scope);
    if (!versions.get(groupKind)?.includes(version)) append(versions, groupKind, version);
    if (!isPlaceable(manifest, hasService)) continue;

    const kindKey = `${manifest.apiVersion} ${manifest.kind}`;
    let kind = kinds.get(kindKey);
    if (!kind) {
      kind = { objects: [], byName: new Map(), byNamespace: new Map() };
      kinds.set(kindKey, kind);
    }
    kind.objects.push(object);
    kind.byName.set(nameKey(manifest), object);
    if (scope === 'Cluster') continue;
    append(kind.byNamespace, manifest.metadata.namespace ?? '', object);
    append(namespaces, manifest.metadata.namespace ?? '', object);
  }
  return { resources, kinds, namespaces, versions, scopes };
}

type Groups = Map<string, HubObject[]>;

const nameKey = (manifest: Manifest): string => `${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`;

function append<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

function customScope(manifest: Manifest): [string, Scope][] {
  if (manifest.kind !== 'CustomResourceDefinition') return [];
  const spec = manifest['spec'] as { group?: unknown; scope?: unknown; names?: { kind?: unknown } } | undefined;
  if (spec?.scope !== 'Cluster' && spec?.scope !== 'Namespaced') return [];
  return [[`${String(spec.group)}/${String(spec.names?.kind)}`, spec.scope]];
}
