import type { Placement } from '../../../api/placement.ts';
import type { Facet } from '../compiled/facets.ts';
import { clusterAffinity } from './cluster-affinity.ts';
import { clusterEligibility } from './cluster-eligibility.ts';
import { clusterNames } from './cluster-names.ts';
import { namespaceAffinity } from './namespace-affinity.ts';
import type { Rule } from './rule.ts';
import { samePlacementAntiAffinity } from './same-placement-anti-affinity.ts';
import { taintToleration } from './taint-toleration.ts';
import { topologySpread } from './topology-spread.ts';

/** KubeFleet's default profile in the order of its filters (pkg/scheduler/profile/profile.go). */
const profile: readonly Rule[] = [
  clusterAffinity,
  clusterEligibility,
  namespaceAffinity,
  taintToleration,
  samePlacementAntiAffinity,
  topologySpread,
];

/** KubeFleet runs no plugin for PickFixed, only its eligibility checker. */
const fixed: readonly Rule[] = [clusterNames, clusterEligibility];

/** The rules that a placement is scheduled by, in the order in which decisions and `explain` name them. */
export const rulesOf = ({ spec }: Placement): readonly Rule[] =>
  spec.policy.placementType === 'PickFixed' ? fixed : profile;

/** The parts of the members that the policy of a placement reads. */
export function facetsOf(placement: Placement): Facet[] {
  const facets = [names, ...rulesOf(placement).flatMap((rule) => rule.facets(placement))];
  return [...new Map(facets.map((facet) => [`${facet.kind} ${facet.name}`, facet])).values()];
}

const names: Facet = { kind: 'names', textOf: ({ name }) => name };
