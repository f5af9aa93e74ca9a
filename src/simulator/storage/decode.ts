import { repeatedItems } from '../fields/list-key.ts';
import { type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import { canonicalQuantity } from './quantity.ts';

export interface Decoded {
  readonly object: Fields;
  /** Paths that the schema does not know: `spec.replica`, `spec.template.spec.containers[0].imagee`. They are removed from `object`. */
  readonly unknown: readonly string[];
  /** Duplicate items of a set or keyed list, by their key. */
  readonly repeated: readonly { readonly path: string; readonly key: unknown }[];
  /** Items of a keyed list without a key that has no default. */
  readonly keyless: readonly { readonly path: string; readonly index: number; readonly key: string }[];
  /** Values of a wrong type. */
  readonly wrong: readonly { readonly path: string; readonly want: string; readonly value: unknown }[];
}

/** Decodes a body by the schema: null is absent, quantities take their canonical form, unknown fields are dropped. */
export function decode(body: Fields, schema: Schema): Decoded {
  const unknown: string[] = [];
  const repeated: { path: string; key: unknown }[] = [];
  const keyless: { path: string; index: number; key: string }[] = [];
  const wrong: { path: string; want: string; value: unknown }[] = [];

  function walk(value: unknown, shape: Schema, path: string): unknown {
    const mistaken = (want: string): unknown => {
      wrong.push({ path, want, value });
      return value;
    };
    switch (shape.type) {
      case 'any':
        return value;
      case 'string':
        if (typeof value !== 'string') return mistaken('string');
        return shape.format === undefined || (formats[shape.format]?.(value) ?? true) ? value : mistaken(shape.format);
      case 'integer':
        return typeof value === 'number' && Number.isInteger(value) ? value : mistaken('integer');
      case 'number':
        return typeof value === 'number' ? value : mistaken('number');
      case 'boolean':
        return typeof value === 'boolean' ? value : mistaken('boolean');
      case 'intOrString':
        return typeof value === 'string' || Number.isInteger(value) ? value : mistaken('integer or string');
      case 'quantity':
        return canonicalQuantity(value) ?? mistaken('quantity');
      case 'list':
        if (!Array.isArray(value)) return mistaken('array');
        for (const [, key] of repeatedItems(value, shape)) repeated.push({ path, key });
        if (shape.listType === 'map') keyless.push(...withoutKey(value, shape).map((item) => ({ path, ...item })));
        return value.map((item, at) => walk(item, itemOf(shape), `${path}[${at}]`));
      case 'map':
      case 'object':
        return isFields(value) ? fields(value, shape, path) : mistaken('object');
      default:
        return value;
    }
  }

  function fields(value: Fields, shape: Schema, path: string): Fields {
    const out: Fields = {};
    for (const [key, item] of Object.entries(value)) {
      const below = path === '' ? key : `${path}.${key}`;
      const child = fieldOf(shape, key);
      if (!child) {
        unknown.push(below);
        continue;
      }
      if (item === null && child.type !== 'any' && !child.nullable) {
        // kubectl writes manifests with a null creation timestamp, which stays until the server sets it.
        continue;
      }
      out[key] = item === null ? null : walk(item, child, below);
    }
    return out;
  }

  return { object: fields(body, schema, ''), unknown, repeated, keyless, wrong };
}

/** Patterns of string formats; other formats are not checked. */
const formats: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => {
    const plain = text.replace(/[\r\n]/g, '');
    return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
  },
  'date-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text),
  'micro-time': (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/.test(text),
};

const withoutKey = (items: readonly unknown[], shape: Schema): { index: number; key: string }[] =>
  items.flatMap((item, index) =>
    (shape.keys ?? [])
      .filter((key) => isFields(item) && item[key] === undefined && fieldOf(itemOf(shape), key)?.default === undefined)
      .map((key) => ({ index, key })),
  );
