import type { Issue } from '../api/issue.ts';
import { type ClusterObservation, clusterObservation } from '../api/observation.ts';
import { schemaIssues } from '../api/schema-issues.ts';

/**
 * Reads one ClusterObservation. Empty fields count as absent, since Go programs write them. An unknown field is a warning: it may be
 * misspelt, or from a newer program.
 */
export function readObservation(document: unknown): {
  readonly observation: ClusterObservation | undefined;
  readonly findings: readonly Issue[];
} {
  const { value, unknown } = withoutUnknown(withoutEmpty(document));
  const result = clusterObservation.safeParse(value);
  if (result.success) return { observation: result.data, findings: unknown };
  const wrong = schemaIssues(result.error.issues, clusterObservation, value);
  return { observation: undefined, findings: [...unknown, ...wrong] };
}

/** Fields with live objects, which are kept as they are. */
const verbatim: ReadonlySet<string> = new Set(['objects', 'nodes', 'pods', 'extras']);

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === null ? [] : [[key, verbatim.has(key) ? item : withoutEmpty(item)]],
    ),
  );
}

function withoutUnknown(value: unknown): { readonly value: unknown; readonly unknown: readonly Issue[] } {
  const result = clusterObservation.safeParse(value);
  let rest = value;
  const unknown: Issue[] = [];
  for (const issue of result.error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    unknown.push(
      ...schemaIssues([issue], clusterObservation, value).map((it): Issue => ({ ...it, severity: 'warning' })),
    );
    for (const key of issue.keys) rest = without(rest, [...(issue.path as (string | number)[]), key]);
  }
  return { value: rest, unknown };
}

function without(value: unknown, [first, ...more]: readonly (string | number)[]): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (at === first ? without(item, more) : item));
  const entries = Object.entries(value as object);
  if (more.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== first));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === first ? without(item, more) : item]));
}
