import { error, type Issue, info, warning } from '../issue.ts';
import type { Placement, PlacementPolicy, ResourceSelector, RolloutStrategy } from '../placement.ts';
import { isIntOrPercent, isLabelValue, isQualifiedName, isSubdomain } from '../syntax.ts';
import { propertyNameIssues, propertySelectorIssues } from './property-rules.ts';
import { selectorIssues } from './selector-rules.ts';

/** What KubeFleet's CEL rules and webhook refuse in a placement, and what a careful operator would want to know. */
export function placementIssues(placement: Placement): Issue[] {
  const { spec, metadata, kind } = placement;
  return [
    ...(metadata.name.length > 63
      ? [error('name-too-long', ['metadata', 'name'], 'the name of a placement has at most 63 characters')]
      : []),
    ...selectorListIssues(spec.resourceSelectors, kind),
    ...policyIssues(spec.policy),
    ...strategyIssues(spec.strategy),
    ...scopeIssues(placement),
    ...versionIssues(placement),
  ];
}

const isNamespace = ({ group, version, kind }: ResourceSelector): boolean =>
  group === '' && version === 'v1' && kind === 'Namespace';

function selectorListIssues(selectors: readonly ResourceSelector[], kind: Placement['kind']): Issue[] {
  const issues: Issue[] = [];
  const at = (index: number, ...rest: string[]): Issue['path'] => ['spec', 'resourceSelectors', index, ...rest];
  const withSelectors = selectors.flatMap((selector, index) =>
    selector.selectionScope === 'NamespaceWithResourceSelectors' ? [{ selector, index }] : [],
  );
  selectors.forEach((selector, index) => {
    if (selector.name && selector.labelSelector !== undefined) {
      issues.push(
        error(
          'exclusive-fields',
          at(index),
          'name and labelSelector exclude each other',
          'keep one of them, or write two selectors',
        ),
      );
    }
    issues.push(...selectorIssues(selector.labelSelector, at(index, 'labelSelector')));
    if (selector.selectionScope !== 'NamespaceWithResources' && !isNamespace(selector)) {
      issues.push(
        error(
          'invalid-selection-scope',
          at(index, 'selectionScope'),
          `selectionScope ${selector.selectionScope} is only for the core kind Namespace`,
        ),
      );
    }
  });
  if (withSelectors.length > 1)
    issues.push(
      error(
        'invalid-selection-scope',
        at(withSelectors[1]!.index),
        'only one selector may have selectionScope NamespaceWithResourceSelectors',
      ),
    );
  const [only] = withSelectors;
  if (only) {
    if (kind === 'ResourcePlacement')
      issues.push(
        error('invalid-selection-scope', at(only.index), 'a ResourcePlacement selects in its own namespace only'),
      );
    if (!only.selector.name || only.selector.labelSelector !== undefined) {
      issues.push(
        error(
          'invalid-selection-scope',
          at(only.index),
          'NamespaceWithResourceSelectors needs a namespace by name, not by labels',
        ),
      );
    }
    selectors.forEach((selector, index) => {
      if (index !== only.index && isNamespace(selector))
        issues.push(
          error(
            'invalid-selection-scope',
            at(index),
            'beside NamespaceWithResourceSelectors no other Namespace may be selected',
          ),
        );
    });
  }
  return issues;
}

function policyIssues(policy: PlacementPolicy): Issue[] {
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
        error('field-not-allowed', [...path, field], `${field} has no meaning for ${type}`, `remove ${field}`),
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
    // KubeFleet takes any text here and never finds a domain under it.
    if (!isQualifiedName(topologyKey))
      issues.push(
        warning(
          'invalid-label',
          [...path, 'topologySpreadConstraints', at, 'topologyKey'],
          `"${topologyKey}" is no label key: no cluster can have it, so the constraint never counts`,
          'name a label of the members',
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
      issues.push(error('invalid-name', here, `"${name}" is no cluster name`));
    if (names.indexOf(name) !== at)
      issues.push(error('duplicate', here, `${name} is listed twice`, 'keep one of them'));
  });
  if (names.length === 0)
    issues.push(
      warning(
        'selects-nothing',
        [...path, 'clusterNames'],
        'PickFixed with no names selects nothing and removes what the placement had',
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
      issues.push(error('invalid-label', [...here, 'key'], `"${key}" is no taint key`));
    if (operator === 'Exists' && value !== '')
      issues.push(
        error(
          'field-not-allowed',
          [...here, 'value'],
          'operator Exists takes no value',
          'remove value, or use operator: Equal',
        ),
      );
    if (operator === 'Equal' && key === '')
      issues.push(
        error('field-required', [...here, 'key'], 'operator Equal needs a key', 'add a key, or use operator: Exists'),
      );
    if (operator === 'Equal' && !isLabelValue(value))
      issues.push(error('invalid-label', [...here, 'value'], `"${value}" is no taint value`));
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text))
      issues.push(error('duplicate', here, 'the same toleration is listed twice', 'keep one of them'));
    seen.add(text);
  });
  return issues;
}

function strategyIssues(strategy: RolloutStrategy): Issue[] {
  const path = ['spec', 'strategy'];
  const issues: Issue[] = [];
  const { type, rollingUpdate, applyStrategy, reportBackStrategy } = strategy;
  if (type === 'External' && rollingUpdate)
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'rollingUpdate'],
        'rollingUpdate has no meaning for External',
        'remove rollingUpdate',
      ),
    );
  if (applyStrategy.serverSideApplyConfig && applyStrategy.type !== 'ServerSideApply') {
    issues.push(
      error(
        'field-not-allowed',
        [...path, 'applyStrategy', 'serverSideApplyConfig'],
        `serverSideApplyConfig is only for ServerSideApply, not ${applyStrategy.type}`,
      ),
    );
  }
  if (reportBackStrategy?.type === 'Mirror' && reportBackStrategy.destination === undefined) {
    issues.push(
      error(
        'field-required',
        [...path, 'reportBackStrategy', 'destination'],
        'Mirror needs a destination',
        'add destination: OriginalResource or WorkAPI',
      ),
    );
  }
  if (!rollingUpdate) return issues;
  const zero: string[] = [];
  for (const field of ['maxUnavailable', 'maxSurge'] as const) {
    const value = String(rollingUpdate[field]);
    if (!isIntOrPercent(value))
      issues.push(
        error(
          'invalid-int-or-percent',
          [...path, 'rollingUpdate', field],
          `"${value}" is neither a number of 0 or more nor a percentage up to 100%`,
          'write for example 1 or 25%',
        ),
      );
    else if (value === '0' || value === '0%' || value === '00%') zero.push(field);
  }
  if (zero.length === 2)
    issues.push(
      warning(
        'rollout-cannot-move',
        [...path, 'rollingUpdate'],
        'maxUnavailable and maxSurge are both 0: the rollout cannot move',
        'set maxUnavailable to at least 1',
      ),
    );
  else
    for (const field of zero)
      issues.push(
        warning(
          'zero-budget',
          [...path, 'rollingUpdate', field],
          `${field} is 0: ${field === 'maxSurge' ? 'clusters are added only when others are removed' : 'healthy clusters are never updated in place'}`,
        ),
      );
  return issues;
}

function scopeIssues({ spec, kind }: Placement): Issue[] {
  if (spec.statusReportingScope !== 'NamespaceAccessible') return [];
  const path = ['spec', 'statusReportingScope'];
  const namespaces = spec.resourceSelectors.filter(isNamespace);
  if (kind === 'ResourcePlacement')
    return [error('field-not-allowed', path, 'NamespaceAccessible is for ClusterResourcePlacements')];
  return namespaces.length === 1
    ? []
    : [error('invalid-status-scope', path, 'NamespaceAccessible needs exactly one selector of kind Namespace')];
}

/** Fields that only v1beta1 has; gitfleet takes them in both, a hub would drop them. */
function versionIssues({ apiVersion, spec }: Placement): Issue[] {
  if (!apiVersion.endsWith('/v1')) return [];
  return (['deleteStrategy', 'reportBackStrategy'] as const)
    .filter((field) => spec.strategy[field] !== undefined)
    .map((field) =>
      info(
        'v1beta1-field',
        ['spec', 'strategy', field],
        `${field} is a field of v1beta1: KubeFleet would drop it in v1`,
      ),
    );
}
