import { type Fields, fieldOf, isFields, itemOf, type Schema } from '../schema/schema.ts';
import type { FieldSet } from './field-set.ts';
import { isWalkable } from './fields-of.ts';
import { isKeyed, stepOfItem } from './list-key.ts';

/** Merges `applied` into `live` (structured-merge-diff, Merge). Neither is changed. */
export function merge(live: unknown, applied: unknown, schema: Schema): unknown {
  if (live === undefined) return applied;
  if (applied === undefined) return live;
  if (isFields(live) && isFields(applied) && isWalkable(schema)) {
    const out: Fields = { ...live };
    for (const [key, value] of Object.entries(applied)) {
      const shape = fieldOf(schema, key);
      out[key] = shape ? merge(live[key], value, shape) : value;
    }
    return out;
  }
  if (Array.isArray(live) && Array.isArray(applied) && isKeyed(schema)) return mergeItems(live, applied, schema);
  return applied;
}

/** Items of both keep the order of `applied`; items only in `live` stay after the item that they followed. */
function mergeItems(live: readonly unknown[], applied: readonly unknown[], schema: Schema): unknown[] {
  const theirs = new Map(applied.map((item) => [stepOfItem(item, schema), item]));
  const mine = new Map(live.map((item) => [stepOfItem(item, schema), item]));
  const out: unknown[] = [];
  const left = [...mine];
  const takeForeign = () => {
    while (left.length > 0 && !theirs.has(left[0]![0])) out.push(left.shift()![1]);
  };
  takeForeign();
  for (const [step, item] of theirs) {
    const old = mine.get(step);
    out.push(schema.listType === 'set' ? item : merge(old, item, itemOf(schema)));
    if (left[0]?.[0] === step) {
      left.shift();
      takeForeign();
    }
  }
  for (const [step, item] of left) if (!theirs.has(step)) out.push(item);
  return out;
}

/**
 * Removes from `value` what is in `dropped` and not in `kept`. A container without remaining fields is removed too, unless `kept`
 * contains it (structured-merge-diff, prune).
 */
export function removeFields(value: unknown, dropped: FieldSet, kept: FieldSet | undefined, schema: Schema): unknown {
  if (isFields(value) && isWalkable(schema) && dropped.children.size > 0) {
    const out: Fields = {};
    let lost = false;
    for (const [key, item] of Object.entries(value)) {
      const shape = fieldOf(schema, key);
      const next = step(item, `f:${key}`, dropped, kept, shape);
      if (next === undefined) lost = true;
      else out[key] = next;
    }
    return lost && Object.keys(out).length === 0 && !kept?.self ? undefined : out;
  }
  if (Array.isArray(value) && isKeyed(schema) && dropped.children.size > 0) {
    const out = value.flatMap((item) => {
      const next = step(item, stepOfItem(item, schema), dropped, kept, itemOf(schema));
      return next === undefined ? [] : [next];
    });
    return out.length === 0 && value.length > 0 && !kept?.self ? undefined : out;
  }
  return value;
}

function step(
  item: unknown,
  name: string,
  dropped: FieldSet,
  kept: FieldSet | undefined,
  shape: Schema | undefined,
): unknown {
  const drop = dropped.children.get(name);
  if (!drop || !shape) return item;
  const keep = kept?.children.get(name);
  if (drop.self && !keep) return undefined;
  return removeFields(item, drop, keep, shape);
}
