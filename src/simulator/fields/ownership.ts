import type { Fields, Schema } from '../schema/schema.ts';
import { compare, same } from './compare.ts';
import { difference, type FieldSet, intersection, isEmpty, noFields, pathsOf, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { isSameManager, type Manager, readManagers, sameManagers, writeManagers } from './managed-fields.ts';
import { merge, removeFields } from './merge.ts';

export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  readonly time: string;
}

export interface Conflict {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly time: string;
  readonly field: string;
}

export type Owned =
  | { readonly kind: 'done'; readonly object: Fields }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] };

/** Fields without owners: they identify the object, or the server writes them (apiserver, stripmeta.go). */
const unownable: FieldSet = fieldsOf(
  {
    apiVersion: '',
    kind: '',
    metadata: {
      name: '',
      namespace: '',
      uid: '',
      resourceVersion: '',
      generation: 0,
      creationTimestamp: '',
      selfLink: '',
      managedFields: [],
      deletionTimestamp: '',
      deletionGracePeriodSeconds: 0,
    },
  },
  { type: 'any' },
);
const strip = (set: FieldSet): FieldSet => {
  const rest = difference(set, unownable);
  const metadata = rest.children.get('f:metadata');
  if (metadata && isEmpty({ ...metadata, self: false })) {
    const children = new Map(rest.children);
    children.delete('f:metadata');
    return { self: false, children };
  }
  return { self: false, children: rest.children };
};

/**
 * Server-side apply: merges `applied` into `live`, removes fields that this manager applied before and no longer has, and updates
 * ownership. A change of a field of another manager is a conflict unless `force`.
 */
export function applyFields(input: {
  readonly live: Fields | undefined;
  readonly applied: Fields;
  readonly schema: Schema;
  readonly writer: Writer;
  readonly force: boolean;
  /** Runs on the merged object before owners are settled: defaults, and resets fields that the endpoint may not write. */
  readonly finish: (merged: Fields) => Fields;
}): Owned {
  const { live, applied, schema, writer } = input;
  const managers = startingManagers(live, schema);
  const me = identity(writer, 'Apply');
  const mine = managers.find((manager) => isSameManager(manager, me));
  const others = managers.filter((manager) => manager !== mine);
  const named = strip(fieldsOf(applied, schema));

  let merged = merge(withoutManaged(live), withoutManaged(applied), schema) as Fields;
  if (mine) {
    const kept = others.reduce((sum, { fields }) => union(sum, fields), named);
    merged = (removeFields(merged, difference(mine.fields, named), kept, schema) as Fields | undefined) ?? merged;
  }
  merged = input.finish(merged);

  const change = compare(withoutManaged(live) ?? {}, merged, schema);
  const touched = union(change.modified, change.added);
  const conflicts = others.flatMap((other) =>
    pathsOf(intersection(other.fields, touched)).map((field) => conflictWith(other, field)),
  );
  if (conflicts.length > 0 && !input.force) return { kind: 'conflict', conflicts };
  const rest = others.map((other) => ({
    ...other,
    fields: difference(difference(other.fields, intersection(other.fields, touched)), change.removed),
  }));
  const after: Manager[] = [...rest, { ...me, fields: named }].filter(({ fields }) => !isEmpty(fields));
  return { kind: 'done', object: settle(live, merged, managers, after) };
}

/** Ownership after a create, update or patch: the writer owns what it changed; removed fields have no owner. */
export function updateFields(input: {
  readonly live: Fields | undefined;
  readonly next: Fields;
  readonly schema: Schema;
  readonly writer: Writer;
}): Fields {
  const { live, next, schema, writer } = input;
  const wiped = isWiped(next);
  const managers = wiped ? [] : readManagers((live?.['metadata'] as Fields | undefined)?.['managedFields']);
  const me = identity(writer, 'Update');
  const change = compare(withoutManaged(live) ?? {}, withoutManaged(next)!, schema);
  const touched = strip(union(change.modified, change.added));
  const mine = managers.find((manager) => isSameManager(manager, me));
  const rest = managers
    .filter((manager) => manager !== mine)
    .map((manager) => ({
      ...manager,
      fields: difference(difference(manager.fields, touched), change.removed),
    }));
  const fields = union(difference(mine?.fields ?? noFields, change.removed), touched);
  const own = mine && isEmpty(touched) ? { ...mine, fields } : { ...me, fields };
  const after = [...rest, own].filter((manager) => !isEmpty(manager.fields));
  return settle(wiped ? undefined : live, withoutManaged(next)!, managers, after);
}

/** `managedFields: [{}]` is how a client removes all ownership from an object. */
const isWiped = (next: Fields): boolean => {
  const sent = (next['metadata'] as Fields | undefined)?.['managedFields'];
  return Array.isArray(sent) && sent.length === 1 && Object.keys(sent[0] as object).length === 0;
};

/** An object without owners counts as owned by its creator, so that the first apply can conflict. */
function startingManagers(live: Fields | undefined, schema: Schema): Manager[] {
  if (!live) return [];
  const managers = readManagers((live['metadata'] as Fields | undefined)?.['managedFields']);
  if (managers.length > 0) return managers;
  const fields = strip(fieldsOf(withoutManaged(live), schema));
  const apiVersion = String(live['apiVersion']);
  const time = String((live['metadata'] as Fields)['creationTimestamp'] ?? '');
  return [{ manager: 'before-first-apply', operation: 'Update', apiVersion, time, fields }];
}

const identity = (writer: Writer, operation: Manager['operation']): Omit<Manager, 'fields'> => ({
  manager: writer.manager,
  operation,
  apiVersion: writer.apiVersion,
  ...(writer.subresource === undefined ? {} : { subresource: writer.subresource }),
  time: writer.time,
});

/** Times change only with the ownership, so that a repeated apply changes nothing. */
function settle(live: Fields | undefined, next: Fields, before: readonly Manager[], after: readonly Manager[]): Fields {
  const unchanged = sameManagers(before, after);
  const written = writeManagers(
    unchanged && live && same(withoutManaged(live), withoutManaged(next))
      ? before
      : after.map((manager) => {
          const old = before.find((candidate) => isSameManager(candidate, manager));
          return old && sameManagers([old], [manager]) ? old : manager;
        }),
  );
  const metadata = next['metadata'] as Fields;
  return { ...next, metadata: written.length > 0 ? { ...metadata, managedFields: written } : metadata };
}

function withoutManaged(object: Fields | undefined): Fields | undefined {
  if (!object) return undefined;
  const metadata = object['metadata'] as Fields | undefined;
  if (!metadata || !('managedFields' in metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

const conflictWith = (other: Manager, field: string): Conflict => ({
  manager: other.manager,
  operation: other.operation,
  apiVersion: other.apiVersion,
  ...(other.subresource === undefined ? {} : { subresource: other.subresource }),
  time: other.time,
  field,
});
