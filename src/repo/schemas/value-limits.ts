import { error, type Issue } from '../../api/issue.ts';
import { nearest } from '../../api/syntax.ts';

/** Limits of a value as an OpenAPI schema writes them. */
export interface ValueLimits {
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Servers fill in their default for an empty text. */
  readonly isDefaultIfEmpty?: true;
}

const names = [
  ...['enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
] as const;

/** Those of a schema; undefined where it has none. */
export function limitsIn(schema: Readonly<Record<string, unknown>>): ValueLimits | undefined {
  const found = names.flatMap((name) => (schema[name] == null ? [] : [[name, schema[name]] as const]));
  return found.length === 0 ? undefined : (Object.fromEntries(found) as ValueLimits);
}

interface Place {
  readonly path: readonly (string | number)[];
  /** `spec.replicas` */
  readonly name: string;
}

/** What is wrong with a value, for the place where it stands. */
export type Fault = (place: Place) => Issue;

/**
 * A value outside of its limits, of the right type. Lengths are in code points. Patterns are left to servers: one of a pull request
 * could take for ever here. Values are not part of the texts, as they may be secret.
 */
export function limitFault(value: unknown, limits: ValueLimits | undefined): Fault | undefined {
  if (limits === undefined || (value === '' && limits.isDefaultIfEmpty)) return undefined;
  const { enum: choices, minLength, maxLength, minItems, maxItems } = limits;
  if (Array.isArray(choices) && !choices.includes(value)) return notOf(choices, value);
  if (typeof value === 'number') return isInRange(value, limits) ? undefined : outOfRange(rangeText(limits));
  if (typeof value === 'string')
    return minLength === undefined && maxLength === undefined
      ? undefined
      : outside([...value].length, { least: minLength, most: maxLength }, 'characters');
  return Array.isArray(value) ? outside(value.length, { least: minItems, most: maxItems }, 'items') : undefined;
}

function notOf(choices: readonly unknown[], value: unknown): Fault {
  const texts = choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)));
  const like = typeof value === 'string' ? nearest(value, texts) : undefined;
  const all = texts.length > 8 ? `${texts.slice(0, 8).join(', ')}, …` : texts.join(', ');
  const fix = like ? `did you mean ${like}?` : 'write one of them';
  return ({ path, name }) => error('invalid-value', path, `${name} must be one of ${all}`, fix);
}

const outOfRange =
  (range: string): Fault =>
  ({ path, name }) =>
    error('out-of-range', path, `${name} must be ${range}`, `write ${range}`);

const isInRange = (value: number, { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueLimits): boolean =>
  !(minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) &&
  !(maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum));

function rangeText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: ValueLimits): string {
  const least = minimum === undefined ? undefined : exclusiveMinimum ? `more than ${minimum}` : `at least ${minimum}`;
  const most = maximum === undefined ? undefined : exclusiveMaximum ? `less than ${maximum}` : `at most ${maximum}`;
  return [least, most].filter((part) => part !== undefined).join(' and ');
}

function outside(
  count: number,
  { least, most }: { readonly least: number | undefined; readonly most: number | undefined },
  what: string,
): Fault | undefined {
  const limit =
    least !== undefined && count < least
      ? `at least ${least}`
      : most !== undefined && count > most
        ? `at most ${most}`
        : undefined;
  if (limit === undefined) return undefined;
  return ({ path, name }) =>
    error('out-of-range', path, `${name} must have ${limit} ${what}`, `write ${limit} ${what}`);
}
