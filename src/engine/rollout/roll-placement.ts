import { refOf } from '../../api/placement.ts';
import { filledAsObserved, movedAsObserved } from '../bindings/present-bindings.ts';
import { successorReplacesRemaining } from '../bindings/successor.ts';
import { placementBudget } from '../budget/placement-budget.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { idsOf } from '../overrides/snapshot-id.ts';
import { startsRollout } from '../overrides/starts-rollout.ts';
import { placementPause } from '../pause/placement-pause.ts';
import type { PlacementWork } from '../placement-work.ts';
import { inFleet, unavailableByUpgrade, type World } from '../world.ts';
import { overridesFor } from './overrides-for.ts';
import { rollOut } from './roll-out.ts';
import { withOverrideIds } from './snapshot-resources.ts';

/** RollingUpdate towards the latest snapshot, as far as its budgets allow now. */
export function rollPlacement(scheduled: PlacementWork, world: World): PlacementWork {
  const work = withoutUnscheduledOutsideFleet(scheduled, world);
  const latest = latestOf(work.resourceSnapshots);
  if (!latest) return work;
  const known = new Set([...(latest.overrides ?? []), ...work.bindings.flatMap(({ binding }) => idsOf(binding))]);
  const lists = overridesFor(work, world, latest.index);
  const rolled = rollOut(work, {
    now: world.input.now,
    overridesFor: lists,
    startsRollout: (before, after) => startsRollout(before, after, world.overrides, known),
    pause: placementPause(work, world),
    budget: placementBudget(refOf(work.placement), world.input.fleet),
    upgrading: world.upgrading,
    isUnavailable: unavailableByUpgrade(world),
    withPresentLabels: filledAsObserved(work, world),
    observed: movedAsObserved(work, world),
    replacesRemaining(leaving) {
      return successorReplacesRemaining(
        work,
        leaving,
        { index: latest.index, lists: lists(leaving.targetCluster) },
        world,
      );
    },
  });
  // Overrides are recorded as used only when a rollout moved something.
  const moves = rolled.bindings.some(({ move }) => move === 'add' || move === 'update');
  return moves ? withOverrideIds(rolled, world) : rolled;
}

/** Clusters outside the fleet keep their objects, so their Unscheduled bindings are removed without any budget. */
const withoutUnscheduledOutsideFleet = (work: PlacementWork, world: World): PlacementWork => ({
  ...work,
  bindings: work.bindings.filter(
    ({ binding }) => binding.state !== 'Unscheduled' || inFleet(binding.targetCluster, world),
  ),
});
