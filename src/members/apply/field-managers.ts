import type { Manifest } from '../../api/meta.ts';
import type { PatchDetail } from '../../api/placement.ts';

/** Our name in `metadata.managedFields`. */
export const fieldManager = 'gitfleet';

/** Who owns which fields of an object; what the API server writes into `metadata.managedFields`. */
export interface FieldManager {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Fields;
}
interface Fields {
  readonly [key: string]: Fields;
}

export const managersOf = (object: Manifest): readonly FieldManager[] =>
  (object.metadata['managedFields'] ?? []) as readonly FieldManager[];

/** The object as it is kept in memory: managedFields are often most of it. */
export function withoutManagers(object: Manifest): Manifest {
  if (object.metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as Manifest;
}

/**
 * The foreign manager that most likely made the differences: the one that owns them most exactly, of several the last.
 * Who only writes status never did. Undefined when there is no foreign one.
 */
export function foreignManager(
  managers: readonly FieldManager[],
  differences: readonly PatchDetail[],
): string | undefined {
  const foreign = managers.filter(
    ({ manager, subresource }) => manager !== undefined && manager !== fieldManager && subresource !== 'status',
  );
  const ranked = foreign
    .map((entry) => ({
      manager: entry.manager,
      owns: Math.max(0, ...differences.map(({ path }) => depthOwned(entry.fieldsV1, path))),
      time: entry.time ?? '',
    }))
    .sort((a, b) => b.owns - a.owns || (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
  return ranked[0]?.manager;
}

/** How many steps of a JSON pointer the manager's fields go along; list items are named by keys there, so a list ends it. */
function depthOwned(fields: Fields | undefined, path: string): number {
  let at = fields;
  let depth = 0;
  for (const token of path.split('/').slice(1)) {
    at = at?.[`f:${token.replaceAll('~1', '/').replaceAll('~0', '~')}`];
    if (at === undefined) break;
    depth++;
  }
  return depth;
}
