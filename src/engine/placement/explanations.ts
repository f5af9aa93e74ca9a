import type { ClusterDecision } from '../../api/placement-state.ts';
import type { PolicyHistory } from './policy-snapshot.ts';
import { type Cycle, presentCycle } from './rules/cycle.ts';
import { facetsOf } from './rules/rules.ts';
import { explainUnselected, type UnselectedInput } from './unselected.ts';

export interface ExplanationFacts extends Omit<UnselectedInput, 'cycle'> {
  readonly history: PolicyHistory;
  readonly wanted: number;
  /** The last cycle of this plan; undefined when none ran. */
  readonly lastCycle: Cycle | undefined;
  readonly digest: (text: string) => string;
  /** Whether some member differs from the record. */
  readonly membersChanged: () => boolean;
}

export interface Explanations {
  readonly others: readonly ClusterDecision[];
  /** Digest of what the explanations depend on, for the record. */
  readonly explained: string | undefined;
}

/**
 * Why PickN did not select the other clusters, as the last cycle that ran explained it. That cycle saw the clusters before its own
 * picks, which a new plan cannot see again. So its explanations stay as recorded while policy, number, members and picks do not
 * change. Otherwise, or if none are recorded, they are computed from the present bindings.
 */
export function explanations(facts: ExplanationFacts): Explanations {
  const { placement, history, lastCycle, index, selected } = facts;
  const { latest } = history;
  const explained = explanationDigest(facts);
  const recorded =
    lastCycle === undefined ? latest.targetClusters?.filter((decision) => !decision.selected) : undefined;
  if (recorded !== undefined && latest.explained === explained) return { others: recorded, explained };
  const cycle = lastCycle ?? presentCycle(placement.spec.policy, index, selected);
  const others = explainUnselected({ ...facts, cycle });
  if (recorded === undefined) return { others, explained };
  if (latest.explained === undefined && isUnchanged(facts, recorded, others)) return { others: recorded, explained };
  // Where members changed without changing any explanation, the record stays as it is.
  return { others, explained: sameDecisions(recorded, others) ? latest.explained : explained };
}

/** A digest of policy, number, picks and everything that the policy reads of the members. */
function explanationDigest({ placement, history, wanted, index, selected, digest }: ExplanationFacts): string {
  const picks = Array.from(Int32Array.from(selected).sort(), (row) => index.members[row]!.name);
  const facets = facetsOf(placement).map((facet) => index.facetDigest(facet, digest));
  return digest([history.latest.policyHash, wanted, ...facets, ...picks].join('\n'));
}

/**
 * Whether a record without a digest, written by hand or migrated, still holds. Its policy is the present one, or it would have no
 * explanations. So its number, members and unselected clusters are compared.
 */
function isUnchanged(
  { history: { before }, wanted, membersChanged }: ExplanationFacts,
  recorded: readonly ClusterDecision[],
  others: readonly ClusterDecision[],
): boolean {
  const number = before?.numberOfClusters ?? before?.policy.numberOfClusters ?? wanted;
  return (
    number === wanted &&
    !membersChanged() &&
    new Set(recorded.map(({ clusterName }) => clusterName)).symmetricDifference(
      new Set(others.map(({ clusterName }) => clusterName)),
    ).size === 0
  );
}

const sameDecisions = (a: readonly ClusterDecision[], b: readonly ClusterDecision[]): boolean =>
  a.length === b.length && a.every((one, at) => one.clusterName === b[at]!.clusterName && one.reason === b[at]!.reason);
