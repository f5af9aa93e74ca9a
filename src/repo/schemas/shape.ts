import { error, type Issue, warning } from '../../api/issue.ts';
import { parseQuantity } from '../../api/quantity.ts';
import { nearest } from '../../api/syntax.ts';
import { repeatedIn } from '../../engine/server-rules/repeated-items.ts';
import { type Fault, limitFault, type ValueLimits } from './value-limits.ts';

/** What an API server accepts as the value of a field: its type, the limits of its value and, of objects, their fields. */
export type Shape =
  | { readonly is: 'any' }
  | { readonly is: Scalar; readonly limits?: ValueLimits | undefined }
  | ListShape
  | { readonly is: 'map'; readonly values: Shape }
  | ObjectShape;

/** `keys`: fields that name an item, of a list that servers merge item by item. */
interface ListShape {
  readonly is: 'list';
  readonly items: Shape;
  readonly limits?: ValueLimits | undefined;
  readonly keys?: readonly string[];
}

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
 * Values of a wrong type, which every API server refuses, are errors. So are unknown fields that clearly mean another one, as servers
 * refuse what they do not know when it is applied; the rest are warnings, as newer servers may know them. Values are not part of the
 * texts, as they may be secret.
 */
export function shapeIssues(value: unknown, shape: Shape): Issue[] {
  const found: Found[] = [];
  walk(value, shape, found);
  return found.slice(0, mostIssues).map(({ fault, path }) => fault({ path, name: textOf(path) }));
}

/** `path` is from the value that is being walked. */
interface Found {
  readonly fault: Fault;
  readonly path: (string | number)[];
}

/** Most values are right, so only faults cost a path. */
function walk(value: unknown, shape: Shape, found: Found[]): void {
  // Most values are.
  if (shape.is === 'string' && typeof value === 'string' && shape.limits === undefined) return;
  // Servers treat null as absent.
  if (value === null || value === undefined || found.length >= mostIssues) return;
  switch (shape.is) {
    case 'any':
      return;
    case 'list':
      if (!Array.isArray(value)) add(found, wrongType('a list', 'write a list: each item begins with -'));
      else {
        add(found, limitFault(value, shape.limits));
        for (let at = 0; at < value.length; at++) below(value[at], at, shape.items, found);
      }
      return;
    case 'map':
      if (!isMap(value)) add(found, wrongType('a map', 'write a map: key: value'));
      else for (const key in value) below(value[key], key, shape.values, found);
      return;
    case 'object':
      if (!isMap(value)) add(found, wrongType('an object', `write its fields: ${someFields(shape)}`));
      else fields(value, shape, found);
      return;
    default: {
      const { what, accepts, fix } = scalars[shape.is];
      add(found, accepts(value) ? limitFault(value, shape.limits) : wrongType(what, fix(value)));
    }
  }
}

function add(found: Found[], fault: Fault | undefined): void {
  if (fault !== undefined) found.push({ fault, path: [] });
}

function below(value: unknown, key: string | number, shape: Shape, found: Found[]): void {
  const before = found.length;
  walk(value, shape, found);
  for (let at = before; at < found.length; at++) found[at]!.path.unshift(key);
}

function fields(value: Readonly<Record<string, unknown>>, shape: ObjectShape, found: Found[]): void {
  for (const key in value) {
    const of = shape.fields.get(key);
    if (of) below(value[key], key, of, found);
    else if (!shape.open && found.length < mostIssues)
      found.push({ fault: unknownField(key, shape, value), path: [key] });
  }
}

const unknownField =
  (key: string, shape: ObjectShape, beside: Readonly<Record<string, unknown>>): Fault =>
  ({ path, name }) => {
    const like = nearest(key, [...shape.fields.keys()]) ?? deeper(key, shape);
    const fix = like === undefined ? undefined : `did you mean ${like}?`;
    const message = `there is no field ${name}`;
    // Newer kinds have `podIPs` beside `podIP`. The status is not applied.
    const isSure = like !== undefined && like.length > 3 && !Object.hasOwn(beside, like) && path[0] !== 'status';
    return isSure ? error('unknown-field', path, message, fix!) : warning('unknown-field', path, message, fix);
  };

/**
 * Warnings about fields without which every API server refuses an object, and about items that are in a list twice. An override may
 * correct both, so that they are no errors.
 */
export const missingFields = (value: unknown, shape: Shape): Issue[] =>
  missingIn(value, shape, []).slice(0, mostIssues);

function missingIn(value: unknown, shape: Shape, path: Path): Issue[] {
  if (shape.is === 'list' && Array.isArray(value))
    return [
      ...repeatedItems(value, shape, path),
      ...value.flatMap((item, at) => missingIn(item, shape.items, [...path, at])),
    ];
  if (!isMap(value)) return [];
  if (shape.is === 'map')
    return Object.entries(value).flatMap(([key, item]) => missingIn(item, shape.values, [...path, key]));
  if (shape.is !== 'object') return [];
  const unknown = Object.keys(value).filter((key) => !shape.fields.has(key));
  // A misspelt one is reported as it is written.
  const missing = shape.required.filter((name) => (value[name] ?? null) === null && !nearestAmong(name, unknown));
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

const repeatedItems = (items: readonly unknown[], { keys = [] }: ListShape, path: Path): Issue[] =>
  keys.length === 0
    ? []
    : repeatedIn(items, { keys }, textOf(path)).map(({ field, why, fix }) => {
        const at = [...path, Number(/(\d+)\]$/.exec(field)![1])];
        return warning('invalid', at, `${field}: API servers refuse the object: ${why}`, fix);
      });

const nearestAmong = (name: string, written: readonly string[]): boolean =>
  written.some((key) => nearest(key, [name]) !== undefined);

/** A field that was written one level too far out: `containers` under `template`. */
function deeper(key: string, { fields }: ObjectShape): string | undefined {
  const outer = [...fields].find(([name, of]) => of.is === 'object' && name !== 'metadata' && of.fields.has(key));
  return outer && `${outer[0]}.${key}`;
}

const wrongType =
  (what: string, fix: string): Fault =>
  ({ path, name }) =>
    error('wrong-type', path, `${name || 'it'} must be ${what}`, fix);

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

const isQuantity = (text: string): boolean => usualQuantity.test(text) || parseQuantity(text) !== undefined;
/** Of those that need no parser: `500m`, `2`, `64Gi`. */
const usualQuantity = /^\d{1,15}(?:[mkMGTPE]|[KMGTPE]i)?$/;

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
    accepts: (value) => typeof value === 'number' || (typeof value === 'string' && isQuantity(value.trim())),
    fix: () => 'write for example 500m, 2 or 1Gi',
  },
};
