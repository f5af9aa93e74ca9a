import { error, type Issue } from '../issue.ts';
import type { ObjectMeta } from '../meta.ts';
import { isDnsLabel, isSubdomain } from '../syntax.ts';

/**
 * Names that an API server refuses for any custom resource (apimachinery, `ValidateObjectMeta`). They become labels on members
 * and files of the status branch. Labels are taken as they are: what no cluster could carry still selects.
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
  const fits = field === 'name' ? isSubdomain(sound) : isDnsLabel(sound);
  return error(
    'invalid-name',
    ['metadata', field],
    `this is no ${field} that Kubernetes accepts: it takes lower-case letters, digits and -${field === 'name' ? ' and .' : ''}`,
    fits ? `write for example ${sound}` : 'use lower-case letters, digits and -',
  );
}
