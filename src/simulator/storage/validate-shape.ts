import {
  duplicateField,
  invalidField,
  requiredField,
  type StatusCause,
  unsupportedField,
} from '../../engine/server-rules/cause.ts';
import { repeatedItems } from '../fields/list-key.ts';
import type { Kind } from '../kinds/kind.ts';
import { type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';

/** Validation errors by the schema alone: required fields, enums, and for custom resources lengths, bounds and patterns. */
export function shapeCauses(object: Fields, kind: Kind): StatusCause[] {
  const causes: StatusCause[] = [];
  walk(object, kind.schema, '');
  return causes;

  function walk(value: unknown, schema: Schema, path: string): void {
    if (value === null && schema.nullable) return;
    if (schema.enum && !schema.enum.includes(value)) causes.push(unsupportedField(path, value, schema.enum));
    if (isFields(value)) {
      if (path === 'metadata' && !kind.custom) return;
      for (const name of schema.required ?? []) {
        // An empty object counts as present, since it may have a meaning. So does an empty string in a custom resource.
        if (value[name] === undefined || (value[name] === '' && !kind.custom))
          causes.push(requiredField(path === '' ? name : `${path}.${name}`));
      }
      for (const [key, item] of Object.entries(value)) {
        const child = fieldOf(schema, key);
        if (child) walk(item, child, path === '' ? key : `${path}.${key}`);
      }
    } else if (Array.isArray(value)) {
      if (schema.minItems !== undefined && value.length < schema.minItems)
        causes.push(invalidField(path, value.length, `${path} in body should have at least ${schema.minItems} items`));
      if (schema.maxItems !== undefined && value.length > schema.maxItems)
        causes.push({
          reason: 'FieldValueTooMany',
          message: `Too many: ${value.length}: must have at most ${schema.maxItems} items`,
          field: path,
        });
      if (kind.custom)
        for (const [index, key] of repeatedItems(value, schema)) causes.push(duplicateField(`${path}[${index}]`, key));
      for (const [index, item] of value.entries()) walk(item, itemOf(schema), `${path}[${index}]`);
    } else if (kind.custom) bounds(value, schema, path);
  }

  function bounds(value: unknown, schema: Schema, path: string): void {
    const wrong = (why: string) => causes.push(invalidField(path, value, `${path} in body ${why}`));
    if (typeof value === 'number') {
      if (schema.minimum !== undefined && value < schema.minimum)
        wrong(`should be greater than or equal to ${schema.minimum}`);
      if (schema.maximum !== undefined && value > schema.maximum)
        wrong(`should be less than or equal to ${schema.maximum}`);
    }
    if (typeof value === 'string') {
      if (schema.minLength !== undefined && value.length < schema.minLength)
        wrong(`should be at least ${schema.minLength} chars long`);
      if (schema.maxLength !== undefined && value.length > schema.maxLength)
        causes.push({
          reason: 'FieldValueTooLong',
          message: `Too long: may not be more than ${schema.maxLength} bytes`,
          field: path,
        });
      if (schema.pattern !== undefined && patternOf(schema.pattern)?.test(value) === false)
        wrong(`should match '${schema.pattern}'`);
    }
  }
}

/** Patterns are written for Go. Patterns that JavaScript cannot parse are not checked. */
function patternOf(text: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(text, flags);
    } catch {
      // The strict flag first: only with it a character beyond 16 bits counts as one.
    }
  }
  return undefined;
}
