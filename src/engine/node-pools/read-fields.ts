import type { Condition } from '../../api/meta.ts';
import { type Fields, isFields } from '../kernel/fields.ts';

const nothing: Fields = {};

/** The object under a path; an empty one where there is none. Objects of clusters may have any shape. */
export function fieldsAt(value: unknown, ...path: readonly string[]): Fields {
  const found = valueAt(value, path);
  return isFields(found) ? found : nothing;
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** Undefined for anything but a text. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = valueAt(value, path);
  return typeof found === 'number' ? found : undefined;
}

/** The entries of a map that are texts. */
export function textsAt(value: unknown, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = fieldsAt(value, ...path);
  for (const item of Object.values(found)) if (typeof item !== 'string') return onlyTexts(found);
  return found as Readonly<Record<string, string>>;
}

const onlyTexts = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), value);

/** Status of a condition; undefined if there is none. */
export const conditionAt = (value: unknown, type: string): Fields | undefined =>
  listAt(value, 'status', 'conditions').find((item): item is Fields => textAt(item, 'type') === type);

export const isTrueAt = (value: unknown, type: string): boolean => conditionAt(value, type)?.['status'] === 'True';

/** The conditions of an object of a cluster that have a type and a status. */
export const conditionsOf = (value: unknown): readonly Condition[] =>
  listAt(value, 'status', 'conditions').filter(
    (item): item is Condition => textAt(item, 'type') !== undefined && textAt(item, 'status') !== undefined,
  );
