import { error, type Issue, info } from '../issue.ts';
import type { MemberCluster } from '../member-cluster.ts';
import { isLabelValue, isQualifiedName, labelKeyFix, labelValueFix } from '../syntax.ts';

/** Invalid taints, and fields that only a hub uses. */
export function memberIssues({ metadata, spec, apiVersion }: MemberCluster): Issue[] {
  const issues: Issue[] = [];
  if (metadata.name.length > 63)
    issues.push(
      error(
        'name-too-long',
        ['metadata', 'name'],
        'the name of a member has at most 63 characters',
        'write a shorter name',
      ),
    );
  const seen = new Set<string>();
  (spec.taints ?? []).forEach(({ key, value = '', effect }, at) => {
    const here = ['spec', 'taints', at];
    if (!isQualifiedName(key))
      issues.push(error('invalid-label', [...here, 'key'], `"${key}" is not a taint key`, labelKeyFix));
    if (!isLabelValue(value))
      issues.push(error('invalid-label', [...here, 'value'], `"${value}" is not a taint value`, labelValueFix));
    const text = `${key}=${value}:${effect}`;
    if (seen.has(text)) issues.push(error('duplicate', here, `the taint ${text} is listed twice`, 'keep one of them'));
    seen.add(text);
  });
  if (spec.identity)
    issues.push(info('no-use', ['spec', 'identity'], 'identity is accepted; gitfleet ignores it, as there is no hub'));
  if (spec.deleteOptions)
    issues.push(
      info(
        'no-use',
        ['spec', 'deleteOptions'],
        `deleteOptions is accepted; gitfleet ignores it, as there is no hub${apiVersion.endsWith('/v1') ? ' (and it is a field of v1beta1)' : ''}`,
      ),
    );
  return issues;
}
