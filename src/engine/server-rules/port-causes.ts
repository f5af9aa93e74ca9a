import { type Cause, invalidField } from './cause.ts';

/** A port by number or by name (core validation, ValidatePortNumOrName). */
export function portCauses(port: unknown, field: string): Cause[] {
  if (typeof port === 'number')
    return port >= 1 && port <= 65_535
      ? []
      : [
          invalidField(
            field,
            port,
            'must be between 1 and 65535, inclusive',
            'write 1 to 65535, or the name of a port',
          ),
        ];
  if (typeof port !== 'string' || isPortName(port)) return [];
  return [invalidField(field, port, portRule, 'write the name of a port, or a number without quotes')];
}

export const portRule = "must be at most 15 lower case letters, digits and '-', with at least one letter";

export const isPortName = (text: string): boolean =>
  text.length <= 15 && /^[a-z0-9](?:-?[a-z0-9])*$/.test(text) && /[a-z]/.test(text);
