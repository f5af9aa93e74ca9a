/** Why an API server refuses an object, as it answers. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export const requiredField = (field: string, more = ''): StatusCause => ({
  reason: 'FieldValueRequired',
  message: more === '' ? 'Required value' : `Required value: ${more}`,
  field,
});
export const invalidField = (field: string, value: unknown, why: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});
export const forbiddenField = (field: string, why: string): StatusCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});
export const unsupportedField = (field: string, value: unknown, supported: readonly unknown[]): StatusCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`,
  field,
});
export const duplicateField = (field: string, value: unknown): StatusCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});

/** A kind as far as rules depend on it. `custom`: of a CustomResourceDefinition. */
export interface RuledKind {
  readonly group: string;
  readonly kind: string;
  readonly custom: boolean;
}
