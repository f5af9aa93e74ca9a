import { error, type Issue } from '../issue.ts';
import type { ObjectMeta } from '../meta.ts';
import { isDnsLabel, isSubdomain, longestDnsLabel, longestSubdomain } from '../syntax.ts';

/**
 * Names that an API server refuses for any custom resource (apimachinery, `ValidateObjectMeta`). They become labels on members and
 * files of the status branch. Labels are not checked: an override can still select values that no cluster could have.
 */
export function metaIssues({ name, namespace }: Partial<ObjectMeta> = {}): Issue[] {
  return [
    ...(name !== undefined && !isSubdomain(name) ? [noName('name', name)] : []),
    ...(namespace !== undefined && !isDnsLabel(namespace) ? [noName('namespace', namespace)] : []),
  ];
}

function noName(field: 'name' | 'namespace', written: string): Issue {
  const sound = written
    .toLowerCase()
    .replace(field === 'name' ? /[^a-z0-9.-]+/g : /[^a-z0-9-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  const [fits, longest] =
    field === 'name' ? [isSubdomain(sound), longestSubdomain] : [isDnsLabel(sound), longestDnsLabel];
  const otherwise =
    sound.length > longest ? `use at most ${longest} characters` : 'use lower-case letters, digits and -';
  return error(
    'invalid-name',
    ['metadata', field],
    `Kubernetes does not accept this ${field}: use lower-case letters, digits and -${field === 'name' ? ' and .' : ''}, at most ${longest}`,
    fits ? `write for example ${sound}` : otherwise,
  );
}
