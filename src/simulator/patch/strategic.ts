import { same } from '../fields/compare.ts';
import { any, type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';

/** Kubernetes' strategic merge patch: lists with a merge key are merged item by item. Throws on unsupported directives. */
export function strategicMerge(target: unknown, patch: unknown, schema: Schema): unknown {
  if (!isFields(patch)) return patch;
  return mergeMap(isFields(target) ? target : {}, patch, schema);
}

const isDirective = (key: string): boolean => key.startsWith('$');

function mergeMap(target: Fields, patch: Fields, schema: Schema): Fields {
  const directive = patch['$patch'];
  if (directive === 'replace') {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') {
    throw new Error(`Unknown patch type found: ${String(directive)}`);
  }
  const retain = patch['$retainKeys'];
  const out: Fields = Array.isArray(retain)
    ? Object.fromEntries(Object.entries(target).filter(([key]) => retain.includes(key)))
    : { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const name = key.slice('$deleteFromPrimitiveList/'.length);
      const gone = value as unknown[];
      if (Array.isArray(out[name])) out[name] = (out[name] as unknown[]).filter((item) => !gone.includes(item));
    }
  }
  for (const [key, value] of Object.entries(patch)) {
    if (isDirective(key)) continue;
    if (value === null) {
      delete out[key];
      continue;
    }
    const shape = fieldOf(schema, key) ?? any;
    const order = patch[`$setElementOrder/${key}`] as unknown[] | undefined;
    if (Array.isArray(value) && shape.mergeKey !== undefined) out[key] = mergeList(out[key], value, shape, order);
    else if (isFields(value)) out[key] = mergeMap(isFields(out[key]) ? out[key] : {}, value, shape);
    else out[key] = value;
  }
  for (const [key, order] of Object.entries(patch)) {
    const name = key.startsWith('$setElementOrder/') ? key.slice('$setElementOrder/'.length) : undefined;
    if (name === undefined || name in patch || !Array.isArray(out[name])) continue;
    const shape = fieldOf(schema, name);
    if (shape?.mergeKey !== undefined) out[name] = inOrder(out[name] as unknown[], order as unknown[], shape.mergeKey);
  }
  return out;
}

/** An empty merge key means a list of plain values that is merged as a set (finalizers). */
function mergeList(
  live: unknown,
  patch: readonly unknown[],
  schema: Schema,
  order: readonly unknown[] | undefined,
): unknown[] {
  const key = schema.mergeKey!;
  const old = Array.isArray(live) ? (live as unknown[]) : [];
  if (key === '') {
    const all = [...old, ...patch.filter((item) => !old.includes(item))];
    return order ? inOrder(all, order, key) : all;
  }
  if (patch.some((item) => isFields(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !(isFields(item) && item['$patch'] === 'replace'));
  }
  let out = [...old];
  for (const item of patch) {
    if (!isFields(item)) throw new Error(`expected an object in a list merged by ${key}`);
    if (item[key] === undefined)
      throw new Error(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = out.findIndex((candidate) => isFields(candidate) && same(candidate[key], item[key]));
    if (item['$patch'] === 'delete') {
      if (at >= 0) out = out.filter((_, position) => position !== at);
    } else if (at >= 0) out[at] = mergeMap(out[at] as Fields, item, itemOf(schema));
    else out.push(mergeMap({}, item, itemOf(schema)));
  }
  return order ? inOrder(out, order, key) : out;
}

/** Items in the given order; the others stay after the item that they followed. */
function inOrder(items: readonly unknown[], order: readonly unknown[], key: string): unknown[] {
  const name = (item: unknown): unknown => (key === '' ? item : isFields(item) ? item[key] : undefined);
  const rank = new Map(order.map((item, at) => [name(item), at]));
  let last = -1;
  const placed = items.map((item, at) => {
    const own = rank.get(name(item));
    if (own !== undefined) last = own;
    return { item, at, rank: own ?? last + 0.5 };
  });
  return placed.sort((a, b) => a.rank - b.rank || a.at - b.at).map(({ item }) => item);
}
