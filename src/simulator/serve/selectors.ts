import { isLabelValue, isQualifiedName } from '../../api/syntax.ts';
import { at } from '../../engine/kernel/at.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Stored } from '../object.ts';
import { badRequest } from './status-error.ts';

export type Matches = (object: Stored) => boolean;

/** A label selector as in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function labelMatcher(text: string): Matches {
  const terms = splitTerms(text).map((term) => labelTerm(term.trim()));
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

function splitTerms(text: string): string[] {
  return text.split(/,(?![^(]*\))/).filter((term) => term.trim() !== '');
}

function checked(key: string, ...values: readonly string[]): void {
  const wrong = isQualifiedName(key) ? values.find((value) => !isLabelValue(value)) : key;
  if (wrong !== undefined)
    throw badRequest(
      `unable to parse requirement: ${wrong === key ? 'key' : 'values[0]'}: Invalid value: ${JSON.stringify(wrong)}`,
    );
}

type Labels = Readonly<Record<string, string>>;

function labelTerm(term: string): (labels: Labels) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, key, operator, list] = set;
    const values = new Set(list!.split(',').map((value) => value.trim()));
    checked(key!, ...values);
    if (operator === 'in') return (labels) => labels[key!] !== undefined && values.has(labels[key!]!);
    return (labels) => labels[key!] === undefined || !values.has(labels[key!]!);
  }
  const equal = /^([^!=\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
  if (equal) {
    const [, key, operator, value] = equal;
    checked(key!, value!);
    return operator === '!=' ? (labels) => labels[key!] !== value : (labels) => labels[key!] === value;
  }
  const exists = /^(!?)\s*([A-Za-z0-9][-A-Za-z0-9_./]*)$/.exec(term);
  if (!exists) throw badRequest(`unable to parse requirement: found '${term}', expected: a label requirement`);
  const [, not, key] = exists;
  checked(key!);
  return not ? (labels) => labels[key!] === undefined : (labels) => labels[key!] !== undefined;
}

/** A field selector: only fields that the kind lists as selectable. */
export function fieldMatcher(text: string, kind: Kind): Matches {
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^([^!=]+)(==|=|!=)(.*)$/.exec(term);
      if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
      const [, field, operator, value] = match;
      const known = field === 'metadata.name' || field === 'metadata.namespace' || kind.selectable.includes(field!);
      if (!known) throw badRequest(`field label not supported: ${field}`);
      return { read: readerOf(field!), equal: operator !== '!=', value: value! };
    });
  return (object) =>
    terms.every(({ read, equal, value }) => {
      const found = read(object);
      return ((found === undefined ? '' : String(found)) === value) === equal;
    });
}

/** `source` of an Event is the component that it comes from (registry/core/event ToSelectableFields). */
const readerOf = (field: string) => (object: Stored) =>
  field === 'source'
    ? at(object, 'source', 'component') || at(object, 'reportingComponent')
    : at(object, ...field.split('.'));

/** Both selectors of a request; undefined when it has none. */
export function matcherOf(query: URLSearchParams, kind: Kind): Matches | undefined {
  const labels = query.get('labelSelector');
  const fields = query.get('fieldSelector');
  const matchers = [...(labels ? [labelMatcher(labels)] : []), ...(fields ? [fieldMatcher(fields, kind)] : [])];
  if (matchers.length === 0) return undefined;
  return (object) => matchers.every((matches) => matches(object));
}
