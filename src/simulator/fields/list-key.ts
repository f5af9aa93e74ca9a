import { isFields, itemOf, type Schema } from '../schema/schema.ts';

/** The key of an item of a set or keyed list in a field set; missing key fields have their defaults. */
export function stepOfItem(item: unknown, schema: Schema): string {
  if (schema.listType === 'set') return `v:${JSON.stringify(item)}`;
  const fields = isFields(item) ? item : {};
  const key: Record<string, unknown> = {};
  for (const name of [...(schema.keys ?? [])].sort()) {
    const value = fields[name] ?? itemOf(schema).fields?.[name]?.default;
    if (value !== undefined) key[name] = value;
  }
  return `k:${JSON.stringify(key)}`;
}

/** Lists whose items are owned one by one. Lists in unknown values are owned as a whole. */
export const isKeyed = (schema: Schema): boolean =>
  schema.type === 'list' && (schema.listType === 'map' || schema.listType === 'set');

/** Duplicate items of a set or keyed list, as index and key. */
export function repeatedItems(items: readonly unknown[], schema: Schema): [number, unknown][] {
  if (!isKeyed(schema)) return [];
  const seen = new Set<string>();
  return items.flatMap((item, index): [number, unknown][] => {
    const step = stepOfItem(item, schema);
    if (seen.has(step)) return [[index, JSON.parse(step.slice(2))]];
    seen.add(step);
    return [];
  });
}
