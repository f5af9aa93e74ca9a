/** The fields of an object by name, of whatever types they are. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value that anybody may have written has fields: neither a list nor null. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
