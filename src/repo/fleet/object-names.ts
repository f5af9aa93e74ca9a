import { error, type Issue } from '../../api/issue.ts';

/**
 * Names become paths: of a URL on a member, of a file on the status branch. Kubernetes refuses the same for every kind
 * (apimachinery, `IsValidPathSegmentName`). What the schema of a kind says beyond that is said there.
 */
export function nameIssues(object: object): Issue[] {
  const { metadata } = object as { metadata?: unknown };
  const { name, namespace } = (metadata ?? {}) as { name?: unknown; namespace?: unknown };
  return [...segmentIssues('name', name), ...segmentIssues('namespace', namespace)];
}

function segmentIssues(field: 'name' | 'namespace', value: unknown): Issue[] {
  if (typeof value !== 'string') return [];
  const sound = value !== '.' && value !== '..' && !/[/%\\\p{Cc}]/u.test(value) && value.length <= 253;
  return sound
    ? []
    : [
        error(
          'invalid-name',
          ['metadata', field],
          `this is no ${field} that Kubernetes accepts`,
          'use letters, digits, - and .',
        ),
      ];
}
