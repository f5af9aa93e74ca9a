import type { Issue } from '../../api/issue.ts';
import { typeFixes } from '../../api/schema-issues.ts';
import type { Validated } from '../../api/validate.ts';

type Judged = Pick<Validated, 'issues' | 'isShaped'>;

/**
 * Validates a document, and checks that its fixes are valid: each suggested value is tried, and if a rule refuses it, the fix of that
 * rule replaces it. If another error prevents the rules from running, the fix contains no value.
 */
export function withTriedFixes<T extends Judged>(document: unknown, judge: (document: unknown) => T): T {
  const validated = judge(document);
  if (!validated.issues.some(({ suggests }) => suggests !== undefined)) return validated;
  const tried = judge(validated.issues.reduce(withSuggestion, document));
  return { ...validated, issues: validated.issues.map((issue) => triedFix(issue, tried)) };
}

function triedFix(issue: Issue, tried: Judged): Issue {
  if (issue.suggests === undefined) return issue;
  const path = issue.path.join('.');
  const refusal = tried.issues.find(({ severity, path: at }) => severity === 'error' && at.join('.') === path);
  if (refusal === undefined && tried.isShaped) return issue;
  const { suggests: _s, fix: _f, ...plain } = issue;
  const fix = refusal === undefined ? typeFixes[typeof issue.suggests] : refusal.fix;
  return fix === undefined ? { ...plain, message: refusal?.message ?? plain.message } : { ...plain, fix };
}

/** The document with suggested values, and without unknown fields. */
const withSuggestion = (document: unknown, { code, path, suggests }: Issue): unknown =>
  suggests !== undefined || code === 'unknown-field' ? changedAt(document, path, suggests) : document;

/** The document with another value at a path; undefined removes it. */
function changedAt(node: unknown, [part, ...rest]: Issue['path'], value: Issue['suggests']): unknown {
  if (part === undefined) return value;
  if (Array.isArray(node)) return node.map((item, at) => (at === part ? changedAt(item, rest, value) : item));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, item]) => {
      if (key !== String(part)) return [[key, item]];
      return rest.length === 0 && value === undefined ? [] : [[key, changedAt(item, rest, value)]];
    }),
  );
}

/**
 * A refused document with what else is wrong in it: it is judged again without its wrong values, as rules do not run before the schema
 * accepts it.
 */
export function withHidden(document: object, validated: Validated, judge: (document: unknown) => Validated): Validated {
  const errors = validated.issues.filter(({ severity }) => severity === 'error');
  if (validated.object !== undefined || errors.length === 0) return validated;
  const without = errors.reduce((rest: unknown, { path, suggests }) => changedAt(rest, path, suggests), document);
  const { shaped, issues } = judge(without);
  if (!shaped) return { ...validated, supposed: validated.shaped };
  const hidden = issues.filter(
    ({ path, code }) => code !== 'field-required' && !validated.issues.some((known) => follows(path, known.path)),
  );
  return { ...validated, issues: [...validated.issues, ...hidden], supposed: shaped };
}

/** Whether a finding may be due to the removed value at `removed`: it is about it, or about a field beside it. */
function follows(path: Issue['path'], removed: Issue['path']): boolean {
  const isBeside = path.length === removed.length && path.length > 2 && isWithin(path, removed.slice(0, -1));
  return isBeside || isWithin(path, removed) || isWithin(removed, path);
}

const isWithin = (path: Issue['path'], outer: Issue['path']): boolean => outer.every((part, at) => part === path[at]);
