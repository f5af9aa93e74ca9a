import type { LabelSelector } from '../../api/meta.ts';
import { CliError } from '../terminal/exit.ts';

/**
 * kubectl's `-l`: `a=b,c!=d,e in (x,y),f notin (z),g,!h`, all of which must hold. Error: CliError that shows the part that
 * cannot be read.
 */
export function parseSelector(text: string): LabelSelector {
  return { matchExpressions: parts(text).map(requirement) };
}

type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

/** Commas separate requirements, except in parentheses. */
const parts = (text: string): string[] => text.match(/[^,(]+(?:\([^)]*\))?/g)?.map((part) => part.trim()) ?? [''];

function requirement(text: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set) {
    const [, key = '', operator, values = ''] = set;
    return {
      key,
      operator: operator === 'in' ? 'In' : 'NotIn',
      values: values.split(',').map((value) => value.trim()),
    };
  }
  const equal = /^([^\s!=]+)\s*(==?|!=)\s*([^\s!=]*)$/.exec(text);
  if (equal) {
    const [, key = '', operator, value = ''] = equal;
    return { key, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
  }
  const exists = /^(!?)\s*([^\s!=()]+)$/.exec(text);
  if (exists) return { key: exists[2] ?? '', operator: exists[1] === '!' ? 'DoesNotExist' : 'Exists' };
  throw new CliError(`-l: "${text}" is no label selector: write for example env=prod,region in (eu,us),!canary`);
}
