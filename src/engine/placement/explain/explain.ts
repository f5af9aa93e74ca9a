import type { ClusterName } from '../../../api/meta.ts';
import type { Placement } from '../../../api/placement.ts';
import type { BindingState, ClusterDecision } from '../../../api/placement-state.ts';
import { byText } from '../../kernel/ordering.ts';
import type { PlannedPlacement } from '../../plan-document.ts';
import { hasRow } from '../compiled/bits.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { type CompiledPolicy, compilePolicy } from '../compiled/compile-policy.ts';
import { type AffinityTerm, termScore } from '../pick/affinity-score.ts';
import { isHard, judgeConstraint, measure, type Spread, skewChange, startSpread } from '../pick/spread.ts';
import { reasons } from '../reasons.ts';
import { requirementsOf, type UnmetRequirements } from './requirements.ts';

/** Everything the scheduler knows about one cluster and one placement, with all bindings of a plan in place. */
export interface ClusterExplanation {
  readonly clusterName: ClusterName;
  /** As the plan publishes it; absent where the decisions leave the cluster out (PickFixed, more than 1,000). */
  readonly decision?: ClusterDecision;
  /** State of its binding after this plan. */
  readonly binding?: BindingState;
  /** In KubeFleet's order. A failed filter does not stop the ones after it. */
  readonly filters: readonly FilterVerdict[];
  /** What the cluster would score now; only under PickN. A selected one keeps the score it was picked with. */
  readonly score?: ScoreExplanation;
}

export interface FilterVerdict {
  readonly plugin: string;
  readonly passed: boolean;
  readonly reason?: string;
  /** What of the policy's requirements the cluster does not have; only where the reason leaves it open. */
  readonly unmet?: readonly string[];
}

export interface ScoreExplanation {
  readonly affinityScore: number;
  readonly topologySpreadScore: number;
  readonly terms: readonly TermExplanation[];
  readonly spread: readonly SpreadExplanation[];
}

export interface TermExplanation {
  readonly weight: number;
  readonly labelsMatch: boolean;
  readonly property?: string;
  readonly sortOrder?: 'Ascending' | 'Descending';
  /** As written on the cluster; absent where it has none. */
  readonly value?: string;
  /** Smallest and largest of the whole fleet. */
  readonly min?: number;
  readonly max?: number;
  readonly score: number;
}

export interface SpreadExplanation {
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly maxSkew: number;
  /** The cluster's value of the label; absent = the constraint does not look at it. */
  readonly domain?: string;
  /** Live bindings there, in the emptiest and in the fullest domain. */
  readonly count?: number;
  readonly lowest?: number;
  readonly highest?: number;
  /** How one more copy would change the global skew. */
  readonly change?: number;
  readonly violated: boolean;
  readonly score: number;
}

export interface ExplainInput {
  /** With the policy that it is scheduled by. */
  readonly placement: Placement;
  readonly index: FleetIndex;
  /** What the plan makes of it. */
  readonly planned: Pick<PlannedPlacement, 'decisions' | 'bindings'>;
}

/**
 * Explains all clusters by name, or one; a name that neither the fleet nor the policy has gives an empty list. What PickFixed
 * names and the fleet does not have is told too.
 */
export function explain(input: ExplainInput, clusterName?: ClusterName): readonly ClusterExplanation[] {
  const { placement, index, planned } = input;
  const decisions = new Map(planned.decisions.map((decision) => [decision.clusterName, decision]));
  const bindings = new Map(
    planned.bindings.flatMap(({ clusterName: name, state, move }) =>
      move === 'remove' ? [] : [[name, state] as const],
    ),
  );
  const liveRows = new Set(
    [...bindings].flatMap(([name, state]) => (state === 'Unscheduled' ? [] : (index.rowOf.get(name) ?? []))),
  );
  const { policy } = placement.spec;
  const context: Context = {
    input,
    compiled: compilePolicy(placement, index),
    spread: startSpread(policy, index, liveRows),
    unmet: requirementsOf(
      policy.affinity?.clusterAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? [],
      index,
    ),
    liveRows,
  };
  const names = new Set([...index.members.map(({ name }) => name), ...(policy.clusterNames ?? [])]);
  return [...names]
    .filter((name) => clusterName === undefined || name === clusterName)
    .sort(byText)
    .map((name) => {
      const decision = decisions.get(name);
      const binding = bindings.get(name);
      return {
        clusterName: name,
        ...(decision && { decision }),
        ...(binding && { binding }),
        ...verdicts(context, index.rowOf.get(name)),
      };
    });
}

function verdicts(context: Context, row: number | undefined): Pick<ClusterExplanation, 'filters' | 'score'> {
  if (row === undefined) return { filters: [verdict('ClusterNames', ['the fleet has no cluster of this name'])] };
  switch (context.input.placement.spec.policy.placementType) {
    case 'PickFixed':
      return { filters: fixedFilters(context, row) };
    case 'PickN':
      return { filters: filters(context, row), score: explainScore(context, row) };
    case 'PickAll':
      return { filters: filters(context, row) };
  }
}

interface Context {
  readonly input: ExplainInput;
  readonly compiled: CompiledPolicy;
  readonly spread: Spread | undefined;
  readonly unmet: UnmetRequirements;
  readonly liveRows: ReadonlySet<number>;
}

const verdict = (plugin: string, failures: readonly string[]): FilterVerdict =>
  failures.length === 0 ? { plugin, passed: true } : { plugin, passed: false, reason: failures.join('; ') };

const eligibility = ({ members }: FleetIndex, row: number): FilterVerdict => {
  const judged = members[row]!.eligibility;
  return verdict('ClusterEligibility', judged.eligible ? [] : [judged.reason]);
};

function fixedFilters({ input: { placement, index } }: Context, row: number): FilterVerdict[] {
  const named = placement.spec.policy.clusterNames?.includes(index.members[row]!.name);
  return [verdict('ClusterNames', named ? [] : ['cluster is not named in the policy']), eligibility(index, row)];
}

function filters({ input, compiled, spread, unmet, liveRows }: Context, row: number): FilterVerdict[] {
  const { placement, index } = input;
  const member = index.members[row]!;
  const unmatched = compiled.matching !== undefined && !hasRow(compiled.matching, row);
  const unparsable = compiled.unparsable.filter(({ rows }) => hasRow(rows, row));
  const elsewhere = compiled.namespaced !== undefined && !hasRow(compiled.namespaced, row);
  const violated = (spread ? explainSpread(spread, row) : []).flatMap((entry, at) => {
    const constraint = spread!.constraints[at]!;
    return entry.violated && isHard(constraint) ? [reasons.spread(constraint)] : [];
  });
  return [
    {
      ...verdict('ClusterAffinity', [
        ...(unmatched ? [reasons.affinity] : []),
        ...unparsable.map(({ property }) => reasons.unparsable(property, member.properties[property]!)),
      ]),
      ...(unmatched && { unmet: unmet(row) }),
    },
    eligibility(index, row),
    verdict('NamespaceAffinity', elsewhere ? [reasons.namespace(placement.metadata.namespace ?? '')] : []),
    verdict(
      'TaintToleration',
      member.taints.filter((taint) => !compiled.tolerated(taint)).map((taint) => reasons.taint(taint)),
    ),
    verdict('SamePlacementAntiAffinity', liveRows.has(row) ? ['the placement is on this cluster already'] : []),
    verdict('TopologySpreadConstraints', violated),
  ];
}

function explainScore({ input, compiled, spread }: Context, row: number): ScoreExplanation {
  const terms = compiled.terms.map((term) => explainTerm(term, input.index, row));
  const constraints = spread ? explainSpread(spread, row) : [];
  const sum = (list: readonly { readonly score: number }[]): number =>
    list.reduce((total, { score }) => total + score, 0);
  return { affinityScore: sum(terms), topologySpreadScore: sum(constraints), terms, spread: constraints };
}

function explainTerm(term: AffinityTerm, index: FleetIndex, row: number): TermExplanation {
  const { weight, matching, sorter } = term;
  const value = sorter && index.members[row]!.properties[sorter.property];
  const ranged = sorter !== undefined && !Number.isNaN(sorter.column.min);
  return {
    weight,
    labelsMatch: matching === undefined || hasRow(matching, row),
    ...(sorter && { property: sorter.property, sortOrder: sorter.ascending ? 'Ascending' : 'Descending' }),
    ...(value !== undefined && { value }),
    ...(ranged && { min: sorter.column.min, max: sorter.column.max }),
    score: termScore(term, row),
  };
}

function explainSpread({ constraints, groups, counts }: Spread, row: number): SpreadExplanation[] {
  return constraints.map((constraint, at): SpreadExplanation => {
    const { topologyKey, whenUnsatisfiable, maxSkew } = constraint;
    const domain = groups.columns[at]!.codes[row]!;
    if (domain < 0) return { topologyKey, whenUnsatisfiable, maxSkew, violated: false, score: 0 };
    const extent = measure(counts[at]!);
    const { violated, scores } = judgeConstraint(constraint, counts[at]!);
    return {
      topologyKey,
      whenUnsatisfiable,
      maxSkew,
      domain: groups.columns[at]!.values[domain]!,
      count: counts[at]![domain]!,
      lowest: extent.lo,
      highest: extent.hi,
      change: skewChange(counts[at]![domain]!, extent),
      violated: violated[domain] === 1,
      score: scores[domain]!,
    };
  });
}
