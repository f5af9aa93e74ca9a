import { type FieldSet, fromFieldsV1, isEmpty, sameFields, toFieldsV1 } from './field-set.ts';

/** One owner of fields, as `metadata.managedFields` lists it. */
export interface Manager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly time: string;
  readonly fields: FieldSet;
}

interface Entry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

export function readManagers(managedFields: unknown): Manager[] {
  return ((managedFields ?? []) as readonly Entry[]).map((entry) => ({
    manager: entry.manager ?? '',
    operation: entry.operation ?? 'Update',
    apiVersion: entry.apiVersion ?? '',
    ...(entry.subresource ? { subresource: entry.subresource } : {}),
    time: entry.time ?? '',
    fields: fromFieldsV1(entry.fieldsV1),
  }));
}

/** Omits managers that own nothing; Apply comes before Update, then the older first. */
export function writeManagers(managers: readonly Manager[]): unknown[] {
  return managers
    .filter(({ fields }) => !isEmpty(fields))
    .sort((a, b) => byText(a.operation, b.operation) || byText(a.time, b.time) || byText(a.manager, b.manager))
    .map(({ fields, subresource, ...entry }) => ({
      manager: entry.manager,
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      time: entry.time,
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(fields),
      ...(subresource === undefined ? {} : { subresource }),
    }));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type Identity = Pick<Manager, 'manager' | 'operation' | 'subresource'>;
export const isSameManager = (a: Identity, b: Identity): boolean =>
  a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;

/** Whether both lists have the same owners of the same fields, regardless of times. */
export const sameManagers = (a: readonly Manager[], b: readonly Manager[]): boolean =>
  a.length === b.length &&
  a.every((one) => {
    const other = b.find((candidate) => isSameManager(candidate, one) && candidate.apiVersion === one.apiVersion);
    return other !== undefined && sameFields(one.fields, other.fields);
  });
