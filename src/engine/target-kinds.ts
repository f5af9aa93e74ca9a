import { memoize } from './kernel/memoize.ts';
import type { PlacementTarget, Target, UpgradeTarget } from './plan-document.ts';

/** What is done with targets, for each kind of them: where a kind is added, every place that handles targets has to name it. */
export interface TargetHandlers<Result> {
  readonly placement: (target: PlacementTarget) => Result;
  readonly upgrade: (target: UpgradeTarget) => Result;
}

/** The kind of a target follows from the field that only this kind has. */
export const handleTarget = <Result>(target: Target, handlers: TargetHandlers<Result>): Result =>
  'placement' in target ? handlers.placement(target) : handlers.upgrade(target);

/** Those of placements. */
export const placementTargets = memoize((targets: readonly Target[]): readonly PlacementTarget[] =>
  targets.every(isOfPlacement) ? targets : targets.filter(isOfPlacement),
);

const isOfPlacement = (target: Target): target is PlacementTarget => 'placement' in target;
