import { type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';

/** `value` with missing defaults of the schema. The same value if none is missing. */
export function withDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    if (schema.type !== 'list') return value;
    let changed = false;
    const out = value.map((item) => {
      const next = withDefaults(item, itemOf(schema));
      changed ||= next !== item;
      return next;
    });
    return changed ? out : value;
  }
  if (!isFields(value)) return value;
  let out: Fields | undefined;
  if (schema.type === 'object') {
    for (const [key, shape] of Object.entries(schema.fields ?? {})) {
      if (shape.default === undefined || value[key] !== undefined) continue;
      out ??= { ...value };
      out[key] = withDefaults(shape.default, shape);
    }
  }
  for (const [key, item] of Object.entries(value)) {
    const shape = fieldOf(schema, key);
    const next = shape ? withDefaults(item, shape) : item;
    if (next === item) continue;
    out ??= { ...value };
    out[key] = next;
  }
  return out ?? value;
}
