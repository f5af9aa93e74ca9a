import { kubectlReads } from './kubectl-scalar.ts';
import type { ValueCode } from './without-value.ts';

/** A plain scalar that kubectl reads differently, or that JSON cannot represent. `value`: its value in YAML 1.2. */
export function lintPlainScalar(
  source: string,
  value: unknown,
  report: (code: ValueCode, message: string, fix: string) => void,
): void {
  if (typeof value === 'symbol') return;
  const kubectl = kubectlReads(source);
  if (source.startsWith('?'))
    report('ambiguous-scalar', `${source} starts a key in kubectl and a string in other programs`, `write "${source}"`);
  else if (/^[-+]?0\d+$/.test(source))
    report(
      'ambiguous-scalar',
      `some programs read ${source} as an octal number`,
      `write "${source}" for the string, or ${kubectl} for the number`,
    );
  else if (typeof value === 'number' && !Number.isFinite(value))
    report('not-json', `${source} cannot be represented in JSON`, 'write a finite number');
  else if (typeof value === 'bigint' || (typeof value === 'number' && isInexact(source, value)))
    report('number-too-large', `${source} loses digits: numbers are exact up to 9007199254740991`, `write "${source}"`);
  else if (/^[-+]?0[oO][0-7]+$/.test(source) || (kubectl !== value && !(kubectl === 0 && value === 0)))
    report(
      'ambiguous-scalar',
      typeof kubectl === 'boolean'
        ? `kubectl reads ${source} as ${kubectl}, other programs as a string`
        : `kubectl reads ${source} as the number ${kubectl}, other programs as something else`,
      `write "${source}" for the string, or ${kubectl}`,
    );
}

const isInexact = (source: string, value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && (source.startsWith('0x') || !/[.eE]/.test(source));
