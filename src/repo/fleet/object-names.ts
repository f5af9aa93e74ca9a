import { error, type Issue } from '../../api/issue.ts';
import { metaIssues } from '../../api/rules/meta-rules.ts';
import { groupVersionOf } from '../../engine/selection/group-version.ts';

/** Built-in groups in which every name is a DNS subdomain (kubernetes pkg/apis, ValidateObjectMeta of each kind). */
const strict: ReadonlySet<string> = new Set(['', 'apps', 'autoscaling', 'batch']);

/**
 * Names become parts of URLs on members and of paths on the status branch. Kubernetes refuses the same for every kind (apimachinery,
 * `IsValidPathSegmentName`), and for its most used kinds all that are not DNS names. Schemas of kinds may be stricter.
 */
export function nameIssues(object: object): Issue[] {
  const { apiVersion, metadata } = object as { apiVersion?: unknown; metadata?: unknown };
  const { name, namespace } = (metadata ?? {}) as { name?: unknown; namespace?: unknown };
  const broken = [...segmentIssues('name', name), ...segmentIssues('namespace', namespace)];
  if (broken.length > 0 || typeof apiVersion !== 'string' || !strict.has(groupVersionOf(apiVersion).group))
    return broken;
  return metaIssues({
    ...(typeof name === 'string' && name !== '' && { name }),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace }),
  });
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
          `Kubernetes does not accept this ${field}`,
          'use letters, digits, - and .',
        ),
      ];
}
