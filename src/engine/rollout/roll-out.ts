import type { DisruptionBudget } from '../../api/eviction.ts';
import type { ClusterName, IntOrPercent, Timestamp } from '../../api/meta.ts';
import { type RollingUpdate, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { conditionIs, settle } from '../kernel/condition.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import type { OverrideLists, RecordedLists } from '../overrides/snapshot-id.ts';
import { listsDiffer } from '../overrides/trigger.ts';
import type { Hold } from '../plan-document.ts';
import { latestOf } from '../selection/snapshot.ts';
import type { BindingStep, PlacementWork } from '../working.ts';
import { type Classified, classify } from './classify.ts';
import { withinBudget } from './disruption-budget.ts';
import { sameCluster } from './same-cluster.ts';
import { selectMoves } from './select.ts';

export interface RollOutContext {
  readonly now: Timestamp;
  /** Override snapshots that apply to a cluster with the latest resource snapshot. */
  readonly overridesFor: (cluster: ClusterName) => OverrideLists;
  /** Whether a difference of override snapshots begins a rollout by itself. */
  readonly differs: (before: RecordedLists, after: RecordedLists) => boolean;
  /** Of the placement's name; it binds the rollout only if it says so. */
  readonly budget?: DisruptionBudget | undefined;
}

const defaults: RollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', unavailablePeriodSeconds: 60 };

/**
 * RollingUpdate towards the latest resource snapshot, as far as maxUnavailable and maxSurge allow now (KubeFleet
 * rollout/controller.go). Nothing here waits: what may not move yet is held, with the instant at which time alone frees it.
 * KubeFleet picks again as soon as it has written what it picked; so does this, until a pick brings nothing. Rolling out
 * the result again therefore changes nothing.
 */
export function rollOut(begun: PlacementWork, context: RollOutContext): PlacementWork {
  const latest = latestOf(begun.resourceSnapshots);
  if (latest === undefined) return begun;
  const work = { ...begun, bindings: withApplyStrategy(begun) };
  const { conflict, cleaning } = sameCluster(work);
  const strategy = work.placement.spec.strategy.rollingUpdate ?? defaults;
  const period = { now: parseInstant(context.now) ?? 0, ms: strategy.unavailablePeriodSeconds * 1000 };
  const isOutOfDate = outOfDate(work, latest.index, context);
  const look = (bindings: readonly BindingStep[]) => bindings.map((step) => classify(step, isOutOfDate, period));
  if (conflict) {
    return {
      ...work,
      bindings: look(work.bindings).map((entry) =>
        entry.candidate === 'none' ? steady(entry, context) : kept(entry, context),
      ),
      holds: [...work.holds, conflict.hold],
      problems: [...work.problems, conflict.problem],
    };
  }
  const isHeld = ({ candidate, step }: Classified): boolean =>
    candidate === 'bind' && cleaning.has(step.binding.targetCluster);
  let all = look(work.bindings);
  for (;;) {
    const selected = selectMoves(
      all.filter((entry) => !isHeld(entry)),
      targetNumber(work, all),
      strategy,
    );
    const { allowed, denials } = withinBudget(work, all, selected.chosen, context.budget);
    if (allowed.size === 0) {
      const waiting = new Set([...selected.waiting, ...denials.keys()]);
      return finished(work, context, { all, waiting, denials, isHeld, cleaning, readyMissing: selected.readyMissing });
    }
    all = look(all.map((entry) => (allowed.has(entry) ? moved(entry, latest.index, context) : entry.step)));
  }
}

interface LastPick {
  readonly all: readonly Classified[];
  readonly waiting: ReadonlySet<Classified>;
  readonly denials: ReadonlyMap<Classified, string>;
  readonly isHeld: (entry: Classified) => boolean;
  readonly cleaning: ReadonlyMap<ClusterName, Hold>;
  readonly readyMissing: number;
}

function finished(work: PlacementWork, context: RollOutContext, pick: LastPick): PlacementWork {
  const { all, waiting, denials, isHeld, cleaning } = pick;
  const awaitsReadiness = [...waiting].some((entry) => entry.candidate !== 'bind' && !denials.has(entry));
  const readyAt = awaitsReadiness ? freeAt(all, pick.readyMissing) : undefined;
  return {
    ...work,
    bindings: all.map((entry) => (waiting.has(entry) || isHeld(entry) ? kept(entry, context) : steady(entry, context))),
    holds: [...work.holds, ...cleaning.values(), ...holdsOf(waiting, work, readyAt, denials)],
    wakes: readyAt === undefined ? work.wakes : [...work.wakes, formatInstant(readyAt)],
  };
}

/** A change of applyStrategy alone is pushed to every binding at once, outside any budget. */
function withApplyStrategy({ bindings, placement }: PlacementWork): BindingStep[] {
  const wanted = placement.spec.strategy.applyStrategy;
  return bindings.map((step) => {
    const { binding } = step;
    if (
      binding.deleting ||
      binding.applyStrategy === undefined ||
      canonicalJson(binding.applyStrategy) === canonicalJson(wanted)
    )
      return step;
    return { ...step, binding: { ...binding, applyStrategy: wanted } };
  });
}

/**
 * An override without a placement of its own rides along: its difference counts once anything else begins a rollout, and
 * until the last binding that was told to wait has had its turn.
 */
function outOfDate({ bindings }: PlacementWork, latest: number, { overridesFor, differs }: RollOutContext) {
  const ridesAlong = (binding: Binding): boolean => listsDiffer(binding, overridesFor(binding.targetCluster));
  const begins = (binding: Binding): boolean =>
    binding.resourceSnapshotIndex !== latest ||
    (ridesAlong(binding) &&
      (conditionIs(binding.conditions, 'RolloutStarted', 'False') ||
        differs(binding, overridesFor(binding.targetCluster))));
  const anyBegins = bindings.some(({ binding }) => !binding.deleting && (binding.state !== 'Bound' || begins(binding)));
  return (binding: Binding): boolean => begins(binding) || (anyBegins && ridesAlong(binding));
}

/** PickAll: Bound and Scheduled bindings, deleting Bound ones still counted; PickFixed: the names; PickN: the number. */
function targetNumber({ placement, policySnapshots }: PlacementWork, all: readonly Classified[]): number {
  const { policy } = placement.spec;
  if (policy.placementType === 'PickFixed') return policy.clusterNames?.length ?? 0;
  if (policy.placementType === 'PickN')
    return policy.numberOfClusters ?? latestOf(policySnapshots)?.numberOfClusters ?? 0;
  return all.filter(({ step }) => step.binding.state !== 'Unscheduled').length;
}

function moved(
  { step: { binding }, candidate }: Classified,
  index: number,
  { now, overridesFor }: RollOutContext,
): BindingStep {
  if (candidate === 'remove') return { binding: { ...binding, deleting: true }, move: 'remove' };
  const {
    conditions: _c,
    failedPlacements: _f,
    driftedPlacements: _d,
    diffedPlacements: _p,
    clusterResourceOverrideSnapshots: _cr,
    resourceOverrideSnapshots: _r,
    previousState: _s,
    ...rest
  } = binding;
  const { clusterResourceOverrideSnapshots: cluster, resourceOverrideSnapshots: namespaced } = overridesFor(
    binding.targetCluster,
  );
  return {
    binding: {
      ...rest,
      state: 'Bound',
      resourceSnapshotIndex: index,
      ...(cluster.length > 0 ? { clusterResourceOverrideSnapshots: [...cluster] } : {}),
      ...(namespaced.length > 0 ? { resourceOverrideSnapshots: [...namespaced] } : {}),
      conditions: [started(binding, now, 'Detected the new changes on the resources and started the rollout process')],
    },
    move: candidate === 'bind' ? 'add' : 'update',
  };
}

/** Wants to move and may not yet. An Unscheduled binding has no RolloutStarted of its own to take back. */
function kept({ step: { binding } }: Classified, { now }: RollOutContext): BindingStep {
  if (binding.state === 'Unscheduled') return { binding, move: 'wait' };
  const withheld = settle(
    binding.conditions,
    {
      type: 'RolloutStarted',
      status: 'False',
      reason: 'RolloutNotStartedYet',
      message: 'The rollout is being blocked by the rollout strategy',
      ...(binding.observedGeneration === undefined ? {} : { observedGeneration: binding.observedGeneration }),
    },
    now,
  );
  return { binding: { ...binding, conditions: [withheld, ...others(binding)] }, move: 'wait' };
}

function steady({ step }: Classified, { now }: RollOutContext): BindingStep {
  const { binding } = step;
  if (binding.deleting) return { binding, move: 'remove' };
  if (binding.state !== 'Bound') return step;
  const first = started(binding, now, 'The rollout of the latest resources has started');
  const present = binding.conditions?.find(({ type }) => type === 'RolloutStarted');
  return {
    binding: present?.status === 'True' ? binding : { ...binding, conditions: [first, ...others(binding)] },
    move: step.move,
  };
}

const others = ({ conditions }: Binding) => (conditions ?? []).filter(({ type }) => type !== 'RolloutStarted');

const started = (binding: Binding, now: Timestamp, message: string) =>
  settle(
    binding.conditions,
    {
      type: 'RolloutStarted',
      status: 'True',
      reason: 'RolloutStarted',
      message,
      ...(binding.observedGeneration === undefined ? {} : { observedGeneration: binding.observedGeneration }),
    },
    now,
  );

/** When so many clusters more will have become ready by time alone that one that waits may move. */
const freeAt = (all: readonly Classified[], readyMissing: number): number | undefined =>
  all.flatMap(({ readyAt }) => readyAt ?? []).sort((a, b) => a - b)[readyMissing - 1];

function holdsOf(
  waiting: ReadonlySet<Classified>,
  { placement }: PlacementWork,
  readyAt: number | undefined,
  denials: ReadonlyMap<Classified, string>,
): Hold[] {
  const { maxUnavailable, maxSurge } = placement.spec.strategy.rollingUpdate ?? defaults;
  const stuck = isZero(maxUnavailable) && isZero(maxSurge);
  return [...waiting].map((entry): Hold => {
    const { candidate } = entry;
    const { binding } = entry.step;
    const subject = { ...refOf(placement), clusterName: binding.targetCluster };
    const wants =
      candidate === 'remove' ? 'is to be removed' : candidate === 'bind' ? 'is to be added' : 'is to be updated';
    const budget = candidate === 'bind' ? `maxSurge ${maxSurge}` : `maxUnavailable ${maxUnavailable}`;
    const denial = denials.get(entry);
    if (readyAt === undefined || candidate === 'bind' || denial !== undefined) {
      const once = denial ?? (stuck ? 'maxUnavailable and maxSurge are both 0: the rollout cannot move' : undefined);
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${wants} once ${budget} allows it${once ? ` (${once})` : ''}`,
      };
    }
    const until = formatInstant(readyAt);
    return {
      subject,
      reason: 'UnavailablePeriod',
      message: `${binding.targetCluster} ${wants} once ${budget} allows it: clusters with resources that cannot be tracked count as available after ${until}`,
      until,
    };
  });
}

const isZero = (value: IntOrPercent): boolean => /^0%?$/.test(String(value));
