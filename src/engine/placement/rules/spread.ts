import type { PlacementPolicy, TopologySpreadConstraint } from '../../../api/placement.ts';
import type { FleetIndex } from '../compiled/compile-fleet.ts';
import type { DomainGroups } from '../compiled/domain-groups.ts';

/** Topology spread while clusters are being picked: the counts change with every pick, the rest does not. */
export interface Spread {
  /** All DoNotSchedule constraints in spec order, then all ScheduleAnyway: KubeFleet's order of evaluation. */
  readonly constraints: readonly TopologySpreadConstraint[];
  readonly groups: DomainGroups;
  /** Per constraint and domain, the live bindings there. */
  readonly counts: readonly Int32Array[];
}

/** The effect of one more copy, per group of clusters. */
export interface SpreadVerdicts extends Spread {
  /** The topology spread score. */
  readonly scores: Int32Array;
  /** 1 where a DoNotSchedule constraint forbids it. */
  readonly forbidden: Uint8Array;
  /** Per constraint and domain, 1 where it would be violated. */
  readonly violations: readonly Uint8Array[];
}

/** A soft constraint that would be violated costs this much (KubeFleet topologyspreadconstraints/scoring). */
const violationPenalty = 1000;

/**
 * The spread of a PickN policy over `liveRows`, the clusters with a binding of the current policy; undefined without
 * constraints. Domains come from all clusters, also those that nothing may be placed on.
 */
export function startSpread(
  policy: PlacementPolicy,
  index: FleetIndex,
  liveRows: Iterable<number>,
): Spread | undefined {
  if (!isSpread(policy)) return undefined;
  const wanted = policy.topologySpreadConstraints ?? [];
  const hard = wanted.filter(isHard);
  const constraints = [...hard, ...wanted.filter((constraint) => !isHard(constraint))];
  const groups = index.domains(constraints.map(({ topologyKey }) => topologyKey));
  const counts = groups.columns.map(({ values }) => new Int32Array(values.length));
  const spread = { constraints, groups, counts };
  for (const row of liveRows) countPick(spread, row);
  return spread;
}

/** Whether topology spread has anything to do. */
export const isSpread = ({ placementType, topologySpreadConstraints = [] }: PlacementPolicy): boolean =>
  placementType === 'PickN' && topologySpreadConstraints.length > 0;

/** Adds one live binding, in place. */
export function countPick({ groups, counts }: Spread, row: number): void {
  groups.columns.forEach(({ codes }, at) => {
    const domain = codes[row]!;
    if (domain >= 0) counts[at]![domain]! += 1;
  });
}

/** The effect of one more pick in each group: the score over all constraints, and whether a hard one forbids it. */
export function evaluateSpread(spread: Spread): SpreadVerdicts {
  const { constraints, groups, counts } = spread;
  const evaluated = constraints.map((constraint, at) => evaluateConstraint(constraint, counts[at]!));
  const scores = new Int32Array(groups.domains.length);
  const forbidden = new Uint8Array(groups.domains.length);
  for (let group = 0; group < groups.domains.length; group++) {
    const domains = groups.domains[group]!;
    let score = 0;
    for (let at = 0; at < evaluated.length; at++) {
      const domain = domains[at]!;
      if (domain < 0) continue;
      score += evaluated[at]!.scores[domain]!;
      if (evaluated[at]!.violated[domain] === 1 && isHard(constraints[at]!)) forbidden[group] = 1;
    }
    scores[group] = score;
  }
  return { ...spread, scores, forbidden, violations: evaluated.map(({ violated }) => violated) };
}

/** The state of one constraint, as `explain` prints it. The skew is that of the whole fleet, not of one domain. */
export function measure(counts: Int32Array): { readonly lo: number; readonly lo2: number; readonly hi: number } {
  let lo = Number.POSITIVE_INFINITY;
  let lo2 = Number.POSITIVE_INFINITY;
  let hi = 0;
  for (const count of counts) {
    if (count < lo) {
      lo2 = lo;
      lo = count;
    } else if (count < lo2) lo2 = count;
    if (count > hi) hi = count;
  }
  return { lo, lo2, hi };
}

/** How the global skew changes when a domain that holds `count` gets one more. */
export function skewChange(count: number, { lo, lo2, hi }: ReturnType<typeof measure>): -1 | 0 | 1 {
  if (hi === lo) return 1;
  if (count === lo && lo !== lo2) return -1;
  return count === hi ? 1 : 0;
}

/** A hard constraint filters clusters; a soft one only scores them. */
export const isHard = ({ whenUnsatisfiable }: TopologySpreadConstraint): boolean =>
  whenUnsatisfiable === 'DoNotSchedule';

/** Per domain of one constraint: whether one more copy violates it, and its part of the score. */
export function evaluateConstraint(
  constraint: TopologySpreadConstraint,
  counts: Int32Array,
): {
  readonly scores: Int32Array;
  readonly violated: Uint8Array;
} {
  const extent = measure(counts);
  const scores = new Int32Array(counts.length);
  const violated = new Uint8Array(counts.length);
  counts.forEach((count, domain) => {
    const change = skewChange(count, extent);
    const breaks = extent.hi - extent.lo + change > constraint.maxSkew;
    violated[domain] = breaks ? 1 : 0;
    scores[domain] = breaks ? (isHard(constraint) ? 0 : -violationPenalty) : -change;
  });
  return { scores, violated };
}
