/** The fields of an object by name, of any types. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value of unknown origin is an object: neither a list nor null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
