import { isFields } from '../../engine/kernel/fields.ts';

type Path = readonly string[];

/** A field of an object as a server sent it; undefined where any of it is not there. */
export const fieldAt = (object: unknown, ...path: Path): unknown =>
  path.reduce<unknown>((at, key) => (isFields(at) ? at[key] : undefined), object);

export function textAt(object: unknown, ...path: Path): string | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberAt(object: unknown, ...path: Path): number | undefined {
  const value = fieldAt(object, ...path);
  return typeof value === 'number' ? value : undefined;
}

export function listAt(object: unknown, ...path: Path): readonly unknown[] {
  const value = fieldAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The condition of a type. */
export const conditionOf = (object: unknown, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);

export const conditionIs = (object: unknown, type: string, status: 'True' | 'False'): boolean =>
  textAt(conditionOf(object, type), 'status') === status;
