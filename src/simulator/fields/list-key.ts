import { isFields, itemOf, type Schema } from '../schema/schema.ts';

/** How an item of a set or keyed list is named in a field set; key fields left out count with their defaults. */
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

/** Lists whose items have owners of their own. Lists in unknown values are owned as a whole. */
export const isKeyed = (schema: Schema): boolean =>
  schema.type === 'list' && (schema.listType === 'map' || schema.listType === 'set');

/** Items of a set or keyed list that stand in it twice, as index and key. */
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
