import type { ClusterName, Timestamp } from '../../api/meta.ts';
import type { RollingUpdate } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { wasGiven } from '../bindings/cleanup.ts';
import type { PlacementBudget } from '../budget/placement-budget.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { parseInstant } from '../kernel/instant.ts';
import { scale } from '../kernel/int-or-percent.ts';
import { latestOf } from '../kernel/latest-of.ts';
import type { Pause } from '../pause/pause.ts';
import type { BindingStep, PlacementWork } from '../placement-work.ts';
import type { Hold } from '../plan-document.ts';
import { movedBinding, settledBinding, waitingBinding } from './binding-moves.ts';
import { type Classified, classify } from './classify.ts';
import { type OverrideComparison, outOfDate } from './out-of-date.ts';
import { sameCluster } from './same-cluster.ts';
import { type Selected, selectMoves } from './select.ts';
import { withSuccessors } from './successors.ts';
import { targetNumber, unplaced, wantsNone } from './target-number.ts';
import { freeAt, holdsOf, pausedHolds, upgradingHolds } from './waiting-holds.ts';
import { withinDisruptionBudget } from './within-disruption-budget.ts';

export interface RollOutContext extends OverrideComparison {
  readonly now: Timestamp;
  /** While the placement is paused nothing starts. */
  readonly pause: Pause;
  /** The placement's budget; it applies to rollouts only with the scope `all`. */
  readonly budget: PlacementBudget;
  /** Clusters with an upgrade in flight, and the run that started it: nothing moves there. */
  readonly upgrading: ReadonlyMap<ClusterName, string>;
  /** Whether a cluster counts as unavailable whatever runs there. */
  readonly isUnavailable: (cluster: ClusterName) => boolean;
  /** A binding that kept earlier labels of its cluster, rendered with the present ones. */
  readonly withPresentLabels: (binding: Binding) => Binding;
  /** A moved binding as its cluster was observed. A cluster that already has what it is given is ready at once. */
  readonly observed: (step: BindingStep) => BindingStep;
  /** Whether the objects that remain of a removed binding are what its cluster gets with the latest resource snapshot. */
  readonly replacesRemaining: (leaving: Binding) => boolean;
}

/**
 * RollingUpdate towards the latest resource snapshot, as far as maxUnavailable and maxSurge allow now (KubeFleet
 * rollout/controller.go). A binding that may not move yet gets a hold, with the instant at which time alone frees it.
 * KubeFleet selects again as soon as it has written its selection; so does this, until a selection is empty. Rolling out the
 * result again therefore changes nothing.
 */
export function rollOut(before: PlacementWork, context: RollOutContext): PlacementWork {
  const latest = latestOf(before.resourceSnapshots);
  const { strategy } = before.placement.spec;
  if (latest === undefined || strategy.type !== 'RollingUpdate') return before;
  const { rollingUpdate } = strategy;
  const work = withUpdatedLabels({ ...before, bindings: withApplyStrategy(before) }, latest.index, context);
  const { conflict, cleanups, replacing } = sameCluster(work, context.replacesRemaining);
  const period = {
    now: parseInstant(context.now) ?? 0,
    ms: rollingUpdate.unavailablePeriodSeconds * 1000,
    isOverAtItsEnd: false,
  };
  const isOutOfDate = outOfDate(work, latest.index, context);
  const classifyAll = (bindings: readonly BindingStep[]) =>
    withSuccessors(
      bindings.map((step) => {
        const classified = classify(step, isOutOfDate, period);
        return context.isUnavailable(step.binding.targetCluster) ? unavailable(classified) : classified;
      }),
      replacing,
    );
  if (conflict) {
    return {
      ...work,
      bindings: notMoved(classifyAll(work.bindings), ({ candidate }) => candidate !== 'none', context),
      holds: [...work.holds, conflict.hold],
      problems: [...work.problems, conflict.problem],
    };
  }
  const isCleaned = ({ candidate, step }: Classified): boolean =>
    candidate === 'bind' && cleanups.has(step.binding.targetCluster);
  const isUpgrading = ({ candidate, step }: Classified): boolean =>
    candidate !== 'none' && context.upgrading.has(step.binding.targetCluster);
  const isHeld = (entry: Classified): boolean => isCleaned(entry) || isUpgrading(entry);
  let all = classifyAll(work.bindings);
  const held = [...cleanups.values(), ...upgradingHolds(all, work.placement, context.upgrading)];
  if (context.pause.kind === 'paused') {
    const waiting = all.filter((entry) => entry.candidate !== 'none' && !isHeld(entry));
    return {
      ...work,
      bindings: notMoved(all, (entry) => entry.candidate !== 'none', context),
      holds: [...work.holds, ...held, ...pausedHolds(waiting, work.placement, context.pause)],
    };
  }
  if (isBlockedByRemovals(all, targetNumber(work, all), rollingUpdate))
    all = all.filter(({ candidate }) => candidate !== 'remove');
  for (;;) {
    const selected = selectMoves(
      all
        .filter((entry) => !isCleaned(entry))
        .map((entry): Classified => (isUpgrading(entry) ? { ...entry, candidate: 'none' } : entry)),
      { total: targetNumber(work, all), wantsNone: wantsNone(work) },
      rollingUpdate,
    );
    const { allowed, denials } = withinDisruptionBudget({ ...context, work, all, chosen: selected.chosen });
    if (allowed.size === 0) {
      const waiting = new Set([...selected.waiting, ...denials.keys()]);
      return finished(work, context, { ...selected, rollingUpdate, all, waiting, denials, isHeld, held });
    }
    all = classifyAll(
      all.flatMap((entry) =>
        allowed.has(entry)
          ? [context.observed(movedBinding(entry, latest.index, context))]
          : [...(entry.replaces ?? []), entry.step],
      ),
    );
  }
}

interface LastSelection extends Pick<Selected, 'readyMissing' | 'noneNeeded'> {
  readonly rollingUpdate: RollingUpdate;
  readonly all: readonly Classified[];
  readonly waiting: ReadonlySet<Classified>;
  readonly denials: ReadonlyMap<Classified, string>;
  readonly isHeld: (entry: Classified) => boolean;
  /** Of what may not move whatever the budgets allow. */
  readonly held: readonly Hold[];
}

function finished(work: PlacementWork, context: RollOutContext, last: LastSelection): PlacementWork {
  const { rollingUpdate, all, waiting, denials, isHeld, held, noneNeeded } = last;
  const awaitsReadiness = [...waiting].some((entry) => entry.candidate !== 'bind' && !denials.has(entry));
  const readyAt = awaitsReadiness ? freeAt(all, last.readyMissing) : undefined;
  return {
    ...work,
    bindings: notMoved(all, (entry) => waiting.has(entry) || isHeld(entry), context),
    holds: [
      ...work.holds,
      ...held,
      ...holdsOf(waiting, work.placement, rollingUpdate, {
        all,
        readyAt,
        denials,
        noneNeeded,
        unplaced: unplaced(work, all),
      }),
    ],
    wakes: [...work.wakes, ...nextPause(waiting, context.pause)],
  };
}

/** It neither lets another cluster move, nor becomes ready by time alone. */
const unavailable = (classified: Classified): Classified => ({
  ...classified,
  ready: false,
  canBeUnavailable: false,
  readyAt: undefined,
});

const notMoved = (
  all: readonly Classified[],
  waits: (entry: Classified) => boolean,
  { now }: RollOutContext,
): BindingStep[] =>
  all.flatMap((entry) => [
    ...(entry.replaces ?? []),
    waits(entry) ? waitingBinding(entry, now) : settledBinding(entry, now),
  ]);

/** A binding that waits for a budget also waits for a pause once that starts. */
const nextPause = (waiting: ReadonlySet<Classified>, pause: Pause): Timestamp[] =>
  waiting.size > 0 && pause.kind === 'none' && pause.pausesAt !== undefined ? [pause.pausesAt] : [];

/**
 * A changed label that only changes variables of overrides is applied at once, without any budget. Where there is more to roll
 * out, it is part of that.
 */
function withUpdatedLabels(work: PlacementWork, latest: number, context: RollOutContext): PlacementWork {
  const { withPresentLabels } = context;
  const hasEarlierLabels = ({ binding }: BindingStep): boolean =>
    binding.clusterLabels !== undefined && binding.state === 'Bound' && !binding.deleting;
  if (!work.bindings.some(hasEarlierLabels)) return work;
  const isOutOfDate = outOfDate(work, latest, context);
  const isUpdated = (step: BindingStep): boolean => hasEarlierLabels(step) && !isOutOfDate(step.binding);
  return {
    ...work,
    bindings: work.bindings.map((step) =>
      isUpdated(step) ? { ...step, binding: withPresentLabels(step.binding) } : step,
    ),
  };
}

/**
 * Whether bindings to be removed block a rollout that has not sent anything yet. They take all of the surge, so that none may be
 * added, and wait for clusters to become ready, of which there are none. KubeFleet waits for ever (docs/compatibility.md).
 */
function isBlockedByRemovals(all: readonly Classified[], total: number, { maxSurge }: RollingUpdate): boolean {
  const removals = all.filter(({ candidate }) => candidate === 'remove').length;
  return (
    all.some(({ candidate }) => candidate === 'bind') &&
    removals >= total + scale(maxSurge, total, 'up') &&
    !all.some(({ step: { binding } }) => wasGiven(binding))
  );
}

/** A change of applyStrategy alone is applied to all bindings at once, without any budget. */
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
