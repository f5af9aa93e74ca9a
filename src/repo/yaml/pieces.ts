/** A block list or map in a text, in the style that gitfleet writes. */
export interface Collection {
  readonly kind: 'list' | 'map';
  /** Column of its entries, from 0. */
  readonly indent: number;
  /** Offsets of the first character of every entry. */
  readonly starts: readonly number[];
  /** Offset of its end. */
  readonly to: number;
}

/** A word as key; in the parser's schema `null` is no word. */
const key = /(?!null:)[A-Za-z_][\w./-]{0,200}:(?=[ \n])/y;
const dash = /-(?=[ \n])/y;

/**
 * Finds the entries of the block list or map whose first entry begins at an offset. Only lines are looked at: every line in the
 * column of the entries must begin one, since YAML wants all other lines further right. Undefined for any other text, which only a
 * parser can divide.
 */
export function collectionAt(text: string, first: number, to: number): Collection | undefined {
  const indent = columnOf(text, first);
  const kind = matches(dash, text, first) ? 'list' : 'map';
  const begins = kind === 'list' ? dash : key;
  const starts: number[] = [];
  for (let at = first; at < to; ) {
    if (!matches(begins, text, at)) return undefined;
    starts.push(at);
    at = nextInColumn(text, at, indent, to);
    if (at < 0) return undefined;
  }
  return starts.length === 0 ? undefined : { kind, indent, starts, to };
}

/** The offset of the next line that begins in a column, `to` if there is none, -1 if a line begins left of it. */
function nextInColumn(text: string, from: number, indent: number, to: number): number {
  let line = text.indexOf('\n', from) + 1;
  while (line > 0 && line < to) {
    let at = line;
    while (text.charCodeAt(at) === 32) at++;
    const isBlank = at >= to || text.charCodeAt(at) === 10;
    if (!isBlank && at - line <= indent) return at - line === indent ? at : -1;
    line = text.indexOf('\n', at) + 1;
  }
  return to;
}

/** An entry of a collection. */
export interface Entry {
  /** In a map. */
  readonly key: string | undefined;
  /** Offset of the collection that is its whole value; undefined if the value is something else. */
  readonly inner: number | undefined;
}

export function entryAt(text: string, { kind, indent }: Collection, start: number, to: number): Entry {
  const name = kind === 'map' && matches(key, text, start) ? text.slice(start, key.lastIndex - 1) : undefined;
  const after = name === undefined ? start + 1 : start + name.length + 1;
  let at = after;
  while (text.charCodeAt(at) === 32) at++;
  const isOnThisLine = text.charCodeAt(at) !== 10;
  // A value on the line of a key is no collection.
  if (isOnThisLine) return { key: name, inner: name === undefined && at < to ? at : undefined };
  const next = nextInLines(text, at, to);
  return { key: name, inner: next < to && columnOf(text, next) > indent ? next : undefined };
}

/** The offset of a path in a document, or of its last part that is an entry of a block list or map. */
export function offsetInPieces(text: string, path: readonly (string | number)[]): number {
  let from = Math.max(text.search(/[^ \n]/), 0);
  let to = text.length;
  let next: number | undefined = from;
  for (const part of path) {
    const collection: Collection | undefined = next === undefined ? undefined : collectionAt(text, next, to);
    if (!collection) return from;
    const { starts, kind }: Collection = collection;
    const at: number = kind === 'list' ? Number(part) : starts.findIndex((start) => text.startsWith(`${part}:`, start));
    if (starts[at] === undefined) return from;
    from = starts[at];
    to = starts[at + 1] ?? to;
    next = entryAt(text, collection, from, to).inner;
  }
  return from;
}

/** The first character that is neither a blank nor a line break. */
function nextInLines(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 10)) at++;
  return at;
}

/** From 0. */
export const columnOf = (text: string, at: number): number =>
  at === 0 ? 0 : at - (text.lastIndexOf('\n', at - 1) + 1);

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
