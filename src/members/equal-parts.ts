/** Texts that stand for known values may have so many characters in all; then everything is forgotten and learned anew. */
const mostCharacters = 4 * 2 ** 20;

const known = new Map<string, object>();
let characters = 0;

/**
 * The value that was first seen among those that say the same: the members of a fleet hold much the same objects, and a
 * thousand equal specs then take the memory of one. For JSON values that nobody changes in place.
 */
export function oneOfEqual<T extends object>(value: T): T {
  const text = JSON.stringify(value);
  const same = known.get(text);
  if (same !== undefined) return same as T;
  characters += text.length;
  if (characters > mostCharacters) {
    known.clear();
    characters = text.length;
  }
  known.set(text, value);
  return value;
}

/** A copy whose named members, where they are objects or lists, are those of all equal ones. */
export function sharingParts<T extends object>(object: T, names: readonly string[]): T {
  const copy = { ...object } as Record<string, unknown>;
  for (const name of names) {
    const part = copy[name];
    if (typeof part === 'object' && part !== null) copy[name] = oneOfEqual(part);
  }
  return copy as T;
}
