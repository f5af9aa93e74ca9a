import type { ClusterName } from '../../../api/meta.ts';
import type { Placement } from '../../../api/placement.ts';
import type { BindingState, ClusterDecision } from '../../../api/placement-state.ts';
import { byText } from '../../kernel/ordering.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import { clusterNames } from '../rules/cluster-names.ts';
import { type CompiledPolicy, compilePolicy } from '../rules/compile-policy.ts';
import { type Cycle, presentCycle } from '../rules/cycle.ts';
import type { TermExplanation } from '../rules/rule.ts';
import { evaluateConstraint, measure, type Spread, skewChange } from '../rules/spread.ts';

/** Everything that the scheduler knows about one cluster and one placement, with the bindings of a plan. */
export interface ClusterExplanation {
  readonly clusterName: ClusterName;
  /** As the plan publishes it; absent where the decisions do not list the cluster (PickFixed, more than 1,000). */
  readonly decision?: ClusterDecision;
  /** State of its binding after this plan. */
  readonly binding?: BindingState;
  /** In KubeFleet's order. A failed filter does not stop the ones after it. */
  readonly filters: readonly FilterVerdict[];
  /** The present score of the cluster; only under PickN. Its decision keeps the score that it was picked with. */
  readonly score?: ScoreExplanation;
}

export interface FilterVerdict {
  readonly plugin: string;
  readonly passed: boolean;
  readonly reason?: string;
  /** The requirements of the policy that the cluster does not meet; only where the reason does not name them. */
  readonly unmet?: readonly string[];
}

export interface ScoreExplanation {
  readonly affinityScore: number;
  readonly topologySpreadScore: number;
  readonly terms: readonly TermExplanation[];
  readonly spread: readonly SpreadExplanation[];
}

export interface SpreadExplanation {
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly maxSkew: number;
  /** The cluster's value of the label; absent = the constraint ignores the cluster. */
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
  /** With the policy in effect. */
  readonly placement: Placement;
  readonly index: FleetIndex;
  /** Its part of the plan. */
  readonly planned: {
    readonly decisions: readonly ClusterDecision[];
    readonly bindings: readonly {
      readonly clusterName: ClusterName;
      readonly state: BindingState;
      readonly move: string;
    }[];
  };
}

/**
 * Explains all clusters by name, or one. A name that is neither in the fleet nor in the policy gives an empty list. Clusters that
 * PickFixed names and the fleet does not have are listed too.
 */
export function explain(input: ExplainInput, clusterName?: ClusterName): readonly ClusterExplanation[] {
  const { placement, index, planned } = input;
  const decisions = new Map(planned.decisions.map((decision) => [decision.clusterName, decision]));
  const bindings = new Map(
    planned.bindings.flatMap(({ clusterName: name, state, move }) =>
      move === 'remove' ? [] : [[name, state] as const],
    ),
  );
  const live = new Set(
    [...bindings].flatMap(([name, state]) => (state === 'Unscheduled' ? [] : (index.rowOf.get(name) ?? []))),
  );
  const { policy } = placement.spec;
  const compiled = compilePolicy(placement, index);
  const cycle = { ...presentCycle(policy, index, live), live };
  const names = new Set([...index.members.map(({ name }) => name), ...(policy.clusterNames ?? [])]);
  return [...names]
    .filter((name) => clusterName === undefined || name === clusterName)
    .sort(byText)
    .map((name) => {
      const decision = decisions.get(name);
      const binding = bindings.get(name);
      const row = index.rowOf.get(name);
      return {
        clusterName: name,
        ...(decision && { decision }),
        ...(binding && { binding }),
        filters: row === undefined ? [notInFleet] : explainFilters(compiled, cycle, row),
        ...(row !== undefined && policy.placementType === 'PickN' && { score: explainScore(compiled, cycle, row) }),
      };
    });
}

const notInFleet: FilterVerdict = {
  plugin: clusterNames.name,
  passed: false,
  reason: 'the fleet has no cluster of this name',
};

const explainFilters = ({ filters }: CompiledPolicy, cycle: Cycle, row: number): FilterVerdict[] =>
  filters.map(({ name: plugin, filter }) => {
    const { reasons, unmet } = filter?.explain?.(row, cycle) ?? { reasons: filter?.reasons(row, cycle) ?? [] };
    if (reasons.length === 0) return { plugin, passed: true };
    return { plugin, passed: false, reason: reasons.join('; '), ...(unmet && { unmet }) };
  });

function explainScore(compiled: CompiledPolicy, { spread }: Cycle, row: number): ScoreExplanation {
  const terms = compiled.terms.map((term) => term.explain(row));
  const constraints = spread ? explainSpread(spread, row) : [];
  const sum = (list: readonly { readonly score: number }[]): number =>
    list.reduce((total, { score }) => total + score, 0);
  return { affinityScore: sum(terms), topologySpreadScore: sum(constraints), terms, spread: constraints };
}

function explainSpread({ constraints, groups, counts }: Spread, row: number): SpreadExplanation[] {
  return constraints.map((constraint, at): SpreadExplanation => {
    const { topologyKey, whenUnsatisfiable, maxSkew } = constraint;
    const domain = groups.columns[at]!.codes[row]!;
    if (domain < 0) return { topologyKey, whenUnsatisfiable, maxSkew, violated: false, score: 0 };
    const extent = measure(counts[at]!);
    const { violated, scores } = evaluateConstraint(constraint, counts[at]!);
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
