import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import type { ApplyStrategy } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { applyStrategyOf } from '../bindings/apply-strategy.ts';
import { memoize } from '../kernel/memoize.ts';
import type { PlacementWork } from '../placement-work.ts';
import { listedObjects } from '../selection/listed-objects.ts';

/** Every object that a recorded snapshot of the placement lists: no other object of it may be removed. */
export const prunableOf = ({ contents }: PlacementWork): readonly ObjectRef[] => listedObjects(contents).refs;

/** How objects of the placement are applied on a cluster. */
export const strategyOf = (work: PlacementWork, cluster: ClusterName): ApplyStrategy =>
  applyStrategyOf(work.placement, stayingOn(work).get(cluster));

/** Bindings that are not being removed, by cluster; of two on one cluster the first. Cached, since every target looks them up. */
export const stayingOn = ({ bindings }: PlacementWork): ReadonlyMap<ClusterName, Binding> => staying(bindings);

const staying = memoize(
  (bindings: PlacementWork['bindings']) =>
    new Map(
      bindings
        .toReversed()
        .flatMap(({ binding }) => (binding.deleting ? [] : [[binding.targetCluster, binding] as const])),
    ),
);
