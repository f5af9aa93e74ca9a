import { nearest } from '../../api/syntax.ts';

/** Why an API server refuses an object, as it answers. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/**
 * `why`: the reason alone, without the value, which may be secret. `fix`: what to write instead. `choices`: all values that the field
 * takes in every version of Kubernetes, and the object has another one.
 */
export interface Cause extends StatusCause {
  readonly field: string;
  readonly choices?: readonly string[];
  readonly why: string;
  readonly fix?: string;
}

/** `fix`: where it is not the field itself that is to be added. */
export const requiredField = (field: string, more = '', fix?: string): Cause => ({
  reason: 'FieldValueRequired',
  why: more,
  ...(fix !== undefined && { fix }),
  message: more === '' ? 'Required value' : `Required value: ${more}`,
  field,
});
export const invalidField = (field: string, value: unknown, why: string, fix?: string): Cause => ({
  reason: 'FieldValueInvalid',
  why,
  ...(fix !== undefined && { fix }),
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});
export const forbiddenField = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  why,
  message: `Forbidden: ${why}`,
  field,
});
export const unsupportedField = (field: string, value: unknown, supported: readonly unknown[]): Cause => ({
  reason: 'FieldValueNotSupported',
  why: `must be one of ${supported.join(', ')}`,
  fix: choiceFix(value, supported),
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
  field,
});
const choiceFix = (value: unknown, supported: readonly unknown[]): string => {
  const texts = supported.map(String);
  const like = typeof value === 'string' && value !== '' ? nearest(value, texts) : undefined;
  return like === undefined ? `write ${texts.join(' or ')}` : `did you mean ${like}?`;
};
/** A choice that no version of Kubernetes adds to. */
export const notAmong = (field: string, value: unknown, choices: readonly string[]): Cause => ({
  ...unsupportedField(field, value, choices),
  choices,
});
export const tooLong = (field: string, most: number, fix: string): Cause => ({
  reason: 'FieldValueTooLong',
  why: `may not be more than ${most} bytes`,
  fix,
  message: `Too long: may not be more than ${most} bytes`,
  field,
});
export const duplicateField = (field: string, value: unknown): Cause => ({
  reason: 'FieldValueDuplicate',
  why: 'occurs twice',
  fix: 'keep one of them',
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});

/** A kind as far as rules depend on it. `custom`: of a CustomResourceDefinition. */
export interface RuledKind {
  readonly group: string;
  readonly kind: string;
  readonly custom: boolean;
}
