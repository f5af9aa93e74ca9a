/** Limit for all texts that identify known values, characters; beyond it the cache is cleared. */
const mostCharacters = 4 * 2 ** 20;

let known = new Map<string, object>();
let texts = new Map<string, string>();
let characters = 0;

/**
 * Returns the first of all equal values. Members hold many equal objects, and a thousand equal specs then use the memory of one.
 * Only for JSON values that are never changed in place.
 */
export function intern<T extends object>(value: T): T {
  const text = JSON.stringify(value);
  const same = known.get(text);
  if (same !== undefined) return same as T;
  count(text);
  known.set(text, value);
  return value;
}

/** The same for a text that is kept per member, such as the key of an object. */
export function internText(text: string): string {
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

/** A copy in which the named parts that are objects or lists are interned. */
export function internParts<T extends object>(object: T, names: readonly string[]): T {
  const copy = { ...object } as Record<string, unknown>;
  for (const name of names) {
    const part = copy[name];
    if (typeof part === 'object' && part !== null) copy[name] = intern(part);
  }
  return copy as T;
}
