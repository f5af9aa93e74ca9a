import { Document, stringify } from 'yaml';

/** How the maps below a point of a document are written. */
export interface Layout {
  /** Keys of a map in the order of writing. */
  keys(map: object): readonly string[];
  /** Layout of what stands under a key. */
  under(key: string): Layout;
  /** What stands under a key is a map on one line, or a list of such maps; absent: all on lines of their own. */
  readonly onOneLine?: (key: string) => boolean;
}

/** In the order in which the keys were set. */
export const asMade: Layout = { keys: Object.keys, under: () => asMade };

const options = { lineWidth: 0, aliasDuplicateObjects: false, flowCollectionPadding: false } as const;

/**
 * JSON values as YAML, one document with a line break at its end; members that are undefined are left out. The yaml package
 * decides how a scalar is written wherever that takes any thought; but it builds a node for everything, and a status branch
 * of 100,000 bindings took it half a minute.
 */
export function emitYaml(value: object, layout: Layout): string {
  return block(value, layout, '').slice(1);
}

/** What reading the text of `emitYaml` gives, without the reading: the same members in the same order. */
export function readBack(value: unknown, layout: Layout): unknown {
  if (Array.isArray(value)) return value.map((item) => readBack(item ?? null, layout));
  if (typeof value !== 'object' || value === null) return value;
  let map: Record<string, unknown> = {};
  for (const key of layout.keys(value)) {
    const item = (value as Values)[key];
    if (item === undefined) continue;
    const read = readBack(item, layout.under(key));
    // A name like any other to YAML and JSON: computed keys in literals make own properties.
    if (key === '__proto__') map = { ...map, [key]: read };
    else map[key] = read;
  }
  return map;
}

/** What follows `key:`, with the line break at its end: on the same line after a blank, or on lines of its own. */
function block(value: unknown, layout: Layout, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []\n';
    let text = '\n';
    for (const item of value) text += `${indent}-${inList(item, layout, `${indent}  `)}`;
    return text;
  }
  if (typeof value === 'object' && value !== null) {
    const lines = entries(value as Values, layout, indent);
    return lines === '' ? ' {}\n' : `\n${lines}`;
  }
  return ` ${scalar(value, indent)}\n`;
}

type Values = Readonly<Record<string, unknown>>;

function entries(map: Values, layout: Layout, indent: string): string {
  let text = '';
  for (const key of layout.keys(map)) {
    const value = map[key];
    if (value === undefined) continue;
    text += `${indent}${keyText(key, indent)}:${valueText(key, value, layout, indent)}`;
  }
  return text;
}

function valueText(key: string, value: unknown, layout: Layout, indent: string): string {
  const under = layout.under(key);
  const deeper = `${indent}  `;
  if (!layout.onOneLine?.(key)) return block(value, under, deeper);
  if (!Array.isArray(value)) return ` ${line(value, under)}\n`;
  return value.length === 0 ? ' []\n' : `\n${value.map((item) => `${deeper}- ${line(item, under)}\n`).join('')}`;
}

/** The first line of a collection stands beside the dash. */
function inList(item: unknown, layout: Layout, indent: string): string {
  const text = block(item, layout, indent);
  return text.startsWith('\n') ? ` ${text.slice(1 + indent.length)}` : text;
}

function line(value: unknown, layout: Layout): string {
  if (Array.isArray(value)) return `[${value.map((item) => line(item, layout)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return scalarInLine(value);
  let text = '';
  for (const key of layout.keys(value)) {
    const item = (value as Values)[key];
    if (item !== undefined) text += `${text && ', '}${scalarInLine(key)}: ${line(item, layout.under(key))}`;
  }
  return `{${text}}`;
}

/** Begins with a letter, so that only a few words could be anything but a string; no indicator of YAML. */
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
  if (typeof value === 'string' && isPlain(value)) return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  const text = known(blockScalars, value, () =>
    stringify({ k: value ?? null }, beginsBlank(value) ? quoted : options).slice(3, -1),
  );
  if (!text.includes('\n')) return text;
  // Lines of a block scalar stand one level deeper than its key, which stood at the margin here.
  return text.replace(/\n(?=[^\n])/g, `\n${indent.slice(2)}`);
}

/** The yaml package (2.9.1) loses the blanks of a block scalar whose first line holds nothing else, or cannot read it back. */
const beginsBlank = (value: unknown): boolean => typeof value === 'string' && /^\n*[ \t]+\n/.test(value);

function scalarInLine(value: unknown): string {
  if (typeof value === 'string' && isPlain(value)) return value;
  if (typeof value === 'boolean' || Number.isSafeInteger(value)) return String(value);
  return known(lineScalars, value, () => {
    if (typeof value === 'string' && value.includes('\n')) return stringify(value, quoted).slice(0, -1);
    const list = new Document([value ?? null], options);
    (list.contents as { flow?: boolean }).flow = true;
    return list.toString(options).slice(1, -2);
  });
}

/** On one line, however many lines the text has. */
const quoted = {
  ...options,
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
} as const;

function keyText(key: string, indent: string): string {
  if (isPlain(key)) return key;
  const text = known(keys, key, () => stringify({ [key]: 0 }, options).slice(0, -4));
  // A key of more than 1,024 characters stands on a line of its own.
  return text.replaceAll('\n', `\n${indent}`);
}

/** Messages, hashes and quantities come again and again; forgotten all at once when there are too many. */
const blockScalars = new Map<unknown, string>();
const lineScalars = new Map<unknown, string>();
const keys = new Map<unknown, string>();
const mostKnown = 10_000;

function known(texts: Map<unknown, string>, value: unknown, make: () => string): string {
  const there = texts.get(value);
  if (there !== undefined) return there;
  if (texts.size >= mostKnown) texts.clear();
  const text = make();
  texts.set(value, text);
  return text;
}
