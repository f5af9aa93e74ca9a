import { type Cause, invalidField } from './cause.ts';

/** A number that may not be negative; anything else is left to others. */
export const negativeCause = (value: unknown, field: string): Cause[] =>
  typeof value === 'number' && value < 0
    ? [invalidField(field, value, 'must be greater than or equal to 0', 'write 0 or more')]
    : [];

/** A number outside of a range, both ends included. */
export const rangeCause = (value: unknown, field: string, [least, most]: readonly [number, number]): Cause[] =>
  typeof value === 'number' && (value < least || value > most)
    ? [invalidField(field, value, `must be in the range ${least}-${most}`, `write ${least} to ${most}`)]
    : [];

/**
 * A number or a percentage (apps validation, ValidatePositiveIntOrPercent, IsNotMoreThan100Percent). `most`: 100 where more than all
 * makes no sense.
 */
export function percentCauses(value: unknown, field: string, most = Number.POSITIVE_INFINITY): Cause[] {
  if (typeof value !== 'string') return negativeCause(value, field);
  if (!/^\d+%$/.test(value)) {
    const why = "a valid percent string must be a numeric string followed by an ending '%'";
    return [invalidField(field, value, why, percentFix(value))];
  }
  return Number(value.slice(0, -1)) > most
    ? [invalidField(field, value, 'must not be greater than 100%', 'write 100% or less')]
    : [];
}

const percentFix = (value: string): string =>
  /^\d+$/.test(value) ? `write "${value}%", or ${value} without quotes` : 'write for example 25%, or a number';

/** Whether a number or percentage of pods is none. */
export const isNone = (value: unknown): boolean => value === 0 || /^0+%$/.test(String(value));
