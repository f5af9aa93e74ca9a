import type { Manifest } from '../../api/meta.ts';
import type { PatchDetail } from '../../api/placement.ts';
import { pointerTokens } from '../../engine/kernel/json-pointer.ts';

/** Our name in `metadata.managedFields`. */
export const fieldManager = 'gitfleet';

/** Who owns which fields of an object; an entry of `metadata.managedFields`. */
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

/** Empty if the object has no `metadata.managedFields`. */
export const managersOf = (object: Manifest): readonly FieldManager[] =>
  (object.metadata['managedFields'] ?? []) as readonly FieldManager[];

/** The object without `managedFields`, which are often most of its size in memory. */
export function withoutManagers(object: Manifest): Manifest {
  if (object.metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata } as Manifest;
}

/**
 * The foreign manager that most likely made the differences: the one that owns them most exactly, of several the last. Managers
 * that only write status are ignored. Undefined if there is no foreign manager, and for values that none of them owns: the server
 * sets defaults and normalizes. A removed field has no owner.
 */
export function foreignManager(
  managers: readonly FieldManager[],
  differences: readonly PatchDetail[],
): string | undefined {
  const isThere = differences.length > 0 && differences.every(({ valueInMember }) => valueInMember !== undefined);
  const ranked = managers
    .filter(({ manager, subresource }) => manager !== undefined && manager !== fieldManager && subresource !== 'status')
    .map(({ manager, fieldsV1, time = '' }) => {
      const owned = differences.map(({ path }) => depthOwned(fieldsV1, path));
      return {
        manager,
        mayHave: !isThere || owned.some(({ whole }) => whole),
        depth: Math.max(0, ...owned.map(({ depth }) => depth)),
        time,
      };
    })
    .filter(({ mayHave }) => mayHave)
    .sort((a, b) => b.depth - a.depth || (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
  return ranked[0]?.manager;
}

/**
 * How many steps of a JSON pointer the manager's fields cover, and whether that is as far as managedFields can show: a list ends
 * it, since its items have keys there, and so does a value that is owned as a whole.
 */
function depthOwned(fields: Fields | undefined, path: string): { readonly depth: number; readonly whole: boolean } {
  let at = fields ?? {};
  let depth = 0;
  const tokens = pointerTokens(path);
  for (const token of tokens) {
    const below = at[`f:${token}`];
    if (!below) break;
    at = below;
    depth++;
  }
  const isLeaf = depth > 0 && Object.keys(at).length === 0;
  return { depth, whole: isLeaf || depth === tokens.length || /^\d+$/.test(tokens[depth]!) };
}
