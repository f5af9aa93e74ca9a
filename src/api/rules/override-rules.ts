import { error, type Issue } from '../issue.ts';
import type { Override } from '../override.ts';
import { selectorIssues } from './selector-rules.ts';

/** Rules of KubeFleet's webhook for overrides (pkg/utils/validator, override). */
export function overrideIssues(override: Override): Issue[] {
  const issues: Issue[] = [];
  const { spec, kind } = override;
  if (kind === 'ClusterResourceOverride' && spec.placement?.scope === 'Namespaced') {
    issues.push(
      error(
        'invalid-scope',
        ['spec', 'placement', 'scope'],
        'a ClusterResourceOverride can only refer to a ClusterResourcePlacement',
        'remove scope',
      ),
    );
  }
  const selectors = 'clusterResourceSelectors' in spec ? spec.clusterResourceSelectors : spec.resourceSelectors;
  const field = 'clusterResourceSelectors' in spec ? 'clusterResourceSelectors' : 'resourceSelectors';
  const seen = new Set<string>();
  selectors.forEach((selector, at) => {
    const text = `${selector.group}/${selector.version}/${selector.kind}/${selector.name}`;
    if (seen.has(text))
      issues.push(error('duplicate', ['spec', field, at], 'the same resource is selected twice', 'keep one of them'));
    seen.add(text);
  });
  spec.policy.overrideRules.forEach((rule, at) => {
    const here = ['spec', 'policy', 'overrideRules', at];
    (rule.clusterSelector?.clusterSelectorTerms ?? []).forEach((term, index) => {
      const there = [...here, 'clusterSelector', 'clusterSelectorTerms', index];
      if (!term.labelSelector)
        issues.push(error('field-required', there, 'a term of an override needs a labelSelector', 'add labelSelector'));
      issues.push(...selectorIssues(term.labelSelector, [...there, 'labelSelector']));
    });
    const patches = rule.jsonPatchOverrides ?? [];
    if (rule.overrideType === 'Delete' && patches.length > 0)
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'jsonPatchOverrides'],
          'overrideType Delete does not allow patches',
          'remove jsonPatchOverrides',
        ),
      );
    if (rule.overrideType === 'JSONPatch' && patches.length === 0)
      issues.push(
        error(
          'field-required',
          [...here, 'jsonPatchOverrides'],
          'overrideType JSONPatch needs at least one patch',
          'add a patch, or use overrideType: Delete',
        ),
      );
    patches.forEach(({ op, path, value }, index) => {
      const there = [...here, 'jsonPatchOverrides', index];
      const fault = pathFault(path);
      if (fault) issues.push(error('invalid-patch', [...there, 'path'], `${path || '""'} ${fault}`, patchFix));
      if (op === 'remove' && value !== undefined)
        issues.push(
          error('field-not-allowed', [...there, 'value'], 'op remove does not allow a value', 'remove value'),
        );
      if (op !== 'remove' && value === undefined)
        issues.push(error('field-required', [...there, 'value'], `op ${op} needs a value`, 'add value'));
    });
  });
  return issues;
}

const patchFix = 'patch something under /spec, /data, /metadata/labels or /metadata/annotations';

/** Forbidden paths, which would change the identity of an object (KubeFleet pkg/utils/validator, override). */
function pathFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must start with /';
  const parts = path.slice(1).split('/');
  if (parts.some((part) => part === '')) return 'has an empty part';
  const [first, second] = parts;
  if (first === 'kind' || first === 'apiVersion' || first === 'status') return `would change ${first}`;
  if (first === 'metadata' && second !== 'annotations' && second !== 'labels')
    return 'is not allowed: under metadata only labels and annotations may change';
  return undefined;
}

/** The placement of an override must not change. */
export function overrideChanges(recorded: Override, next: Override): Issue[] {
  const ref = ({ spec }: Override): string => (spec.placement ? `${spec.placement.scope} ${spec.placement.name}` : '');
  if (ref(recorded) === ref(next)) return [];
  return [
    error(
      'immutable-field',
      ['spec', 'placement'],
      'the placement that an override is for cannot change',
      'give the override a new name',
    ),
  ];
}
