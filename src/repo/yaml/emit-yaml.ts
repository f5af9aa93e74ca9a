import { Document, stringify } from 'yaml';
import { memoizeRecent } from '../../engine/kernel/memoize.ts';

/** How maps below a point of a document are written. */
export interface Layout {
  /** Keys of a map in the order of writing. */
  keys(map: object): readonly string[];
  /** Layout of the value of a key. */
  under(key: string): Layout;
  /** Whether the value of a key is a map on one line, or a list of such maps; absent: never. */
  readonly onOneLine?: (key: string) => boolean;
  /** The map that is written in place of a map. */
  readonly as?: (map: object) => object;
  /** Cached text of a map on one line. */
  readonly line?: (map: object) => string;
}

/** The same layout with a cache, for maps that occur many times as the same object. */
export const recurring = (layout: Layout): Layout => ({
  ...layout,
  line: memoizeRecent((map: object) => inOnePiece(mapInLine(layout.as?.(map) ?? map, layout)), mostKnown),
});

/** Keys in insertion order. */
export const asMade: Layout = { keys: Object.keys, under: () => asMade };

const options = { lineWidth: 0, aliasDuplicateObjects: false, flowCollectionPadding: false } as const;

/**
 * JSON values as one YAML document with a final line break; undefined members are omitted. The yaml package formats only the
 * scalars that are not trivial, because it builds a node for every value: a status branch of 100,000 bindings took half a minute.
 */
export function emitYaml(value: object, layout: Layout): string {
  const text = inOnePiece(block(value, layout, '', ''));
  // An empty collection follows its key on the same line.
  return text.startsWith(' ') ? text.slice(1) : text;
}

/**
 * Flattens the text: a rope keeps 32 bytes for each of its pieces. A search forces that; reading a character without using it is
 * optimized away.
 */
function inOnePiece(text: string): string {
  anyText.test(text);
  return text;
}

const anyText = /^/;

/** The value that parsing the text of `emitYaml` would give, with the same order of members. */
export function readBack(value: unknown, layout: Layout): unknown {
  if (Array.isArray(value)) return value.map((item) => readBack(item ?? null, layout));
  if (typeof value !== 'object' || value === null) return value;
  let map: Record<string, unknown> = {};
  const from = layout.as?.(value) ?? value;
  for (const key of layout.keys(from)) {
    const item = (from as Values)[key];
    if (item === undefined) continue;
    const read = readBack(item, layout.under(key));
    // A usual key in YAML and JSON; a computed key in a literal makes it an own property.
    if (key === '__proto__') map = { ...map, [key]: read };
    else map[key] = read;
  }
  return map;
}

/**
 * The text after `key:` or a dash, with the final line break: a scalar after a blank, or a collection whose first line begins with
 * `lead` and all others with `indent`. Texts are only appended, since slicing would copy them.
 */
function block(value: unknown, layout: Layout, indent: string, lead: string): string {
  if (Array.isArray(value)) {
    let text = '';
    const deeper = `${indent}  `;
    for (const item of value) text += `${text === '' ? lead : indent}-${block(item, layout, deeper, ' ')}`;
    return text || ' []\n';
  }
  if (typeof value === 'object' && value !== null)
    return entries((layout.as?.(value) ?? value) as Values, layout, indent, lead) || ' {}\n';
  return ` ${scalar(value, indent)}\n`;
}

type Values = Readonly<Record<string, unknown>>;

function entries(map: Values, layout: Layout, indent: string, lead: string): string {
  let text = '';
  for (const key of layout.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    text += `${text === '' ? lead : indent}${keyText(key, indent)}:`;
    text += valueText(key, value, layout, `${indent}  `);
  }
  return text;
}

function valueText(key: string, value: unknown, layout: Layout, indent: string): string {
  const under = layout.under(key);
  const lead = `\n${indent}`;
  if (!layout.onOneLine?.(key)) return block(value, under, indent, lead);
  if (!Array.isArray(value)) return ` ${line(value, under)}\n`;
  if (value.length === 0) return ' []\n';
  let text = '';
  const dash = `${lead}- `;
  for (const item of value) {
    text += dash;
    text += line(item, under);
  }
  return `${text}\n`;
}

function line(value: unknown, layout: Layout): string {
  if (Array.isArray(value)) return `[${value.map((item) => line(item, layout)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalarInLine(value);
  return layout.line?.(value) ?? mapInLine(layout.as?.(value) ?? value, layout);
}

function mapInLine(value: object, layout: Layout): string {
  let text = '';
  for (const key of layout.keys(value)) {
    const item = (value as Values)[key];
    if (item !== undefined) text += `${text && ', '}${keyInLine(key)}: ${line(item, layout.under(key))}`;
  }
  return `{${text}}`;
}

/** Starts with a letter, so that only a few words are not strings; without YAML indicators. */
const plainWord = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const plainWords = /^[A-Za-z_][A-Za-z0-9_./()'%-]*( [A-Za-z0-9_./()'%][A-Za-z0-9_./()'%-]*)*$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const meansSomething = /^(null|true|false|y|n|yes|no|on|off)$/i;
const longestMeaning = 'false'.length;

const isPlain = (text: string): boolean =>
  plainWord.test(text)
    ? text.length > longestMeaning || !meansSomething.test(text)
    : plainWords.test(text) || instant.test(text);

function scalar(value: unknown, indent: string): string {
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  const text = known(blockScalars, value, () => blockScalar(value));
  if (text === value || !text.includes('\n')) return text;
  // Lines of a block scalar are one level deeper than its key, which had no indent here.
  return text.replace(/\n(?=[^\n])/g, `\n${indent.slice(2)}`);
}

const blockScalar = (value: unknown): string =>
  typeof value === 'string' && isPlain(value)
    ? value
    : stringify({ k: value ?? null }, beginsBlank(value) ? quoted : options).slice(3, -1);

/** The yaml package (2.9.1) loses the blanks of a block scalar whose first line is blank, or cannot parse it again. */
const beginsBlank = (value: unknown): boolean => typeof value === 'string' && /^\n*[ \t]+\n/.test(value);

function scalarInLine(value: unknown): string {
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return known(lineScalars, value, () => lineScalar(value));
}

function lineScalar(value: unknown): string {
  if (typeof value === 'string' && isPlain(value)) return value;
  if (typeof value === 'string' && value.includes('\n')) return stringify(value, quoted).slice(0, -1);
  const list = new Document([value ?? null], options);
  (list.contents as { flow?: boolean }).flow = true;
  return list.toString(options).slice(1, -2);
}

const keyInLine = (key: string): string => known(lineKeys, key, () => lineScalar(key));

/** Writes any text on one line. */
const quoted = {
  ...options,
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function keyText(key: string, indent: string): string {
  const text = known(keys, key, () => (isPlain(key) ? key : stringify({ [key]: 0 }, options).slice(0, -4)));
  // A key of more than 1,024 characters is on a line of its own.
  return text === key ? key : text.replaceAll('\n', `\n${indent}`);
}

/** Caches of repeated names, messages, hashes and quantities, cleared when they are full. */
const blockScalars = new Map<unknown, string>();
const lineScalars = new Map<unknown, string>();
const keys = new Map<unknown, string>();
const lineKeys = new Map<unknown, string>();
const mostKnown = 20_000;

function known(texts: Map<unknown, string>, value: unknown, make: () => string): string {
  const there = texts.get(value);
  if (there !== undefined) return there;
  if (texts.size >= mostKnown) texts.clear();
  const text = make();
  texts.set(value, text);
  return text;
}
