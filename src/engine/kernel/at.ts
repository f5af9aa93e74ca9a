import { type Fields, isFields } from './fields.ts';

/** The value at a path of an object, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const step of path) here = (here as Record<string | number, unknown> | null | undefined)?.[step];
  return here;
}

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string => {
  const found = at(value, ...path);
  return found === undefined || found === null ? '' : String(found);
};
export const numberAt = (value: unknown, ...path: readonly (string | number)[]): number => {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
};
export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
export const fieldsAt = (value: unknown, ...path: readonly (string | number)[]): Fields => {
  const found = at(value, ...path);
  return isFields(found) ? found : {};
};
