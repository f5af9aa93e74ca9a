import type { LabelOperatorName } from '../../../src/api/label-operators.ts';
import type { LabelSelector } from '../../../src/api/meta.ts';
import type { ClusterSelectorTerm, Placement, PlacementPolicy } from '../../../src/api/placement.ts';
import type { Binding, ClusterDecision, PolicySnapshotEntry } from '../../../src/api/placement-state.ts';
import type { PropertyOperatorName } from '../../../src/api/property-operators.ts';
import { parseQuantity, type Quantity } from '../../../src/api/quantity.ts';
import { canonicalJson } from '../../../src/engine/kernel/canonical-json.ts';
import { shortened } from '../../../src/engine/kernel/shortened.ts';
import type { Member } from '../../../src/engine/placement/members.ts';
import { reasons } from '../../../src/engine/placement/reasons.ts';
import { taintText } from '../../../src/engine/placement/taint-text.ts';

/*
 * A second scheduler, written from KubeFleet's rules alone: whole clusters, one loop per rule, every cycle run in full. It shares
 * the quantities and the wording with the real one and nothing else.
 */

export interface OracleInput {
  readonly placement: Placement;
  readonly policySnapshots: readonly PolicySnapshotEntry[];
  readonly bindings: readonly Binding[];
  readonly members: readonly Member[];
}

export interface OracleOutcome {
  readonly bindings: readonly Binding[];
  readonly decisions: readonly ClusterDecision[];
  readonly status: 'True' | 'False';
  readonly latestIndex: number;
  /** False when no cycle scored anything, so that explanations are those of the present state. */
  readonly cycled: boolean;
}

interface Score {
  readonly spread: number;
  readonly affinity: number;
  readonly obsolete: number;
}

interface Cycle {
  readonly scored: readonly { readonly name: string; readonly score: Score }[];
  readonly filtered: readonly { readonly name: string; readonly reason: string }[];
}

export function naiveSchedule({ placement, policySnapshots, bindings, members }: OracleInput): OracleOutcome {
  const { policy } = placement.spec;
  const before = [...policySnapshots].sort((a, b) => b.index - a.index);
  const latest = before.find((entry) => entry.latest) ?? before[0];
  // Go leaves an empty list out, so adding one is no change of policy; only these lists of a policy are optional.
  const bare = (value: PlacementPolicy) =>
    canonicalJson(
      JSON.parse(JSON.stringify({ ...value, numberOfClusters: undefined }), (key, item) =>
        Array.isArray(item) && item.length === 0 && /^(preferred|tolerations|topology|clusterNames)/.test(key)
          ? undefined
          : item,
      ),
    );
  const latestIndex =
    latest && bare(latest.policy) === bare(policy) ? latest.index : before.length === 0 ? 0 : before[0]!.index + 1;

  let state = bindings.map((binding) => ({ ...binding }));
  const findMember = (name: string) => members.find((member) => member.name === name);
  const isCurrent = (binding: Binding) =>
    !binding.deleting && binding.state !== 'Unscheduled' && binding.policySnapshotIndex === latestIndex;
  const isObsolete = (binding: Binding) =>
    !binding.deleting && binding.state !== 'Unscheduled' && binding.policySnapshotIndex !== latestIndex;
  const drop = (binding: Binding): Binding => {
    const next: Binding = { ...binding, state: 'Unscheduled' };
    delete next.previousState;
    if (binding.state === 'Bound') next.previousState = 'Bound';
    return next;
  };
  const dropWhere = (gone: (binding: Binding) => boolean) => {
    state = state.map((binding) =>
      !binding.deleting && binding.state !== 'Unscheduled' && gone(binding) ? drop(binding) : binding,
    );
  };
  const take = (name: string, decision: ClusterDecision) => {
    const at = state.findIndex((binding) => !binding.deleting && binding.targetCluster === name);
    if (at < 0) {
      state.push({
        targetCluster: name,
        state: 'Scheduled',
        policySnapshotIndex: latestIndex,
        clusterDecision: decision,
      });
      return;
    }
    const old = state[at]!;
    const next: Binding = { ...old, policySnapshotIndex: latestIndex, clusterDecision: decision };
    if (old.state === 'Unscheduled') next.state = old.previousState ?? 'Scheduled';
    delete next.previousState;
    state[at] = next;
  };
  const finish = (decisions: readonly ClusterDecision[], fulfilled: boolean, cycled: boolean): OracleOutcome => ({
    bindings: state
      .map((binding, at) => ({ binding, at }))
      .sort((a, b) =>
        a.binding.targetCluster !== b.binding.targetCluster
          ? a.binding.targetCluster < b.binding.targetCluster
            ? -1
            : 1
          : Number(b.binding.deleting ?? false) - Number(a.binding.deleting ?? false) || a.at - b.at,
      )
      .map(({ binding }) => binding),
    decisions: decisions.slice(0, 1000),
    status: fulfilled ? 'True' : 'False',
    latestIndex,
    cycled,
  });

  // A cluster that is gone or going loses its bindings, whatever the policy.
  dropWhere((binding) => findMember(binding.targetCluster)?.leaving !== false);

  if (policy.placementType === 'PickFixed') {
    const names = policy.clusterNames ?? [];
    const selected: ClusterDecision[] = [];
    const refused: ClusterDecision[] = [];
    for (const name of names) {
      const member = findMember(name);
      const decision = { clusterName: name, selected: true, reason: reasons.pickedByName(name) };
      if (!member) refused.push({ clusterName: name, selected: false, reason: reasons.notFound(name) });
      else if (!member.eligibility.eligible) {
        refused.push({
          clusterName: name,
          selected: false,
          reason: reasons.notEligible(name, member.eligibility.reason),
        });
      } else {
        selected.push(decision);
        if (!state.some((binding) => isCurrent(binding) && binding.targetCluster === name)) take(name, decision);
      }
    }
    dropWhere((binding) => isObsolete(binding) || names.length === 0);
    return finish([...selected, ...refused], refused.length === 0, false);
  }

  const live = () => state.filter(isCurrent);
  const holds = (name: string) => live().some((binding) => binding.targetCluster === name);
  const runCycle = (): Cycle => {
    const scored: { name: string; score: Score }[] = [];
    const filtered: { name: string; reason: string }[] = [];
    const liveNow = live().map((binding) => binding.targetCluster);
    const obsoleteNow = state.filter(isObsolete).map((binding) => binding.targetCluster);
    for (const member of members) {
      if (liveNow.includes(member.name)) continue;
      const spread = spreadOf(member, members, liveNow, policy);
      const failures = [...filterFailures(member, placement), ...spread.failures];
      if (failures.length > 0) filtered.push({ name: member.name, reason: reasons.filtered(failures) });
      else {
        const affinity = policy.placementType === 'PickN' ? affinityOf(member, members, policy) : 0;
        const obsolete = obsoleteNow.includes(member.name) ? 1 : 0;
        scored.push({ name: member.name, score: { spread: spread.score, affinity, obsolete } });
      }
    }
    scored.sort(
      (a, b) =>
        b.score.spread - a.score.spread ||
        b.score.affinity - a.score.affinity ||
        b.score.obsolete - a.score.obsolete ||
        (a.name < b.name ? 1 : -1),
    );
    filtered.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { scored, filtered };
  };
  const pickedDecision = (name: string, affinity: number, spread: number): ClusterDecision => ({
    clusterName: name,
    selected: true,
    clusterScore: { affinityScore: affinity, topologySpreadScore: spread },
    reason: reasons.picked(name, affinity, spread),
  });
  const decide = (last: Cycle): ClusterDecision[] => {
    const selected = live().map((binding): ClusterDecision => {
      const score = binding.clusterDecision?.clusterScore;
      const reason =
        binding.clusterDecision?.reason ||
        (score
          ? reasons.picked(binding.targetCluster, score.affinityScore, score.topologySpreadScore)
          : reasons.pickedUnscored(binding.targetCluster));
      return { clusterName: binding.targetCluster, selected: true, ...(score && { clusterScore: score }), reason };
    });
    const recorded = (decision: ClusterDecision) =>
      decision.clusterScore
        ? [decision.clusterScore.topologySpreadScore, decision.clusterScore.affinityScore]
        : [-1e15, -1e15];
    selected.sort((a, b) => {
      const byName = a.clusterName < b.clusterName ? -1 : 1;
      if (policy.placementType === 'PickAll') return byName;
      const [x, y] = [recorded(a), recorded(b)];
      return y[0]! - x[0]! || y[1]! - x[1]! || -byName;
    });
    const others = [
      ...last.scored.map(
        ({ name, score }): ClusterDecision => ({
          clusterName: name,
          selected: false,
          clusterScore: { affinityScore: score.affinity, topologySpreadScore: score.spread },
          reason: `${reasons.outscoredBy(name)}${reasons.scores(score.affinity, score.spread)}`,
        }),
      ),
      ...last.filtered.map(({ name, reason }): ClusterDecision => ({ clusterName: name, selected: false, reason })),
    ];
    return [...selected, ...others.filter((decision) => !holds(decision.clusterName))];
  };

  if (policy.placementType === 'PickAll') {
    const cycle = runCycle();
    for (const { name } of cycle.scored) take(name, pickedDecision(name, 0, 0));
    dropWhere(isObsolete);
    return finish(decide(cycle), true, false);
  }

  const wanted = policy.numberOfClusters ?? 0;
  if (live().length >= wanted) {
    dropWhere(isObsolete);
    while (live().length > wanted) {
      const weakest = live().sort(weakestFirst)[0]!;
      dropWhere((binding) => binding === weakest);
    }
    return finish(decide(runCycle()), true, false);
  }
  for (;;) {
    const desired = wanted - live().length;
    const limit = (policy.topologySpreadConstraints ?? []).length > 0 ? 1 : desired;
    const cycle = runCycle();
    const picked = cycle.scored.slice(0, Math.min(desired, limit));
    for (const { name, score } of picked) take(name, pickedDecision(name, score.affinity, score.spread));
    dropWhere(isObsolete);
    if (desired > limit && picked.length === limit) continue;
    return finish(decide(cycle), live().length === wanted, true);
  }
}

function weakestFirst(a: Binding, b: Binding): number {
  if (a.state !== b.state) return a.state === 'Scheduled' ? -1 : 1;
  const worth = (binding: Binding) => {
    const score = binding.clusterDecision?.clusterScore;
    return score ? [score.topologySpreadScore, score.affinityScore] : [-1e15, -1e15];
  };
  const [x, y] = [worth(a), worth(b)];
  return x[0]! - y[0]! || x[1]! - y[1]! || (a.targetCluster < b.targetCluster ? -1 : 1);
}

function filterFailures(member: Member, placement: Placement): string[] {
  const { policy } = placement.spec;
  const failures: string[] = [];
  const affinity = policy.affinity?.clusterAffinity;
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.clusterSelectorTerms ?? [];
  if (required.length > 0 && !required.some((term) => termMatches(term, member)))
    failures.push('cluster does not match any of the required cluster affinity terms');

  const preferred =
    policy.placementType === 'PickN' ? (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) : [];
  const named: string[] = [];
  for (const term of required) for (const { name } of term.propertySelector?.matchExpressions ?? []) named.push(name);
  for (const { preference } of preferred) if (preference.propertySorter) named.push(preference.propertySorter.name);
  for (const name of new Set(named)) {
    const text = member.properties[name];
    if (text !== undefined && parseQuantity(text) === undefined)
      failures.push(`property "${name}" has the value "${shortened(text, 80)}", which is not a quantity`);
  }

  if (!member.eligibility.eligible) failures.push(member.eligibility.reason);
  if (placement.kind === 'ResourcePlacement') {
    const namespace = placement.metadata.namespace!;
    if (member.namespaces && !member.namespaces.has(namespace))
      failures.push(`namespace "${namespace}" does not exist on the cluster`);
  }
  for (const taint of member.taints) {
    const tolerated = (policy.tolerations ?? []).some((toleration) => {
      const effectFits = !toleration.effect || toleration.effect === taint.effect;
      if (toleration.operator === 'Exists') return effectFits && (!toleration.key || toleration.key === taint.key);
      return effectFits && toleration.key === taint.key && (toleration.value ?? '') === (taint.value ?? '');
    });
    if (!tolerated) {
      failures.push(`taint ${taintText(taint)} is not tolerated`);
      break;
    }
  }
  return failures;
}

function termMatches(term: ClusterSelectorTerm, member: Member): boolean {
  if (!labelsMatch(term.labelSelector, member)) return false;
  for (const { name, operator, values } of term.propertySelector?.matchExpressions ?? []) {
    const text = member.properties[name];
    const value = text === undefined ? undefined : parseQuantity(text);
    if (!value) return false;
    const orders = values.map((text) => compare(value, parseQuantity(text)!));
    if (!propertyHolds[operator](...orders)) return false;
  }
  return true;
}

/** How the property compares with each listed value: below 0 = it is smaller. */
const propertyHolds: Record<PropertyOperatorName, (...orders: number[]) => boolean> = {
  Gt: (order) => order! > 0,
  Ge: (order) => order! >= 0,
  Eq: (order) => order === 0,
  Ne: (order) => order !== 0,
  Lt: (order) => order! < 0,
  Le: (order) => order! <= 0,
};

function compare(a: Quantity, b: Quantity): number {
  const difference = BigInt(a.nanos) - BigInt(b.nanos);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function labelsMatch(selector: LabelSelector | undefined, member: Member): boolean {
  for (const key in selector?.matchLabels) if (member.labels[key] !== selector.matchLabels[key]) return false;
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    if (!labelHolds[operator](member.labels[key], values)) return false;
  }
  return true;
}

const labelHolds: Record<LabelOperatorName, (label: string | undefined, values: string[] | undefined) => boolean> = {
  Exists: (label) => label !== undefined,
  DoesNotExist: (label) => label === undefined,
  In: (label, values) => label !== undefined && values!.includes(label),
  NotIn: (label, values) => label === undefined || !values!.includes(label),
};

function affinityOf(member: Member, members: readonly Member[], policy: PlacementPolicy): number {
  let sum = 0;
  for (const { weight, preference } of policy.affinity?.clusterAffinity
    ?.preferredDuringSchedulingIgnoredDuringExecution ?? []) {
    if (weight === 0 || !labelsMatch(preference.labelSelector, member)) continue;
    if (!preference.propertySorter) {
      sum += weight;
      continue;
    }
    const { name, sortOrder } = preference.propertySorter;
    const own = member.properties[name] === undefined ? undefined : parseQuantity(member.properties[name]);
    if (!own) continue;
    const byName = [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
    const all = byName.flatMap(({ properties }) => {
      const quantity = properties[name] === undefined ? undefined : parseQuantity(properties[name]);
      return quantity ? [quantity] : [];
    });
    const min = all.reduce((least, next) => (compare(next, least) < 0 ? next : least)).number;
    const max = all.reduce((most, next) => (compare(next, most) > 0 ? next : most)).number;
    if (min === max) continue;
    const share = (own.number - min) / (max - min);
    const points = sortOrder === 'Descending' ? share * weight : (1 - share) * weight;
    sum += Math.sign(points) * Math.round(Math.abs(points));
  }
  return sum + 0;
}

function spreadOf(member: Member, members: readonly Member[], live: readonly string[], policy: PlacementPolicy) {
  const failures: string[] = [];
  let score = 0;
  const constraints = policy.placementType === 'PickN' ? (policy.topologySpreadConstraints ?? []) : [];
  const evaluate = (hard: boolean) => {
    for (const constraint of constraints) {
      if ((constraint.whenUnsatisfiable === 'DoNotSchedule') !== hard) continue;
      const domain = member.labels[constraint.topologyKey];
      if (domain === undefined) continue;
      const counts: Record<string, number> = {};
      for (const other of members) {
        const value = other.labels[constraint.topologyKey];
        if (value !== undefined)
          counts[`=${value}`] = (counts[`=${value}`] ?? 0) + live.filter((name) => name === other.name).length;
      }
      const ordered = Object.values(counts).sort((a, b) => a - b);
      const lowest = ordered[0]!;
      const second = ordered[1] ?? lowest;
      const highest = ordered.at(-1)!;
      const count = counts[`=${domain}`]!;
      let change = 0;
      if (highest === lowest) change = 1;
      else if (count === lowest && lowest !== second) change = -1;
      else if (count === highest) change = 1;
      const violated = highest - lowest + change > constraint.maxSkew;
      if (violated && hard)
        failures.push(
          `violated doNotSchedule topology spread constraint "${constraint.topologyKey}" (max skew ${constraint.maxSkew})`,
        );
      else if (violated) score -= 1000;
      else score -= change;
    }
  };
  evaluate(true);
  evaluate(false);
  return { failures, score: score + 0 };
}
