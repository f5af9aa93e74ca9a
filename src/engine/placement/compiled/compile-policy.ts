import type { Taint } from '../../../api/member-cluster.ts';
import type { ClusterSelectorTerm, Placement, PlacementPolicy, Toleration } from '../../../api/placement.ts';
import { type AffinityTerm, affinityScores, compilePreference } from '../pick/affinity-score.ts';
import { canonicalPropertyName } from '../properties.ts';
import { addRows, type Bits, keepRows, listRows, noRows, removeRows } from './bits.ts';
import type { Facet, FleetIndex } from './compile-fleet.ts';
import { matchTerm } from './match-rows.ts';

/** One policy over one fleet: every filter but those that look at bindings, as the rows that fail it. */
export interface CompiledPolicy {
  /** Rows that pass all filters below and are eligible. */
  readonly passing: Bits;
  /** Rows that match a required term; undefined = there is none to match. */
  readonly matching: Bits | undefined;
  /** Properties that the policy names and some cluster has in a form that is no quantity. */
  readonly unparsable: readonly { readonly property: string; readonly rows: Bits }[];
  /** For a ResourcePlacement, rows on which its namespace may exist. */
  readonly namespaced: Bits | undefined;
  /** Rows with a taint that the policy does not tolerate. */
  readonly untolerated: Bits;
  readonly tolerated: (taint: Taint) => boolean;
  /** Preferred terms with a weight, none under PickAll (decision of KubeFleet's webhook: ignored there). */
  readonly terms: readonly AffinityTerm[];
  /** Affinity scores by row, of the rows that pass; made when first asked for. */
  readonly affinity: () => Int32Array;
  /** What of the fleet was read to get here. */
  readonly facets: readonly Facet[];
}

/** Compiles the filters and scores of a PickAll or PickN placement. */
export function compilePolicy(placement: Placement, index: FleetIndex): CompiledPolicy {
  const { kind, metadata, spec } = placement;
  const { policy } = spec;
  const { required, preferred } = termsOf(policy);
  const matching = required.length === 0 ? undefined : matchAny(required, index);
  const properties = propertiesOf(policy);
  const unparsable = properties.flatMap((property) => {
    const column = index.property(property);
    return column.anyUnparsable ? [{ property, rows: column.unparsable }] : [];
  });
  const namespaced = kind === 'ResourcePlacement' ? index.namespace(metadata.namespace ?? '') : undefined;
  const tolerated = (taint: Taint): boolean =>
    (policy.tolerations ?? []).some((toleration) => tolerates(toleration, taint));
  const untolerated = noRows(index.size);
  for (const { taint, rows } of index.taints) if (!tolerated(taint)) addRows(untolerated, rows);

  const passing = Uint32Array.from(index.eligible);
  if (matching) keepRows(passing, matching);
  if (namespaced) keepRows(passing, namespaced);
  for (const { rows } of unparsable) removeRows(passing, rows);
  removeRows(passing, untolerated);

  const terms = preferred.map(({ weight, preference }) => compilePreference(weight, preference, index));
  let scores: Int32Array | undefined;
  const affinityOnce = (): Int32Array => {
    scores ??= affinityScores(terms, listRows(passing), index.size);
    return scores;
  };
  const facets = facetsOf(placement);
  return { passing, matching, unparsable, namespaced, untolerated, tolerated, terms, affinity: affinityOnce, facets };
}

/** What of the fleet the policy of a placement reads. */
export function facetsOf({ kind, metadata, spec }: Placement): Facet[] {
  const { required, preferred } = termsOf(spec.policy);
  const spreadKeys = (spec.policy.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey);
  const labels = [...required, ...preferred.map(({ preference }) => preference)].flatMap(labelKeys);
  return [
    { kind: 'names' },
    { kind: 'eligibility' },
    { kind: 'taints' },
    ...[...new Set([...labels, ...spreadKeys])].map((name) => ({ kind: 'label', name }) as const),
    ...propertiesOf(spec.policy).map((name) => ({ kind: 'property', name }) as const),
    ...(kind === 'ResourcePlacement' ? [{ kind: 'namespace', name: metadata.namespace ?? '' } as const] : []),
  ];
}

/** Preferences count under PickN alone (decision of KubeFleet's webhook). */
function termsOf({ placementType, affinity }: PlacementPolicy) {
  const terms = affinity?.clusterAffinity;
  return {
    required: terms?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? [],
    preferred: placementType === 'PickN' ? (terms?.preferredDuringSchedulingIgnoredDuringExecution ?? []) : [],
  };
}

const propertiesOf = (policy: PlacementPolicy): string[] => {
  const { required, preferred } = termsOf(policy);
  return namedProperties([...required, ...preferred.map(({ preference }) => preference)]);
};

function matchAny(terms: readonly ClusterSelectorTerm[], index: FleetIndex): Bits {
  const any = noRows(index.size);
  for (const term of terms) addRows(any, matchTerm(term, index));
  return any;
}

const labelKeys = ({ labelSelector }: ClusterSelectorTerm): string[] => [
  ...Object.keys(labelSelector?.matchLabels ?? {}),
  ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
];

function namedProperties(terms: readonly ClusterSelectorTerm[]): string[] {
  const names = terms.flatMap(({ propertySelector, propertySorter }) => [
    ...(propertySelector?.matchExpressions ?? []).map(({ name }) => name),
    ...(propertySorter ? [propertySorter.name] : []),
  ]);
  return [...new Set(names.map(canonicalPropertyName))];
}

/** KubeFleet tainttoleration/filtering.go; an empty operator was made `Equal` when the file was loaded. */
export function tolerates({ key = '', operator, value = '', effect = '' }: Toleration, taint: Taint): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (operator === 'Exists') return key === '' || key === taint.key;
  return key === taint.key && value === (taint.value ?? '');
}
