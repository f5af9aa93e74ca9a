import { error, type Issue, info, warning } from '../issue.ts';
import { type Placement, selectsNamespaces } from '../placement.ts';
import { policyIssues } from './policy-rules.ts';
import { rolloutIssues } from './rollout-rules.ts';
import { selectionIssues } from './selection-rules.ts';

/** Rules of KubeFleet's CEL and webhook for placements, with warnings about probable mistakes. */
export function placementIssues(placement: Placement, written: unknown): Issue[] {
  const { spec, metadata, kind } = placement;
  return [
    ...(metadata.name.length > 63
      ? [
          error(
            'name-too-long',
            ['metadata', 'name'],
            'the name of a placement has at most 63 characters',
            'write a shorter name',
          ),
        ]
      : []),
    ...selectionIssues(spec.resourceSelectors, kind),
    ...policyIssues(spec.policy),
    ...rolloutIssues(spec, written),
    ...scopeIssues(placement),
    ...versionIssues(placement),
  ];
}

function scopeIssues({ spec, kind }: Placement): Issue[] {
  if (spec.statusReportingScope !== 'NamespaceAccessible') return [];
  const path = ['spec', 'statusReportingScope'];
  const namespaces = spec.resourceSelectors.filter(selectsNamespaces);
  if (kind === 'ResourcePlacement')
    return [
      warning(
        'ignored-field',
        path,
        'NamespaceAccessible has an effect only on ClusterResourcePlacements and is ignored: this status is in its namespace already',
        'remove statusReportingScope',
      ),
    ];
  return namespaces.length === 1
    ? []
    : [
        error(
          'invalid-status-scope',
          path,
          'NamespaceAccessible needs exactly one selector of kind Namespace',
          'select one Namespace, or remove statusReportingScope',
        ),
      ];
}

/** Fields of v1beta1, which gitfleet accepts in both versions and a hub would drop in v1. */
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
