import { error, type Issue, warning } from './issue.ts';

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Converts spellings of product pages and older versions into the present ones; each use is a warning with the new spelling. Ambiguous
 * spellings are refused with a hint. The input document is not changed.
 */
export function modernise(document: unknown): { readonly document: unknown; readonly issues: Issue[] } {
  const issues: Issue[] = [];
  return { document: walk(document, [], issues), issues };
}

function walk(value: unknown, path: readonly (string | number)[], issues: Issue[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => walk(item, [...path, at], issues));
  if (!isFields(value)) return value;
  const out: Fields = {};
  for (const [key, item] of Object.entries(value)) {
    const here = [...path, key];
    if (key === 'fleet.azure.com/___location') {
      issues.push(
        error(
          'mangled-label',
          here,
          'fleet.azure.com/___location is not a label: some documentation misspells fleet.azure.com/location',
          'write fleet.azure.com/location',
        ),
      );
    }
    if (key === 'metricSorter') {
      issues.push(warning('old-spelling', here, 'metricSorter is called propertySorter now', 'write propertySorter'));
      out['propertySorter'] = walk(item, here, issues);
    } else if (key === 'preference' && Array.isArray(item) && item.length === 1) {
      issues.push(warning('old-spelling', here, 'preference is one object, not a list', 'remove the dash'));
      out[key] = walk(item[0], [...here, 0], issues);
    } else if (key === 'preferredDuringSchedulingIgnoredDuringExecution' && isFields(item)) {
      issues.push(warning('old-spelling', here, `${key} is a list`, 'start the object with a dash'));
      out[key] = [walk(item, here, issues)];
    } else if (key === 'matchLabels' && isFields(item)) out[key] = texts(item, here, issues);
    else if (key === 'annotations' && path.length === 1 && path[0] === 'metadata' && isFields(item))
      out[key] = ownAnnotations(item, here, issues);
    else if (key === 'values' && path.includes('matchExpressions') && Array.isArray(item))
      out[key] = item.map((each, at) => textOf(each, [...here, at], issues, ofSelectors));
    else out[key] = walk(item, here, issues);
  }
  if (out['name'] === 'kubernetes.azure.com/node-count' && ('operator' in out || 'sortOrder' in out)) {
    issues.push(
      warning(
        'old-spelling',
        [...path, 'name'],
        'kubernetes.azure.com/node-count is called kubernetes-fleet.io/node-count now',
        'write kubernetes-fleet.io/node-count',
      ),
    );
    out['name'] = 'kubernetes-fleet.io/node-count';
  }
  return out;
}

const texts = (labels: Fields, path: readonly (string | number)[], issues: Issue[]): Fields =>
  Object.fromEntries(
    Object.entries(labels).map(([key, value]) => {
      if (key === 'fleet.azure.com/___location')
        issues.push(
          error(
            'mangled-label',
            [...path, key],
            'fleet.azure.com/___location is not a label',
            'write fleet.azure.com/location',
          ),
        );
      return [key, textOf(value, [...path, key], issues, ofSelectors)];
    }),
  );

/** `gitfleet.dev/max-failures: 2`. Those of others are Kubernetes' alone, which refuses numbers. */
const ownAnnotations = (annotations: Fields, path: readonly (string | number)[], issues: Issue[]): Fields =>
  Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [
      key,
      key.startsWith('gitfleet.dev/') ? textOf(value, [...path, key], issues, ofAnnotations) : value,
    ]),
  );

const ofSelectors = { code: 'unquoted-label', of: 'values of selectors' } as const;
const ofAnnotations = { code: 'unquoted-annotation', of: 'values of annotations' } as const;

/** Reads `critical-level: 1` in a selector as the string "1", since label values are strings. */
function textOf(
  value: unknown,
  path: readonly (string | number)[],
  issues: Issue[],
  { code, of }: typeof ofSelectors | typeof ofAnnotations,
): unknown {
  if (typeof value !== 'number' && typeof value !== 'boolean') return value;
  const suggests = String(value);
  const message = `${of} are strings: ${value} is read as "${value}"`;
  issues.push({ ...warning(code, path, message, `write "${value}"`), suggests });
  return suggests;
}
