import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { memoize } from '../kernel/memoize.ts';
import { unpack } from './envelope.ts';
import { groupVersionOf } from './group-version.ts';
import { keyOfManifest, objectKey } from './object-key.ts';

/** The containers that an object is in: its namespace, and its kind. Kubernetes removes it with the Namespace or the definition of them. */
export const containersOf = ({ apiVersion, kind, namespace }: ObjectRef): string[] => [
  ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
  `kind ${groupVersionOf(apiVersion).group}/${kind}`,
];

/**
 * The container that a Namespace or CustomResourceDefinition is, by the key of the object; undefined for other objects. `contents`: by
 * index, with its manifest.
 */
export const contentOf = (object: string, contents: ReadonlyMap<number, readonly Manifest[]>): string | undefined =>
  object.startsWith(namespaceKey) ? `namespace ${object.slice(namespaceKey.length)}` : definedIn(contents).get(object);

const namespaceKey = objectKey({ apiVersion: 'v1', kind: 'Namespace', name: '' });

/** Kinds that definitions of recorded snapshots define, by the key of the definition. */
const definedIn = memoize(
  (contents: ReadonlyMap<number, readonly Manifest[]>): ReadonlyMap<string, string> =>
    new Map([...contents.values()].flatMap((manifests) => manifests.flatMap(definitionsIn))),
);

function definitionsIn(manifest: Manifest): [string, string][] {
  const opened = unpack(manifest);
  if (opened) return opened.ok ? opened.manifests.flatMap(definitionsIn) : [];
  if (manifest.kind !== 'CustomResourceDefinition') return [];
  const { group, names } = (manifest['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const { kind } = (names ?? {}) as { readonly kind?: unknown };
  return [[keyOfManifest(manifest), `kind ${group}/${kind}`]];
}
