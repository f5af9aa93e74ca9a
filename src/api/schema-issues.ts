import type { z } from 'zod';
import { error, type Issue } from './issue.ts';
import { readSchemaMessage } from './schema-message.ts';
import { nearest } from './syntax.ts';

/**
 * zod's findings in our words. What follows from another finding has none of its own: the size of a value of the wrong type, and a field
 * that is missing since it is misspelt beside.
 */
export function schemaIssues(issues: readonly z.core.$ZodIssue[], schema: z.ZodType, document: unknown): Issue[] {
  const mistyped = new Set(issues.flatMap(({ code, path }) => (code === 'invalid_type' ? [path.join('.')] : [])));
  const found = issues.flatMap((issue) =>
    issue.code !== 'invalid_type' && mistyped.has(issue.path.join('.')) ? [] : fromZod(issue, schema, document),
  );
  const misspelt = new Set(
    found.flatMap(({ code, path, fix }) => {
      const like = code === 'unknown-field' ? /^did you mean (\w+)\?$/.exec(fix ?? '')?.[1] : undefined;
      return like === undefined ? [] : [[...path.slice(0, -1), like].join('.')];
    }),
  );
  return found.filter(({ code, path }) => code !== 'field-required' || !misspelt.has(path.join('.')));
}

/** A union has its own message. */
function fromZod(issue: z.core.$ZodIssue, schema: z.ZodType, document: unknown): Issue[] {
  const path = issue.path as (string | number)[];
  const written = valueAt(document, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const fields = fieldsAt(schema, path);
        const like = nearest(key, fields) ?? onlyLonger(key, fields) ?? placeOf(key, schema, path);
        return error(
          'unknown-field',
          [...path, key],
          `there is no field ${key} here`,
          like ? `did you mean ${like}?` : `remove ${key}`,
        );
      });
    case 'invalid_value':
      if (written === undefined) return [missing(path, issue.values)];
      return [
        error(
          'invalid-value',
          path,
          `${nameOf(path)} must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`,
          nearestFix(issue.values, written),
        ),
      ];
    case 'invalid_type':
      if (path.length === 0) return [error('wrong-type', path, 'the document must be a map', 'write a map')];
      if (written === undefined) return [missing(path)];
      return [wrongType(path, issue.expected, written)];
    case 'invalid_format':
      if (issue.format === 'datetime')
        return [
          error(
            'invalid-instant',
            path,
            `${nameOf(path)} must be an instant`,
            'write for example 2026-11-20T10:00:00Z',
          ),
        ];
      return [inOwnWords(path, issue.message)];
    case 'too_big':
      return [outOfRange(path, issue, { word: 'at most', bound: issue.maximum })];
    case 'too_small':
      return [outOfRange(path, issue, { word: 'at least', bound: issue.minimum })];
    default:
      return [inOwnWords(path, issue.message)];
  }
}

/** The field; an entry of a list by the list and its index. */
const nameOf = (path: Issue['path']): string =>
  typeof path.at(-1) === 'number' ? `${path.at(-2) ?? ''}[${path.at(-1)}]` : String(path.at(-1) ?? 'document');

/** Some schemas have their own message, with or without a fix. */
function inOwnWords(path: Issue['path'], message: string): Issue {
  const { wrong, fix = 'write what `gitfleet schema` lists for it' } = readSchemaMessage(message);
  return error('invalid', path, `${nameOf(path)}: ${wrong}`, fix);
}

function wrongType(path: Issue['path'], expected: string, written: unknown): Issue {
  // Of a map whose keys are free, such as labels, the schema library has a word of its own.
  const message = `${nameOf(path)} must be of type ${expected === 'record' ? 'map' : expected}`;
  const meant = meantBy(expected, written);
  if (meant === undefined)
    return error('wrong-type', path, message, typeFixes[expected] ?? `write a value of type ${expected}`);
  const fix = typeof meant === 'string' ? `write "${meant}"` : `write ${meant}, without quotes`;
  return { ...error('wrong-type', path, message, fix), suggests: meant };
}

/** The intended value if only its quotes are wrong. */
function meantBy(expected: string, written: unknown): Issue['suggests'] {
  if (expected === 'string')
    return typeof written === 'number' || typeof written === 'boolean' ? String(written) : undefined;
  if (typeof written !== 'string') return undefined;
  if (expected === 'boolean') return written === 'true' ? true : written === 'false' ? false : undefined;
  if (expected !== 'number' && expected !== 'int') return undefined;
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(written) ? Number(written) : undefined;
}

export const typeFixes: Readonly<Record<string, string>> = {
  string: 'write a string, in quotes if it looks like a number or a boolean',
  number: 'write a number, without quotes',
  int: 'write a whole number, without quotes',
  boolean: 'write true or false, without quotes',
  array: 'write a list',
  object: 'write a map',
  record: 'write a map',
};

/** Limits apply to numbers, the length of strings, and the entries of lists and maps. */
function outOfRange(
  path: Issue['path'],
  { origin, inclusive }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  { word, bound }: { readonly word: 'at most' | 'at least'; readonly bound: number | bigint },
): Issue {
  const limit = inclusive === false ? `${word === 'at most' ? 'less' : 'more'} than ${bound}` : `${word} ${bound}`;
  if (origin === 'string')
    return error('out-of-range', path, `${nameOf(path)} must have ${limit} characters`, `write ${limit}`);
  if (origin === 'array' || origin === 'set' || origin === 'object')
    return error('out-of-range', path, `${nameOf(path)} must have ${limit} entries`, `write ${limit}`);
  return error('out-of-range', path, `${nameOf(path)} must be ${limit}`, `write a number of ${limit}`);
}

const missing = (path: Issue['path'], values: readonly unknown[] = []): Issue =>
  error(
    'field-required',
    path,
    `${path.at(-1)} is missing`,
    values.length === 0 ? `add ${path.at(-1)}` : `add ${path.at(-1)}: ${values.join(' or ')}`,
  );

const valueAt = (document: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, part) => (value as Record<string | number, unknown> | null | undefined)?.[part],
    document,
  );

const nearestFix = (values: readonly unknown[], input: unknown): string => {
  if (values.length === 1) return `write ${values[0]}`;
  const words = values.map(String);
  const like = typeof input === 'string' ? (nearest(input, words) ?? onlyLonger(input, words)) : undefined;
  return like === undefined ? 'write one of them' : `did you mean ${like}?`;
};

/** The only candidate that begins with a word: `Drift` means `Drifted`. */
function onlyLonger(word: string, candidates: readonly string[]): string | undefined {
  const longer = candidates.filter((candidate) => word.length > 3 && candidate.startsWith(word));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Where a field belongs that is indented one level too little, or too far, and perhaps misspelt, too: `spec.policy`. */
function placeOf(key: string, schema: z.ZodType, path: readonly (string | number)[]): string | undefined {
  const inner = fieldsAt(schema, path).map((field) => [...path, field]);
  const outer = path
    .slice(1)
    .map((_, depth) => path.slice(0, depth + 1))
    .reverse();
  const places = [...inner, ...outer];
  for (const spelled of [(field: string) => field === key, (field: string) => nearest(key, [field]) !== undefined]) {
    for (const place of places) {
      const field = fieldsAt(schema, place).find(spelled);
      if (field !== undefined) return fieldText([...place, field]);
    }
  }
  return undefined;
}

const fieldText = (path: readonly (string | number)[]): string => path.join('.').replaceAll(/\.(\d+)(?=\.)/g, '[$1]');

/** Names of the fields of the object at a path of a schema; empty if the schema does not define them. */
function fieldsAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let present: unknown = schema;
  for (const part of path) {
    present = unwrapped(present);
    const { shape, element } = present as { shape?: Record<string, unknown>; element?: unknown };
    present = typeof part === 'number' ? element : shape?.[part];
    if (present === undefined) return [];
  }
  return Object.keys((unwrapped(present) as { shape?: Record<string, unknown> }).shape ?? {});
}

function unwrapped(schema: unknown): unknown {
  let present = schema;
  for (;;) {
    const def = (present as { def?: { innerType?: unknown; in?: unknown } } | undefined)?.def;
    const inner = def?.innerType ?? def?.in;
    if (inner === undefined) return present;
    present = inner;
  }
}
