import { fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import { type FieldSet, isEmpty, noFields, thisField, union } from './field-set.ts';
import { fieldsOf, isWalkable } from './fields-of.ts';
import { isKeyed, stepOfItem } from './list-key.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const nothing: Comparison = { added: noFields, modified: noFields, removed: noFields };
const isSame = (c: Comparison): boolean => isEmpty(c.added) && isEmpty(c.modified) && isEmpty(c.removed);

/** The fields that are added, changed and removed from `before` to `after` (structured-merge-diff, Compare). */
export function compare(before: unknown, after: unknown, schema: Schema): Comparison {
  if (before === after) return nothing;
  if (before === undefined) return { ...nothing, added: whole(after, schema) };
  if (after === undefined) return { ...nothing, removed: whole(before, schema) };
  if (isFields(before) && isFields(after) && isWalkable(schema)) {
    const parts = new Map<string, Comparison>();
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const shape = fieldOf(schema, key);
      if (shape) parts.set(`f:${key}`, compare(before[key], after[key], shape));
    }
    return join(parts);
  }
  if (Array.isArray(before) && Array.isArray(after) && isKeyed(schema)) {
    const old = byStep(before, schema);
    const young = byStep(after, schema);
    const parts = new Map<string, Comparison>();
    for (const step of new Set([...old.keys(), ...young.keys()])) {
      const a = old.get(step);
      const b = young.get(step);
      if (schema.listType === 'set') {
        if (a === undefined) parts.set(step, { ...nothing, added: thisField });
        else if (b === undefined) parts.set(step, { ...nothing, removed: thisField });
      } else {
        const part = compare(a, b, itemOf(schema));
        if (a === undefined) parts.set(step, { ...part, added: union(part.added, thisField) });
        else if (b === undefined) parts.set(step, { ...part, removed: union(part.removed, thisField) });
        else parts.set(step, part);
      }
    }
    return join(parts);
  }
  return same(before, after) ? nothing : { ...nothing, modified: thisField };
}

/** The fields of an added or removed value, with each map and list in it, and itself unless it is an object with fields. */
function whole(value: unknown, schema: Schema): FieldSet {
  const below = fieldsOf(value, schema, true);
  const object = schema.type === 'object' && below.children.size > 0;
  return object ? below : { self: true, children: below.children };
}

function byStep(items: readonly unknown[], schema: Schema): Map<string, unknown> {
  return new Map(items.map((item) => [stepOfItem(item, schema), item]));
}

function join(parts: ReadonlyMap<string, Comparison>): Comparison {
  const added = new Map<string, FieldSet>();
  const modified = new Map<string, FieldSet>();
  const removed = new Map<string, FieldSet>();
  for (const [step, part] of parts) {
    if (isSame(part)) continue;
    if (!isEmpty(part.added)) added.set(step, part.added);
    if (!isEmpty(part.modified)) modified.set(step, part.modified);
    if (!isEmpty(part.removed)) removed.set(step, part.removed);
  }
  const set = (children: Map<string, FieldSet>): FieldSet => ({ self: false, children });
  return { added: set(added), modified: set(modified), removed: set(removed) };
}

/** Deep equality of JSON values. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => same(item, b[at]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => key in b && same(a[key], b[key]));
}
