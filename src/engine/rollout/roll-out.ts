import type { ClusterName, Timestamp } from '../../api/meta.ts';
import { type RollingUpdate, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { settle } from '../kernel/condition.ts';
import { formatInstant, parseInstant } from '../kernel/instant.ts';
import type { OverrideLists, RecordedLists } from '../overrides/snapshot-id.ts';
import { listsDiffer } from '../overrides/trigger.ts';
import type { Hold } from '../plan-document.ts';
import { latestOf } from '../selection/snapshot.ts';
import type { BindingStep, PlacementWork } from '../working.ts';
import { type Classified, classify } from './classify.ts';
import { sameCluster } from './same-cluster.ts';
import { selectMoves } from './select.ts';

export interface RollOutContext {
  readonly now: Timestamp;
  /** Override snapshots that apply to a cluster with the latest resource snapshot. */
  readonly overridesFor: (cluster: ClusterName) => OverrideLists;
  /** Whether a difference of override snapshots begins a rollout by itself. */
  readonly differs: (before: RecordedLists, after: RecordedLists) => boolean;
}

const defaults: RollingUpdate = { maxUnavailable: '25%', maxSurge: '25%', unavailablePeriodSeconds: 60 };

/**
 * RollingUpdate towards the latest resource snapshot, as far as maxUnavailable and maxSurge allow now (KubeFleet
 * rollout/controller.go). Nothing here waits: what may not move yet is held, with the instant at which time alone frees it.
 */
export function rollOut(begun: PlacementWork, context: RollOutContext): PlacementWork {
  const latest = latestOf(begun.resourceSnapshots);
  if (latest === undefined) return begun;
  const work = { ...begun, bindings: withApplyStrategy(begun) };
  const { conflict, cleaning } = sameCluster(work);
  if (conflict) {
    return {
      ...work,
      bindings: work.bindings.map((step) =>
        step.binding.deleting ? step : { ...step, move: step.move === 'remove' ? 'remove' : 'keep' },
      ),
      holds: [...work.holds, conflict.hold],
      problems: [...work.problems, conflict.problem],
    };
  }
  const strategy = work.placement.spec.strategy.rollingUpdate ?? defaults;
  const now = parseInstant(context.now) ?? 0;
  const all = classifyAll(work, latest.index, context, { now, ms: strategy.unavailablePeriodSeconds * 1000 });
  const { chosen, waiting } = selectMoves(all, targetNumber(work), strategy);
  const bindings = all.flatMap((entry): BindingStep[] => {
    const held = cleaning.get(entry.step.binding.targetCluster);
    if (chosen.has(entry) && !(held && entry.candidate === 'bind')) return moved(entry, latest.index, context);
    if (chosen.has(entry) || waiting.has(entry)) return [kept(entry, context)];
    return [steady(entry, context)];
  });
  const readyAt = waiting.size === 0 ? undefined : earliestReady(all);
  return {
    ...work,
    bindings,
    holds: [...work.holds, ...cleaning.values(), ...holdsOf(waiting, work, readyAt)],
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

/** An override without a placement of its own rides along: its difference counts once anything else begins a rollout. */
function classifyAll(
  { bindings }: PlacementWork,
  latest: number,
  { overridesFor, differs }: RollOutContext,
  period: { readonly now: number; readonly ms: number },
): Classified[] {
  const begins = (binding: Binding): boolean =>
    binding.resourceSnapshotIndex !== latest || differs(binding, overridesFor(binding.targetCluster));
  const anyBegins = bindings.some(({ binding }) => !binding.deleting && (binding.state !== 'Bound' || begins(binding)));
  const isOutOfDate = (binding: Binding): boolean =>
    begins(binding) || (anyBegins && listsDiffer(binding, overridesFor(binding.targetCluster)));
  return bindings.map((step) => classify(step, isOutOfDate, period));
}

/** PickAll: Bound and Scheduled bindings, deleting Bound ones still counted; PickFixed: the names; PickN: the number. */
function targetNumber({ placement, bindings, policySnapshots }: PlacementWork): number {
  const { policy } = placement.spec;
  if (policy.placementType === 'PickFixed') return policy.clusterNames?.length ?? 0;
  if (policy.placementType === 'PickN')
    return policy.numberOfClusters ?? latestOf(policySnapshots)?.numberOfClusters ?? 0;
  return bindings.filter(({ binding }) => binding.state !== 'Unscheduled').length;
}

function moved(
  { step: { binding }, candidate }: Classified,
  index: number,
  { now, overridesFor }: RollOutContext,
): BindingStep[] {
  if (candidate === 'remove') {
    // Never bound: nothing of it is on the cluster, so there is nothing to clean up.
    if (binding.resourceSnapshotIndex === undefined) return [];
    return [{ binding: { ...binding, deleting: true }, move: 'remove' }];
  }
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
  return [
    {
      binding: {
        ...rest,
        state: 'Bound',
        resourceSnapshotIndex: index,
        ...(cluster.length > 0 ? { clusterResourceOverrideSnapshots: [...cluster] } : {}),
        ...(namespaced.length > 0 ? { resourceOverrideSnapshots: [...namespaced] } : {}),
        conditions: [
          started(binding, now, 'Detected the new changes on the resources and started the rollout process'),
        ],
      },
      move: candidate === 'bind' ? 'add' : 'update',
    },
  ];
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

function earliestReady(all: readonly Classified[]): number | undefined {
  const instants = all.flatMap(({ readyAt }) => readyAt ?? []);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

function holdsOf(waiting: ReadonlySet<Classified>, { placement }: PlacementWork, readyAt: number | undefined): Hold[] {
  const { maxUnavailable, maxSurge } = placement.spec.strategy.rollingUpdate ?? defaults;
  return [...waiting].map(({ step: { binding }, candidate }): Hold => {
    const subject = { ...refOf(placement), clusterName: binding.targetCluster };
    const wants =
      candidate === 'remove' ? 'is to be removed' : candidate === 'bind' ? 'is to be added' : 'is to be updated';
    const budget = candidate === 'bind' ? `maxSurge ${maxSurge}` : `maxUnavailable ${maxUnavailable}`;
    if (readyAt === undefined) {
      return {
        subject,
        reason: 'RolloutBudget',
        message: `${binding.targetCluster} ${wants} once ${budget} allows it`,
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
