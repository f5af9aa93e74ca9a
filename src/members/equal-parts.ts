/** Texts that stand for known values may have so many characters in all; then everything is forgotten and learned anew. */
const mostCharacters = 4 * 2 ** 20;

let known = new Map<string, object>();
let texts = new Map<string, string>();
let characters = 0;

/**
 * The value that was first seen among those that say the same: the members of a fleet hold much the same objects, and a
 * thousand equal specs then take the memory of one. For JSON values that nobody changes in place.
 */
export function oneOfEqual<T extends object>(value: T): T {
  const text = JSON.stringify(value);
  const same = known.get(text);
  if (same !== undefined) return same as T;
  count(text);
  known.set(text, value);
  return value;
}

/** The same for a text that is kept for each member, as the key of an object is. */
export function oneText(text: string): string {
  const same = texts.get(text);
  if (same !== undefined) return same;
  count(text);
  texts.set(text, text);
  return text;
}

function count({ length }: string): void {
  characters += length;
  if (characters <= mostCharacters) return;
  known = new Map();
  texts = new Map();
  characters = length;
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
