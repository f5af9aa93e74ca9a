import { error, type Issue, warning } from '../../api/issue.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { nearest } from '../../api/syntax.ts';
import { limitIssues, type ValueLimits } from './value-limits.ts';

/** What an API server accepts as the value of a field: its type, the limits of its value and, of objects, their fields. */
export type Shape =
  | { readonly is: 'any' }
  | { readonly is: Scalar; readonly limits?: ValueLimits | undefined }
  | { readonly is: 'list'; readonly items: Shape; readonly limits?: ValueLimits | undefined }
  | { readonly is: 'map'; readonly values: Shape }
  | ObjectShape;

/** `open`: other fields are kept, too. `required`: fields without which servers refuse it. */
export interface ObjectShape {
  readonly is: 'object';
  readonly fields: ReadonlyMap<string, Shape>;
  readonly required: readonly string[];
  readonly open: boolean;
}

type Scalar = 'string' | 'integer' | 'number' | 'boolean' | 'intOrString' | 'quantity';

type Path = readonly (string | number)[];

/** Findings listed for one object: after a wrong indentation more of them do not help. */
const mostIssues = 20;

/**
 * Values of a wrong type, which every API server refuses, are errors. Unknown fields are warnings: a server with strict field
 * validation refuses them, others drop them. Values are not part of the texts, as they may be secret.
 */
export function shapeIssues(value: unknown, shape: Shape): Issue[] {
  const issues: Issue[] = [];
  walk(value, shape, [], issues);
  return issues.slice(0, mostIssues);
}

/** `path` is of the value now: the same list all the way, since most values are right. */
function walk(value: unknown, shape: Shape, path: (string | number)[], issues: Issue[]): void {
  // Servers treat null as absent.
  if (value === null || value === undefined || issues.length >= mostIssues) return;
  switch (shape.is) {
    case 'any':
      return;
    case 'list':
      if (!Array.isArray(value)) issues.push(wrongType(path, 'a list', 'write a list: each item begins with -'));
      else {
        checkLimits(value, shape.limits, path, issues);
        for (let at = 0; at < value.length; at++) below(value[at], at, shape.items, path, issues);
      }
      return;
    case 'map':
      if (!isMap(value)) issues.push(wrongType(path, 'a map', 'write a map: key: value'));
      else for (const key of Object.keys(value)) below(value[key], key, shape.values, path, issues);
      return;
    case 'object':
      if (!isMap(value)) issues.push(wrongType(path, 'an object', `write its fields: ${someFields(shape)}`));
      else fields(value, shape, path, issues);
      return;
    default: {
      const { what, accepts, fix } = scalars[shape.is];
      if (!accepts(value)) issues.push(wrongType(path, what, fix(value)));
      else checkLimits(value, shape.limits, path, issues);
    }
  }
}

function below(value: unknown, key: string | number, shape: Shape, path: (string | number)[], issues: Issue[]): void {
  path.push(key);
  walk(value, shape, path, issues);
  path.pop();
}

function checkLimits(value: unknown, limits: ValueLimits | undefined, path: Path, issues: Issue[]): void {
  if (limits !== undefined) issues.push(...limitIssues(value, limits, { path: [...path], name: textOf(path) }));
}

function fields(
  value: Readonly<Record<string, unknown>>,
  shape: ObjectShape,
  path: (string | number)[],
  issues: Issue[],
): void {
  for (const key of Object.keys(value)) {
    const of = shape.fields.get(key);
    if (of) below(value[key], key, of, path, issues);
    else if (!shape.open && issues.length < mostIssues) {
      const like = nearest(key, [...shape.fields.keys()]) ?? deeper(key, shape);
      const fix = like === undefined ? undefined : `did you mean ${like}?`;
      issues.push(warning('unknown-field', [...path, key], `there is no field ${textOf([...path, key])}`, fix));
    }
  }
}

/** Warnings about fields without which every API server refuses an object. An override may add them, so that they are no errors. */
export const missingFields = (value: unknown, shape: Shape): Issue[] =>
  missingIn(value, shape, []).slice(0, mostIssues);

function missingIn(value: unknown, shape: Shape, path: Path): Issue[] {
  if (shape.is === 'list' && Array.isArray(value))
    return value.flatMap((item, at) => missingIn(item, shape.items, [...path, at]));
  if (!isMap(value)) return [];
  if (shape.is === 'map')
    return Object.entries(value).flatMap(([key, item]) => missingIn(item, shape.values, [...path, key]));
  if (shape.is !== 'object') return [];
  const missing = shape.required.filter((name) => (value[name] ?? null) === null);
  return [
    ...missing.map((name) => {
      const at = [...path, name];
      return warning('field-required', at, `${textOf(at)} is missing: API servers refuse the object`, `add ${name}`);
    }),
    ...[...shape.fields].flatMap(([name, of]) =>
      // Members write the status, so it may be incomplete in a manifest.
      name === 'status' ? [] : missingIn(value[name], of, [...path, name]),
    ),
  ];
}

/** A field that was written one level too far out: `containers` under `template`. */
function deeper(key: string, { fields }: ObjectShape): string | undefined {
  const outer = [...fields].find(([name, of]) => of.is === 'object' && name !== 'metadata' && of.fields.has(key));
  return outer && `${outer[0]}.${key}`;
}

const wrongType = (path: Path, what: string, fix: string): Issue =>
  error('wrong-type', [...path], `${path.length === 0 ? 'it' : textOf(path)} must be ${what}`, fix);

/** `spec.containers[0].image` */
const textOf = (path: Path): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );

const someFields = ({ fields }: ObjectShape): string => {
  const names = [...fields.keys()];
  return names.length > 4 ? `${names.slice(0, 4).join(', ')}, …` : names.join(', ');
};

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inQuotes = (value: unknown): string => (typeof value === 'object' ? 'write a text' : 'write it in quotes');
const withoutQuotes = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? 'write it without quotes' : otherwise;

const scalars: Readonly<
  Record<
    Scalar,
    {
      readonly what: string;
      readonly accepts: (value: unknown) => boolean;
      readonly fix: (value: unknown) => string;
    }
  >
> = {
  string: { what: 'a string', accepts: (value) => typeof value === 'string', fix: inQuotes },
  integer: {
    what: 'an integer',
    accepts: Number.isInteger,
    fix: (value) => withoutQuotes(value, 'write a whole number'),
  },
  number: {
    what: 'a number',
    accepts: (value) => typeof value === 'number',
    fix: (value) => withoutQuotes(value, 'write a number'),
  },
  boolean: {
    what: 'true or false',
    accepts: (value) => typeof value === 'boolean',
    fix: (value) =>
      value === 'true' || value === 'false' ? 'write it without quotes' : 'write true or false without quotes',
  },
  intOrString: {
    what: 'an integer or a string',
    accepts: (value) => typeof value === 'string' || Number.isInteger(value),
    fix: () => 'write for example 80, or the text in quotes',
  },
  quantity: {
    what: 'a quantity',
    // Servers cut spaces off before they parse it.
    accepts: (value) => typeof value === 'number' || (typeof value === 'string' && !!parseQuantity(value.trim())),
    fix: () => 'write for example 500m, 2 or 1Gi',
  },
};
