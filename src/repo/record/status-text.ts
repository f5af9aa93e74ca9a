import { createHash } from 'node:crypto';
import { deflateSync, inflateSync } from 'node:zlib';
import { mostSeparators, separatorsIn, separatorsInBytes } from '../yaml/separators.ts';

/**
 * A file of the status branch in memory. A long text is compressed: a daemon keeps all texts as long as they are on the branch, and those
 * of 100,000 bindings are 316 MB, most of it repetitions.
 */
export type StatusText = string | PackedText;

export interface PackedText {
  /** Of the git blob with this text. */
  readonly oid: string;
  readonly bytes: number;
  /** See `separatorsIn`. */
  readonly separators: number;
  readonly deflated: Buffer;
}

/** Shorter texts stay as they are: an object and a buffer take some hundred bytes themselves. */
const shortest = 4_096;
/**
 * Twenty times smaller at 600 MB/s; a higher level takes twice the time for another quarter. Conditions recur within 8 KB. The usual state
 * of zlib takes 256 KB for each text, and collections with it.
 */
const compression = { level: 3, windowBits: 13, memLevel: 5 } as const;

/** The text as it is kept. The same text gives the same form. */
export function packed(text: string): StatusText {
  if (text.length < shortest) return text;
  const content = Buffer.from(text);
  return {
    oid: createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'),
    bytes: content.length,
    separators: separatorsInBytes(content),
    deflated: ownBuffer(deflateSync(content, compression)),
  };
}

/** Not a slice of a larger one, which it would keep in memory. */
function ownBuffer(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

export const unpacked = (text: StatusText): string =>
  typeof text === 'string' ? text : contentOf(text).toString('utf8');

/** The bytes of the text. */
export const contentOf = ({ deflated, bytes }: PackedText): Buffer =>
  inflateSync(deflated, { maxOutputLength: Math.max(bytes, 1) });

export const bytesIn = (text: StatusText): number => (typeof text === 'string' ? Buffer.byteLength(text) : text.bytes);

/** The most values that the text can hold; see `separatorsIn`. */
export const valuesIn = (text: StatusText): number => (typeof text === 'string' ? separatorsIn(text) : text.separators);

/** No less than `bytesIn` and `valuesIn`, without reading the text: a character of UTF-16 takes at most three bytes of UTF-8. */
export const boundsOf = (text: StatusText): { readonly bytes: number; readonly values: number } =>
  typeof text === 'string'
    ? { bytes: 3 * text.length, values: mostSeparators(text) }
    : { bytes: text.bytes, values: text.separators };

/** Identifies the text: as long as it is short by itself, otherwise by its digest. */
export const identityOf = (text: StatusText): string => (typeof text === 'string' ? text : `\0${text.oid}`);

/** Whether two texts of the same form are equal. */
export const isSameText = (a: StatusText | undefined, b: StatusText | undefined): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && a.oid === b.oid);
