import type { Fields } from './schema/schema.ts';

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface Metadata extends Fields {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** A stored object. Never changed in place, since watchers and lists share it. */
export interface Stored extends Fields {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

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
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Fields) : {};
};
