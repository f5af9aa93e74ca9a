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
import { kept, moved, steady } from './binding-moves.ts';
import { type Classified, classify } from './classify.ts';
import { type OverrideComparison, outOfDate } from './out-of-date.ts';
import { sameCluster } from './same-cluster.ts';
import { type Selected, selectMoves } from './select.ts';
import { withSuccessors } from './successors.ts';
import { targetNumber, unplaced, wantsNone } from './target-number.ts';
import { freeAt, holdsOf, pausedHolds } from './waiting-holds.ts';
import { withinDisruptionBudget } from './within-disruption-budget.ts';

export interface RollOutContext extends OverrideComparison {
  readonly now: Timestamp;
  /** While the placement is paused nothing begins. */
  readonly pause: Pause;
  /** Of the placement's name; it binds the rollout only if it says so. */
  readonly budget: PlacementBudget;
  /** A binding that held on to the labels its cluster had, with what its overrides fill in from the present ones. */
  readonly filled: (binding: Binding) => Binding;
  /** A moved binding as its cluster shows it: that may have what it is given already, and is ready then. */
  readonly shown: (step: BindingStep) => BindingStep;
  /** Whether what is left of a binding on its way out is what its cluster gets with the latest resource snapshot. */
  readonly takesOver: (leaving: Binding) => boolean;
}

/**
 * RollingUpdate towards the latest resource snapshot, as far as maxUnavailable and maxSurge allow now (KubeFleet
 * rollout/controller.go). Nothing here waits: what may not move yet is held, with the instant at which time alone frees it.
 * KubeFleet picks again as soon as it has written what it picked; so does this, until a pick brings nothing. Rolling out
 * the result again therefore changes nothing.
 */
export function rollOut(begun: PlacementWork, context: RollOutContext): PlacementWork {
  const latest = latestOf(begun.resourceSnapshots);
  const { strategy } = begun.placement.spec;
  if (latest === undefined || strategy.type !== 'RollingUpdate') return begun;
  const { rollingUpdate } = strategy;
  const work = withLabels({ ...begun, bindings: withApplyStrategy(begun) }, latest.index, context);
  const { conflict, cleaning, succeeding } = sameCluster(work, context.takesOver);
  const period = {
    now: parseInstant(context.now) ?? 0,
    ms: rollingUpdate.unavailablePeriodSeconds * 1000,
    isOverAtItsEnd: false,
  };
  const isOutOfDate = outOfDate(work, latest.index, context);
  const look = (bindings: readonly BindingStep[]) =>
    withSuccessors(
      bindings.map((step) => classify(step, isOutOfDate, period)),
      succeeding,
    );
  if (conflict) {
    return {
      ...work,
      bindings: stayed(look(work.bindings), ({ candidate }) => candidate !== 'none', context),
      holds: [...work.holds, conflict.hold],
      problems: [...work.problems, conflict.problem],
    };
  }
  const isHeld = ({ candidate, step }: Classified): boolean =>
    candidate === 'bind' && cleaning.has(step.binding.targetCluster);
  let all = look(work.bindings);
  if (context.pause.kind === 'paused') {
    const waiting = all.filter((entry) => entry.candidate !== 'none' && !isHeld(entry));
    return {
      ...work,
      bindings: stayed(all, (entry) => entry.candidate !== 'none', context),
      holds: [...work.holds, ...cleaning.values(), ...pausedHolds(waiting, work.placement, context.pause)],
    };
  }
  if (isHeldUpByDropped(all, targetNumber(work, all), rollingUpdate))
    all = all.filter(({ candidate }) => candidate !== 'remove');
  for (;;) {
    const selected = selectMoves(
      all.filter((entry) => !isHeld(entry)),
      { total: targetNumber(work, all), wantsNone: wantsNone(work) },
      rollingUpdate,
    );
    const { allowed, denials } = withinDisruptionBudget({ work, all, chosen: selected.chosen, budget: context.budget });
    if (allowed.size === 0) {
      const waiting = new Set([...selected.waiting, ...denials.keys()]);
      return finished(work, context, { ...selected, rollingUpdate, all, waiting, denials, isHeld, cleaning });
    }
    all = look(
      all.flatMap((entry) =>
        allowed.has(entry)
          ? [context.shown(moved(entry, latest.index, context))]
          : [...(entry.replaces ?? []), entry.step],
      ),
    );
  }
}

interface LastPick extends Pick<Selected, 'readyMissing' | 'noneNeeded'> {
  readonly rollingUpdate: RollingUpdate;
  readonly all: readonly Classified[];
  readonly waiting: ReadonlySet<Classified>;
  readonly denials: ReadonlyMap<Classified, string>;
  readonly isHeld: (entry: Classified) => boolean;
  readonly cleaning: ReadonlyMap<ClusterName, Hold>;
}

function finished(work: PlacementWork, context: RollOutContext, pick: LastPick): PlacementWork {
  const { rollingUpdate, all, waiting, denials, isHeld, cleaning, noneNeeded } = pick;
  const awaitsReadiness = [...waiting].some((entry) => entry.candidate !== 'bind' && !denials.has(entry));
  const readyAt = awaitsReadiness ? freeAt(all, pick.readyMissing) : undefined;
  return {
    ...work,
    bindings: stayed(all, (entry) => waiting.has(entry) || isHeld(entry), context),
    holds: [
      ...work.holds,
      ...cleaning.values(),
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

const stayed = (
  all: readonly Classified[],
  waits: (entry: Classified) => boolean,
  { now }: RollOutContext,
): BindingStep[] =>
  all.flatMap((entry) => [...(entry.replaces ?? []), waits(entry) ? kept(entry, now) : steady(entry, now)]);

/** What waits for a budget will wait for the end of a pause as well once that begins. */
const nextPause = (waiting: ReadonlySet<Classified>, pause: Pause): Timestamp[] =>
  waiting.size > 0 && pause.kind === 'none' && pause.pausesAt !== undefined ? [pause.pausesAt] : [];

/**
 * What overrides fill in from a label, and nothing else, is no new version and waits for nothing. Where there is more to roll
 * out, it comes with that.
 */
function withLabels(work: PlacementWork, latest: number, context: RollOutContext): PlacementWork {
  const { filled } = context;
  const isHeld = ({ binding }: BindingStep): boolean =>
    binding.clusterLabels !== undefined && binding.state === 'Bound' && !binding.deleting;
  if (!work.bindings.some(isHeld)) return work;
  const isOutOfDate = outOfDate(work, latest, context);
  const isFilled = (step: BindingStep): boolean => isHeld(step) && !isOutOfDate(step.binding);
  return {
    ...work,
    bindings: work.bindings.map((step) => (isFilled(step) ? { ...step, binding: filled(step.binding) } : step)),
  };
}

/**
 * Nothing was sent anywhere yet, and clusters that were dropped take all of the surge: none will ever be ready, which those wait
 * for, and none may be added. They have nothing to lose. KubeFleet waits for ever (docs/compatibility.md).
 */
function isHeldUpByDropped(all: readonly Classified[], total: number, { maxSurge }: RollingUpdate): boolean {
  const dropped = all.filter(({ candidate }) => candidate === 'remove').length;
  return (
    all.some(({ candidate }) => candidate === 'bind') &&
    dropped >= total + scale(maxSurge, total, 'up') &&
    !all.some(({ step: { binding } }) => wasGiven(binding))
  );
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
