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
export const placementTargets = (targets: readonly Target[]): readonly PlacementTarget[] => byKind(targets).placement;

/** Those of placements that remove what a cluster has. */
export const removalTargets = (targets: readonly Target[]): readonly PlacementTarget[] => byKind(targets).removal;

/** Those of nodes. */
export const nodesTargets = (targets: readonly Target[]): readonly NodesTarget[] => byKind(targets).nodes;

/** Those of cluster upgrades. */
export const upgradeTargets = (targets: readonly Target[]): readonly UpgradeTarget[] => byKind(targets).upgrade;

/** The targets of a plan in one walk: of 100,000 almost all are of placements. */
const byKind = memoize((targets: readonly Target[]) => {
  const upgrade: UpgradeTarget[] = [];
  const nodes: NodesTarget[] = [];
  const placement: PlacementTarget[] = [];
  const removal: PlacementTarget[] = [];
  const put: TargetHandlers<unknown> = {
    placement(target) {
      placement.push(target);
      if (target.remove) removal.push(target);
    },
    upgrade: (target) => upgrade.push(target),
    nodes: (target) => nodes.push(target),
  };
  for (const target of targets) handleTarget(target, put);
  return { placement, removal, upgrade, nodes };
});
