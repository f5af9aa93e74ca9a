/**
 * The value that was read, with the parts of `made` that are the same: the record and the plan that wrote it are both kept, and most of
 * both is conditions. Same means the same members in the same order, so that nothing can tell which of the two it has.
 * `read` must be new, as its members are replaced in place.
 */
export function sharing<T>(read: T, made: unknown): T {
  if (typeof read !== 'object' || read === null || typeof made !== 'object' || made === null) return read;
  if (Array.isArray(read) !== Array.isArray(made)) return read;
  const [values, known] = [read as Values, made as Values];
  const keys = Object.keys(read);
  for (const key of keys) if (Object.hasOwn(known, key)) values[key] = sharing(values[key], known[key]);
  const others = Object.keys(made);
  const isSame =
    keys.length === others.length && keys.every((key, at) => key === others[at] && values[key] === known[key]);
  return isSame ? (made as T) : read;
}

type Values = Record<string, unknown>;
