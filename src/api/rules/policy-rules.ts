import { error, type Issue, warning } from '../issue.ts';
import type { PlacementPolicy } from '../placement.ts';
import { isLabelValue, isQualifiedName, isSubdomain, labelKeyFix, labelValueFix } from '../syntax.ts';
import { propertyNameIssues, propertySelectorIssues } from './property-rules.ts';
import { selectorIssues } from './selector-rules.ts';

/** Fields that fit the placement type, and names, terms and tolerations that can match something. */
export function policyIssues(policy: PlacementPolicy): Issue[] {
  const path = ['spec', 'policy'];
  const issues: Issue[] = [];
  const {
    placementType: type,
    clusterNames,
    numberOfClusters,
    affinity,
    topologySpreadConstraints,
    tolerations,
  } = policy;
  const forbid = (field: string, present: boolean) => {
    if (present)
      issues.push(
        error('field-not-allowed', [...path, field], `${field} has no effect with ${type}`, `remove ${field}`),
      );
  };
  if (type !== 'PickFixed') forbid('clusterNames', clusterNames !== undefined && clusterNames.length > 0);
  if (type !== 'PickN') forbid('numberOfClusters', numberOfClusters !== undefined);
  if (type !== 'PickN') forbid('topologySpreadConstraints', (topologySpreadConstraints?.length ?? 0) > 0);
  if (type === 'PickFixed') forbid('affinity', affinity !== undefined);
  if (type === 'PickFixed') forbid('tolerations', (tolerations?.length ?? 0) > 0);
  if (type === 'PickN' && numberOfClusters === undefined)
    issues.push(
      error('field-required', [...path, 'numberOfClusters'], 'PickN needs numberOfClusters', 'add numberOfClusters: 1'),
    );
  if (type === 'PickFixed') issues.push(...fixedNameIssues(clusterNames ?? [], path));
  issues.push(...affinityIssues(policy), ...tolerationIssues(policy));
  (topologySpreadConstraints ?? []).forEach(({ topologyKey }, at) => {
    // KubeFleet accepts any text here, for which no domain exists.
    if (!isQualifiedName(topologyKey))
      issues.push(
        warning(
          'invalid-label',
          [...path, 'topologySpreadConstraints', at, 'topologyKey'],
          `"${topologyKey}" is not a label key: no cluster can have it, so the constraint has no effect`,
          'write a label key of the members',
        ),
      );
  });
  return issues;
}

function fixedNameIssues(names: readonly string[], path: Issue['path']): Issue[] {
  const issues: Issue[] = [];
  names.forEach((name, at) => {
    const here = [...path, 'clusterNames', at];
    if (!isSubdomain(name) || name.length > 63)
      issues.push(error('invalid-name', here, `"${name}" is not a cluster name`, 'write the name of a MemberCluster'));
    if (names.indexOf(name) !== at)
      issues.push(error('duplicate', here, `${name} is listed twice`, 'keep one of them'));
  });
  if (names.length === 0)
    issues.push(
      warning(
        'selects-nothing',
        [...path, 'clusterNames'],
        'PickFixed without names selects nothing and removes the placement from all clusters',
      ),
    );
  return issues;
}

function affinityIssues({ affinity, placementType }: PlacementPolicy): Issue[] {
  const path = ['spec', 'policy', 'affinity', 'clusterAffinity'];
  const issues: Issue[] = [];
  const required =
    affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? [];
  required.forEach((term, at) => {
    const here = [...path, 'requiredDuringSchedulingIgnoredDuringExecution', 'clusterSelectorTerms', at];
    issues.push(...selectorIssues(term.labelSelector, [...here, 'labelSelector']));
    if (term.propertySorter)
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'propertySorter'],
          'a required term cannot sort',
          'move propertySorter to a preferred term',
        ),
      );
    if (term.propertySelector)
      issues.push(
        ...propertySelectorIssues(term.propertySelector.matchExpressions, [
          ...here,
          'propertySelector',
          'matchExpressions',
        ]),
      );
  });
  const preferred = affinity?.clusterAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (placementType === 'PickAll' && preferred.length > 0) return issues;
  preferred.forEach(({ preference }, at) => {
    const here = [...path, 'preferredDuringSchedulingIgnoredDuringExecution', at, 'preference'];
    issues.push(...selectorIssues(preference.labelSelector, [...here, 'labelSelector']));
    if (preference.propertySelector)
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'propertySelector'],
          'a preferred term cannot select by property',
          'move propertySelector to a required term',
        ),
      );
    if (preference.propertySorter)
      issues.push(...propertyNameIssues(preference.propertySorter.name, [...here, 'propertySorter', 'name']));
  });
  return issues;
}

function tolerationIssues({ tolerations = [] }: PlacementPolicy): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  tolerations.forEach((toleration, at) => {
    const here = ['spec', 'policy', 'tolerations', at];
    const { key = '', operator, value = '', effect = '' } = toleration;
    if (key !== '' && !isQualifiedName(key))
      issues.push(error('invalid-label', [...here, 'key'], `"${key}" is not a taint key`, labelKeyFix));
    if (operator === 'Exists' && value !== '')
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'value'],
          'operator Exists does not allow a value',
          'remove value, or use operator: Equal',
        ),
      );
    if (operator === 'Equal' && key === '')
      issues.push(
        error('field-required', [...here, 'key'], 'operator Equal needs a key', 'add a key, or use operator: Exists'),
      );
    if (operator === 'Equal' && !isLabelValue(value))
      issues.push(error('invalid-label', [...here, 'value'], `"${value}" is not a taint value`, labelValueFix));
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text))
      issues.push(error('duplicate', here, 'the same toleration is listed twice', 'keep one of them'));
    seen.add(text);
  });
  return issues;
}
