import type { ProblemCode } from '../../api/problem.ts';
import { kubectlReads } from './kubectl-scalar.ts';

/** A plain scalar that kubectl reads differently, or that JSON cannot hold. `value` is what YAML 1.2 makes of it. */
export function lintPlainScalar(
  source: string,
  value: unknown,
  report: (code: ProblemCode, message: string, fix: string) => void,
): void {
  if (typeof value === 'symbol') return;
  const kubectl = kubectlReads(source);
  if (source.startsWith('?'))
    report('ambiguous-scalar', `${source} begins a key to kubectl and a text to others`, `write "${source}"`);
  else if (/^[-+]?0\d+$/.test(source))
    report(
      'ambiguous-scalar',
      `${source} means an octal number to some programs`,
      `write "${source}", or the number without the leading 0`,
    );
  else if (typeof value === 'number' && !Number.isFinite(value))
    report('not-json', `${source} cannot be written in JSON`, 'write a finite number');
  else if (typeof value === 'bigint' || (typeof value === 'number' && isInexact(source, value)))
    report('number-too-large', `${source} loses digits: numbers are exact up to 9007199254740991`, `write "${source}"`);
  else if (/^[-+]?0[oO][0-7]+$/.test(source) || (kubectl !== value && !(kubectl === 0 && value === 0)))
    report(
      'ambiguous-scalar',
      typeof kubectl === 'boolean'
        ? `${source} means ${kubectl} to kubectl and a text to others`
        : `${source} means the number ${kubectl} to kubectl and something else to others`,
      `write "${source}" for the text, or ${kubectl}`,
    );
}

const isInexact = (source: string, value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && (source.startsWith('0x') || !/[.eE]/.test(source));
