import { memoize } from './kernel/memoize.ts';
import type { NodesTarget, PlacementTarget, Target, UpgradeTarget } from './plan-document.ts';

/** What is done with targets, for each kind of them: where a kind is added, every place that handles targets has to name it. */
export interface TargetHandlers<Result> {
  readonly placement: (target: PlacementTarget) => Result;
  readonly upgrade: (target: UpgradeTarget) => Result;
  readonly nodes: (target: NodesTarget) => Result;
}

/** The kind of a target follows from the field that only this kind has. */
export function handleTarget<Result>(target: Target, handlers: TargetHandlers<Result>): Result {
  if ('placement' in target) return handlers.placement(target);
  return 'upgrade' in target ? handlers.upgrade(target) : handlers.nodes(target);
}

/** Those of placements. */
export const placementTargets = memoize((targets: readonly Target[]): readonly PlacementTarget[] =>
  targets.every(isOfPlacement) ? targets : targets.filter(isOfPlacement),
);

/** Those of nodes. */
export const nodesTargets = (targets: readonly Target[]): readonly NodesTarget[] =>
  targets.filter((target) => 'nodes' in target);

/** Those of cluster upgrades. */
export const upgradeTargets = (targets: readonly Target[]): readonly UpgradeTarget[] =>
  targets.filter((target) => 'upgrade' in target);

const isOfPlacement = (target: Target): target is PlacementTarget => 'placement' in target;
