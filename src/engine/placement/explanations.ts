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
  /** Whether some member is another than the record says. */
  readonly membersChanged: () => boolean;
}

export interface Explanations {
  readonly others: readonly ClusterDecision[];
  /** Goes with them into the record. */
  readonly explained: string | undefined;
}

/**
 * Why PickN did not select the other clusters, in the words of the last cycle that ran. It saw the clusters before its own picks,
 * and a replan cannot see that again: so its words stand as recorded while policy, number, members and picks are what they
 * were, and are made again from the present bindings when something of that changed or none are recorded.
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
  // A free core more or less that changes no explanation is no news: the record stays as it is.
  return { others, explained: sameDecisions(recorded, others) ? latest.explained : explained };
}

/** Stands for policy, number, picks and all that the policy reads of the members. */
function explanationDigest({ placement, history, wanted, index, selected, digest }: ExplanationFacts): string {
  const picks = Array.from(Int32Array.from(selected).sort(), (row) => index.members[row]!.name);
  const facets = facetsOf(placement).map((facet) => index.facetDigest(facet, digest));
  return digest([history.latest.policyHash, wanted, ...facets, ...picks].join('\n'));
}

/**
 * A record of another hand names no digest. Its policy is the present one, or there would be no recorded words; its number stands
 * there; its members and picks are those that its words are about, and its members what it says of them, if anything.
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
