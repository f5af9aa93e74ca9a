import type { LabelSelector } from './meta.ts';
import { isLabelValue, isQualifiedName } from './syntax.ts';

/**
 * A label selector in one line, as kubectl's `-l` and AKS's `byLabel` write it: `a=b,c!=d,e in (x,y),f notin (z),g,!h`, all of which
 * must hold. Otherwise the first part that cannot be read.
 */
export function parseSelector(
  text: string,
): { readonly ok: true; readonly selector: LabelSelector } | { readonly ok: false; readonly part: string } {
  const requirements: Requirement[] = [];
  for (const part of parts(text)) {
    const read = requirement(part);
    if (!read) return { ok: false, part };
    requirements.push(read);
  }
  return { ok: true, selector: { matchExpressions: requirements } };
}

type Requirement = NonNullable<LabelSelector['matchExpressions']>[number];

/** A requirement in the same form: `env=prod`, `env in (dev, prod)`, `!canary`. */
export function requirementText({ key, operator, values = [] }: Requirement): string {
  const one = values.length === 1;
  switch (operator) {
    case 'In':
      return one ? `${key}=${values[0]}` : `${key} in (${values.join(', ')})`;
    case 'NotIn':
      return one ? `${key}!=${values[0]}` : `${key} notin (${values.join(', ')})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
  }
}

/** Commas separate requirements, except in parentheses. */
const parts = (text: string): string[] => text.split(/,(?![^(]*\))/).map((part) => part.trim());

function requirement(text: string): Requirement | undefined {
  const read = written(text);
  return read && isQualifiedName(read.key) && (read.values ?? []).every(isLabelValue) ? read : undefined;
}

function written(text: string): Requirement | undefined {
  const set = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text);
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
  return exists ? { key: exists[2] ?? '', operator: exists[1] === '!' ? 'DoesNotExist' : 'Exists' } : undefined;
}
