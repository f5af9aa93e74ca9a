import { fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import { type FieldSet, noFields, thisField } from './field-set.ts';
import { isKeyed, stepOfItem } from './list-key.ts';

/**
 * The fields of a value that its applier owns (structured-merge-diff, ToFieldSet). With `containers` also the maps and lists themselves, as
 * for who writes them otherwise; not a list that its object requires, which Go has even in an empty object.
 */
export function fieldsOf(value: unknown, schema: Schema, containers = false): FieldSet {
  if (isFields(value) && isWalkable(schema)) {
    const children = new Map<string, FieldSet>();
    for (const [key, item] of Object.entries(value)) {
      const shape = fieldOf(schema, key);
      if (!shape) continue;
      const below = fieldsOf(item, shape, containers);
      const empty = item === null || (isFields(item) && Object.keys(item).length === 0);
      const self =
        empty || isMapLike(schema, key) || (below.self && !(isKeyed(shape) && schema.required?.includes(key)));
      const child = { self, children: below.children };
      if (child.self || child.children.size > 0) children.set(`f:${key}`, child);
    }
    return { self: containers && schema.type !== 'object', children };
  }
  if (Array.isArray(value) && isKeyed(schema)) {
    const children = new Map<string, FieldSet>();
    for (const item of value) {
      const below = schema.listType === 'set' ? noFields : fieldsOf(item, itemOf(schema), containers);
      children.set(stepOfItem(item, schema), { self: true, children: below.children });
    }
    return { self: containers, children };
  }
  return thisField;
}

/** Objects and maps that are owned field by field. */
export const isWalkable = (schema: Schema): boolean =>
  !schema.atomic && (schema.type === 'object' || schema.type === 'map' || schema.type === 'any');

/** Keys of maps are owned themselves; fields of objects are only paths to the fields below. */
const isMapLike = (schema: Schema, key: string): boolean =>
  schema.type === 'map' || schema.type === 'any' || (schema.open === true && !schema.fields?.[key]);
