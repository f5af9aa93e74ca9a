import type { ClusterName, ObjectRef } from '../../api/meta.ts';
import type { ApplyStrategy } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { applyStrategyOf } from '../bindings/apply-strategy.ts';
import { memoize } from '../kernel/memoize.ts';
import type { PlacementWork } from '../placement-work.ts';
import { listedObjects } from '../selection/listed-objects.ts';

/** Every object that a remembered snapshot of the placement lists: nothing else of it may ever be removed. */
export const prunableOf = ({ contents }: PlacementWork): readonly ObjectRef[] => listedObjects(contents).refs;

/** How objects of the placement are applied on a cluster. */
export const strategyOf = (work: PlacementWork, cluster: ClusterName): ApplyStrategy =>
  applyStrategyOf(work.placement, stayingOn(work).get(cluster));

/** Bindings that are not on their way out, by cluster, of two the first: every target of the placement asks. */
export const stayingOn = ({ bindings }: PlacementWork): ReadonlyMap<ClusterName, Binding> => staying(bindings);

const staying = memoize(
  (bindings: PlacementWork['bindings']) =>
    new Map(
      bindings
        .toReversed()
        .flatMap(({ binding }) => (binding.deleting ? [] : [[binding.targetCluster, binding] as const])),
    ),
);
