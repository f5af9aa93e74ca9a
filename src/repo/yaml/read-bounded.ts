import { type Document, parseDocument, visit, type YAMLError } from 'yaml';
import type { Problem } from '../../api/problem.ts';
import { recordFileLimits } from '../../engine/record/file-limits.ts';
import { tooLarge } from './document-findings.ts';
import { documentsOf, withoutStacks } from './documents-of.ts';
import { holdsSecret } from './holds-secret.ts';
import { usualLimits } from './limits.ts';
import { lineAndColumn } from './line-and-column.ts';
import { duplicateKey } from './lint.ts';
import { oversizedDocuments } from './oversized.ts';
import { type Collection, collectionAt, columnOf, entryAt, offsetInPieces } from './pieces.ts';
import { type Position, positionsOf } from './positions.ts';
import { separatorsPass } from './separators.ts';
import { structureFault } from './structure-fault.ts';
import { syntaxFinding } from './syntax.ts';

/** Why a text cannot be read, with the offset. */
export interface ReadFault extends Pick<Problem, 'message' | 'fix' | 'value'> {
  readonly offset: number;
}

/** A document of a text, with the offset of its contents. */
export interface ReadDocument {
  readonly value: unknown;
  readonly offset: number;
}

type Read<T, F> = { readonly value: T } | { readonly fault: F };
export type Bounded<T> = Read<T, ReadFault>;

/** A fault, or an error of the parser: its message, with line and column, is made from the whole text. */
type Found = ReadFault | { readonly offset: number; readonly error: YAMLError };

/** Of what is parsed at once. gitfleet writes no such thing: of its flow maps, only the policy of a placement is not short. */
const limits = { ...usualLimits, maxObjectBytes: Number.POSITIVE_INFINITY, maxTokens: 1_000_000 };
export interface Sizes {
  /** Characters of a text that is not divided. */
  readonly whole: number;
  /** Characters that are parsed together where a text is divided. */
  readonly piece: number;
}

/** A text of half a million characters cannot have more tokens. A piece takes 150 MB at most. */
const usualSizes: Sizes = { whole: limits.maxTokens / 2, piece: 256 * 1024 };
/** Collections inside each other that are divided; the files of the record have five at most. */
const mostLevels = 10;
/** Of a map that is divided; a summary of 10,000 clusters has 10,000. */
const mostKeys = 200_000;
/** Their values take 70 bytes each at most, and twice that while they are read. */
const mostSeparators = recordFileLimits.separators;

/**
 * The value of a text with one document. Parsing takes a bounded memory, however large the text: a block list or map is parsed in
 * pieces, and anything else has a limit of tokens. Pieces have no aliases.
 */
export function readBounded(text: string, sizes = usualSizes): Bounded<unknown> {
  return withFinding(
    text,
    tooManyValues(text) ??
      (text.length <= sizes.whole
        ? parsed(text)
        : inPieces({ text, from: Math.max(text.search(/[^ \n]/), 0), to: text.length, level: 1, piece: sizes.piece })),
  );
}

/** Finds positions of paths in a text that `readBounded` has read, with as little memory. */
export function positionsInDocument(text: string): (path: readonly (string | number)[]) => Position {
  if (text.length > usualSizes.whole) return (path) => lineAndColumn(text, offsetInPieces(text, path));
  const { contents } = parseDocument(text, options);
  const { line } = lineAndColumn(text, contents?.range?.[0] ?? 0);
  const positions = positionsOf(text);
  return (path) => positions(line, path);
}

/** The same as `readBounded` for each document of a text, up to the first fault. */
export function* readBoundedDocuments(text: string, sizes = usualSizes): Generator<Bounded<ReadDocument>> {
  const tooMany = tooManyValues(text);
  if (tooMany) {
    yield withFinding(text, tooMany);
    return;
  }
  for (const { from, to } of text.length <= sizes.whole
    ? [{ from: 0, to: text.length }]
    : documentGroups(text, sizes.piece))
    for (const read of parsedDocuments(text, { from, to }, sizes)) {
      yield withFinding(text, read);
      if ('fault' in read) return;
    }
}

const withFinding = <T>(text: string, read: Read<T, Found>): Bounded<T> => {
  if ('value' in read || !('error' in read.fault)) return read as Bounded<T>;
  const { offset, error } = read.fault;
  const { code: _, ...finding } = syntaxFinding(error, holdsSecret(text) ? undefined : text, offset);
  return { fault: { offset, ...finding } };
};

function tooManyValues(text: string): { readonly fault: ReadFault } | undefined {
  const offset = separatorsPass(text, mostSeparators);
  if (offset === undefined) return undefined;
  const message = `the file has more values than gitfleet reads: ${mostSeparators} commas, colons, brackets and the like`;
  return { fault: { offset, message, fix: 'remove the file' } };
}

interface Part {
  readonly text: string;
  /** Offset of its first character that is no blank. */
  readonly from: number;
  readonly to: number;
  readonly level: number;
  /** Characters that are parsed together. */
  readonly piece: number;
}

function inPieces(part: Part): Read<unknown, Found> {
  const collection = part.level > mostLevels ? undefined : collectionAt(part.text, part.from, part.to);
  if (!collection) return leaf(part);
  if (collection.kind === 'map' && collection.starts.length > mostKeys) {
    const message = `a map has more than ${mostKeys} keys`;
    return { fault: { offset: collection.starts[mostKeys]!, message, fix: 'remove the file' } };
  }
  const items: unknown[] = [];
  const entries = new Map<string, unknown>();
  for (const group of groups(collection, part.piece)) {
    const read = group.isLarge ? largeEntry(part, collection, group) : leaf({ ...part, ...group });
    if ('fault' in read) return read;
    if (Array.isArray(read.value)) for (const item of read.value) items.push(item);
    else
      for (const [name, value] of Object.entries(read.value as object)) {
        if (entries.has(name)) return { fault: duplicateKey(startOf(part.text, collection, name, group.from), name) };
        entries.set(name, value);
      }
  }
  return { value: collection.kind === 'list' ? items : Object.fromEntries(entries) };
}

const startOf = (text: string, { starts }: Collection, name: string, from: number): number =>
  starts.find((start) => start >= from && text.startsWith(`${name}:`, start)) ?? from;

interface Group {
  readonly from: number;
  readonly to: number;
  /** It is one entry that is larger than a piece. */
  readonly isLarge: boolean;
}

/** Entries that follow each other, in groups of about the size of a piece. Blanks before the next entry are left out. */
function* groups({ starts, indent, to }: Omit<Collection, 'kind'>, piece: number): Generator<Group> {
  const endOf = (at: number): number => (at + 1 < starts.length ? starts[at + 1]! - indent : to);
  for (let at = 0; at < starts.length; at++) {
    const from = starts[at]!;
    while (at + 1 < starts.length && endOf(at + 1) - from <= piece) at++;
    yield { from, to: endOf(at), isLarge: endOf(at) - from > piece };
  }
}

/** As a list with one item, or a map with one key. */
function largeEntry(part: Part, collection: Collection, { from, to }: Group): Read<unknown, Found> {
  const { key, inner } = entryAt(part.text, collection, from, to);
  if (inner === undefined || !collectionAt(part.text, inner, to)) return leaf({ ...part, from, to });
  const read = inPieces({ ...part, from: inner, to, level: part.level + 1 });
  if ('fault' in read) return read;
  return { value: key === undefined ? [read.value] : Object.fromEntries([[key, read.value]]) };
}

/** Parses a part at once, in its column. */
function leaf({ text, from, to }: Part): Read<unknown, Found> {
  const column = columnOf(text, from);
  const isPart = from > 0 || to < text.length;
  const read = parsed(' '.repeat(column) + text.slice(from, to), isPart);
  return 'value' in read ? read : shifted(read.fault, from - column);
}

const shifted = (fault: Found, by: number) => ({ fault: { ...fault, offset: Math.max(fault.offset + by, 0) } });

const options = { uniqueKeys: false, logLevel: 'silent', prettyErrors: false } as const;

/** `isPart`: of a larger document, where an anchor may be in another part. */
function parsed(text: string, isPart = false): Read<unknown, Found> {
  const tooMany = tooManyTokens(text);
  if (tooMany) return tooMany;
  try {
    return createdValue(
      withoutStacks(() => parseDocument(text, options)),
      text,
      isPart,
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return tooDeep;
  }
}

const tooDeep = { fault: { offset: 0, message: 'nested too deep', fix: 'flatten the document' } };

function tooManyTokens(text: string): { readonly fault: ReadFault } | undefined {
  const [first] = oversizedDocuments(text, limits);
  if (first === undefined) return undefined;
  const { message, fix } = tooLarge('tokens', limits);
  return { fault: { offset: first.passedAt ?? first.from, message, fix } };
}

function createdValue(document: Document.Parsed, text: string, isPart = false): Read<unknown, Found> {
  const [error] = document.errors;
  if (error) return { fault: { offset: error.pos[0], error } };
  const fault = (isPart && text.includes('*') && aliasIn(document)) || structureFault(document, text);
  if (fault) return { fault };
  try {
    return { value: document.toJS({ maxAliasCount: 10_000 }) };
  } catch (thrown) {
    // Undefined aliases, or too large ones.
    if (!(thrown instanceof ReferenceError)) throw thrown;
    return { fault: { offset: 0, message: thrown.message.split('\n')[0]!, fix: 'write the values out' } };
  }
}

function aliasIn(document: Document.Parsed): ReadFault | undefined {
  let found: ReadFault | undefined;
  visit(document, {
    Alias(_, { range }) {
      const message = 'a file as large as this has no aliases';
      found = { offset: range?.[0] ?? 0, message, fix: 'write the value out' };
      return visit.BREAK;
    },
  });
  return found;
}

/** Documents that follow each other, in groups of about the size of a piece. No document has such a line inside. */
function* documentGroups(text: string, piece: number): Generator<Group> {
  const starts = [0];
  for (const { index } of text.matchAll(/\n---(?=[ \n])/g)) starts.push(index + 1);
  yield* groups({ starts, indent: 0, to: text.length }, piece);
}

function* parsedDocuments(
  text: string,
  { from, to }: Pick<Group, 'from' | 'to'>,
  { whole, piece }: Sizes,
): Generator<Read<ReadDocument, Found>> {
  const group = text.slice(from, to);
  const begin = /^(?:---\n)? *(?=[^ \n])/.exec(group)?.[0].length ?? 0;
  if (group.length > whole && collectionAt(text, from + begin, to)) {
    const read = inPieces({ text, from: from + begin, to, level: 1, piece });
    yield 'value' in read ? { value: { value: read.value, offset: from + begin } } : read;
    return;
  }
  const tooMany = tooManyTokens(group);
  const documents = tooMany ? [] : documentsOf(group, options);
  if (tooMany) yield shifted(tooMany.fault, from);
  if (documents instanceof RangeError) {
    yield shifted(tooDeep.fault, from);
    return;
  }
  for (const document of documents) {
    const read = createdValue(document, group);
    const offset = from + (document.contents?.range[0] ?? 0);
    yield 'value' in read ? { value: { value: read.value, offset } } : shifted(read.fault, from);
  }
}
