import type { ClusterSelectorTerm, PlacementPolicy } from '../../../api/placement.ts';
import type { Fleet, FleetRecord } from '../../input.ts';
import { shortened } from '../../kernel/shortened.ts';
import { addRows, type Bits, everyRow, hasRow, noRows, removeRows } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { labelFacet, propertyFacet } from '../compiled/facets.ts';
import { canonicalPropertyName } from '../properties.ts';
import { matchTerm } from './match-term.ts';
import { compilePreference } from './preferences.ts';
import { requirementsOf } from './requirements.ts';
import type { Filter, Rule } from './rule.ts';

/** KubeFleet clusteraffinity: a cluster must match one required term; preferred terms give it points. */
export const clusterAffinity: Rule = {
  name: 'ClusterAffinity',
  facets: ({ spec }) => [
    ...termsOf(spec.policy).flatMap(labelKeys).map(labelFacet),
    ...propertiesOf(spec.policy).map(propertyFacet),
  ],
  variants: 2,
  filter: ({ spec }, index) => filter(spec.policy, index),
  score: ({ spec }, index) =>
    preferredTerms(spec.policy).map(({ weight, preference }) => compilePreference(weight, preference, index)),
};

function filter(policy: PlacementPolicy, index: FleetIndex): Filter | undefined {
  const required = requiredTerms(policy);
  const unparsable = propertiesOf(policy).flatMap((property) => {
    const rows = index.property(property).unparsable;
    return rows ? [{ property, rows }] : [];
  });
  if (required.length === 0 && unparsable.length === 0) return undefined;
  const matching = required.length === 0 ? everyRow(index.size) : matchAny(required, index);
  const mask = Uint32Array.from(matching);
  for (const { rows } of unparsable) removeRows(mask, rows);
  const reasons = (row: number): string[] => [
    ...(hasRow(matching, row) ? [] : ['cluster does not match any of the required cluster affinity terms']),
    ...unparsable
      .filter(({ rows }) => hasRow(rows, row))
      .map(({ property }) => notAQuantity(property, index.members[row]!.properties[property]!)),
  ];
  const unmet = requirementsOf(required, index);
  return {
    mask,
    reasons,
    explain: (row) => ({ reasons: reasons(row), ...(!hasRow(matching, row) && { unmet: unmet(row) }) }),
    variant: unparsable.length === 0 ? (row) => (hasRow(matching, row) ? 0 : 1) : undefined,
  };
}

function matchAny(terms: readonly ClusterSelectorTerm[], index: FleetIndex): Bits {
  const any = noRows(index.size);
  for (const term of terms) addRows(any, matchTerm(term, index));
  return any;
}

const notAQuantity = (property: string, value: string): string =>
  `property "${property}" has the value "${shortened(value, 80)}", which is not a quantity`;

const requiredTerms = ({ affinity }: PlacementPolicy) =>
  affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? [];

/** Preferences count under PickN alone (decision of KubeFleet's webhook). */
const preferredTerms = ({ placementType, affinity }: PlacementPolicy) =>
  placementType === 'PickN' ? (affinity?.clusterAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) : [];

const termsOf = (policy: PlacementPolicy): ClusterSelectorTerm[] => [
  ...requiredTerms(policy),
  ...preferredTerms(policy).map(({ preference }) => preference),
];

const labelKeys = ({ labelSelector }: ClusterSelectorTerm): string[] => [
  ...Object.keys(labelSelector?.matchLabels ?? {}),
  ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
];

/** Whether decisions of placements depend on properties of clusters. */
export const chooseByProperties = (
  fleet: Pick<Fleet, 'placements'>,
  record: Pick<FleetRecord, 'placements'>,
): boolean =>
  fleet.placements.some(({ spec }) => readsProperties(spec.policy)) ||
  // A placement whose file is invalid is held at its last good version.
  [...record.placements.values()].some(({ object }) => object !== undefined && readsProperties(object.spec.policy));

const readsProperties = (policy: PlacementPolicy): boolean => propertiesOf(policy).length > 0;

function propertiesOf(policy: PlacementPolicy): string[] {
  const names = termsOf(policy).flatMap(({ propertySelector, propertySorter }) => [
    ...(propertySelector?.matchExpressions ?? []).map(({ name }) => name),
    ...(propertySorter ? [propertySorter.name] : []),
  ]);
  return [...new Set(names.map(canonicalPropertyName))];
}
