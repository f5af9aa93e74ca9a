import { fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import { type FieldSet, noFields, thisField } from './field-set.ts';
import { isKeyed, stepOfItem } from './list-key.ts';

/** The fields of a value that its applier owns (structured-merge-diff, ToFieldSet). */
export function fieldsOf(value: unknown, schema: Schema): FieldSet {
  if (isFields(value) && isWalkable(schema)) {
    const children = new Map<string, FieldSet>();
    for (const [key, item] of Object.entries(value)) {
      const shape = fieldOf(schema, key);
      if (!shape) continue;
      const below = fieldsOf(item, shape);
      const empty = item === null || (isFields(item) && Object.keys(item).length === 0);
      const child = empty || isMapLike(schema, key) ? { self: true, children: below.children } : below;
      if (child.self || child.children.size > 0) children.set(`f:${key}`, child);
    }
    return { self: false, children };
  }
  if (Array.isArray(value) && isKeyed(schema)) {
    const children = new Map<string, FieldSet>();
    for (const item of value) {
      const below = schema.listType === 'set' ? noFields : fieldsOf(item, itemOf(schema));
      children.set(stepOfItem(item, schema), { self: true, children: below.children });
    }
    return { self: false, children };
  }
  return thisField;
}

/** Objects and maps that are owned field by field. */
export const isWalkable = (schema: Schema): boolean =>
  !schema.atomic && (schema.type === 'object' || schema.type === 'map' || schema.type === 'any');

/** Keys of maps are owned themselves; fields of objects are only paths to the fields below. */
const isMapLike = (schema: Schema, key: string): boolean =>
  schema.type === 'map' || schema.type === 'any' || (schema.open === true && !schema.fields?.[key]);
