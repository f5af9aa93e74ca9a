import type { Problem } from '../../api/problem.ts';

/** Codes of findings whose messages quote a value. */
export type ValueCode =
  | 'ambiguous-scalar'
  | 'half-character'
  | 'non-string-key'
  | 'not-json'
  | 'number-too-large'
  | 'yaml-alias'
  | 'yaml-tag';

type Texts = Pick<Problem, 'message'> & { readonly fix: string };

/** The texts of such a finding for a file that may hold a Secret: they do not show the value. */
export function withoutValue(code: ValueCode): Texts {
  const { message, fix } = texts[code];
  return { message, fix: `${fix} (no value is shown of a file that may hold a Secret)` };
}

const texts: Readonly<Record<ValueCode, Texts>> = {
  'ambiguous-scalar': {
    message: 'programs read this value differently',
    fix: 'write it in quotes, or as a decimal number: 420 for the file mode 0644, 493 for 0755',
  },
  'half-character': { message: 'this text contains half of a character', fix: 'write the whole character' },
  'non-string-key': { message: 'this key is not a string', fix: 'write it in quotes' },
  'not-json': { message: 'this value cannot be represented in JSON', fix: 'write it in quotes, or as a finite number' },
  'number-too-large': {
    message: 'this value loses digits: numbers are exact up to 9007199254740991',
    fix: 'write it in quotes',
  },
  'yaml-alias': {
    message: 'this alias names no earlier anchor, or aliases make the document too large',
    fix: 'write it in quotes, or write the value out',
  },
  'yaml-tag': {
    message: 'this tag has a meaning for some programs only',
    fix: 'write it in quotes, or remove the tag',
  },
};
