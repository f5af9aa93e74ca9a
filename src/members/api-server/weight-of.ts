/** What V8 takes for an object or a list, for an entry of it, and for a text besides its characters. */
const containerBytes = 64;
const entryBytes = 16;
const textBytes = 16;
/** Longer keys count in full: objects of one kind share the others. */
const usualKey = 64;

/** About as much memory as a JSON value takes, bytes; undefined when it is nested deeper than `levels`. */
export function weightOf(value: unknown, levels: number): number | undefined {
  if (typeof value === 'string') return textBytes + bytesOf(value);
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return undefined;
  let bytes = containerBytes;
  if (Array.isArray(value)) {
    for (const entry of value) {
      const part = weightOf(entry, levels - 1);
      if (part === undefined) return undefined;
      bytes += entryBytes + part;
    }
    return bytes;
  }
  for (const key in value) {
    const part = weightOf((value as Readonly<Record<string, unknown>>)[key], levels - 1);
    if (part === undefined) return undefined;
    bytes += entryBytes + part + (key.length > usualKey ? textBytes + bytesOf(key) : 0);
  }
  return bytes;
}

/** In short texts the difference is not worth the time. */
const bytesOf = (text: string): number => (text.length > 16 ? Buffer.byteLength(text) : text.length);
