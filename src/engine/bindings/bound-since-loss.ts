import type { Manifest } from '../../api/meta.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isCompleteObservation } from '../observed.ts';
import { leavingSteps, type PlacementWork } from '../placement-work.ts';
import { rebuiltEntries } from '../recovery/rebuild.ts';
import { isRebuilt } from '../recovery/rebuilt-snapshot.ts';
import type { World } from '../world.ts';
import { ownershipOf } from './ownership.ts';

/**
 * When the record is lost, it is unknown what an unobserved cluster holds. If it is picked, it counts as one that has the
 * placement as found elsewhere: it gets a new version as an update, within the budget, once it was observed. Counted as empty
 * it would get that at once, over an older version that serves. The same holds for a cluster that was not even picked then,
 * and shows objects of the placement when it is.
 */
export function boundSinceLoss(
  work: PlacementWork,
  {
    world,
    observed,
  }: {
    readonly world: World;
    /** A binding of the placement as its cluster shows it. */
    readonly observed: (work: PlacementWork) => (binding: Binding) => Binding;
  },
): PlacementWork {
  const { placement, bindings, contents, resourceSnapshots, selection } = work;
  const found = resourceSnapshots.findLast(({ index }) => isRebuilt(resourceSnapshots, index))?.index;
  // An update run has no budget: it updates the cluster either way, in its stage.
  const staysScheduled = found === undefined || placement.spec.strategy.type === 'External';
  const mayHoldIt = world.recordLost ? isUnobservedIn(world) : staysScheduled ? never : showsObjectsOf(work, world);
  if (!selection.ok || !bindings.some(({ binding }) => mayHoldIt(binding))) return work;
  const known: Pick<PlacementWork, 'contents' | 'resourceSnapshots'> =
    found === undefined
      ? {
          contents: new Map<number, readonly Manifest[]>([[0, selection.manifests]]),
          resourceSnapshots: rebuiltEntries([0]),
        }
      : { contents, resourceSnapshots };
  // As the next plan will observe it.
  const shown = observed({ ...work, ...known });
  return {
    ...work,
    ...known,
    bindings: bindings.map((step) =>
      mayHoldIt(step.binding)
        ? { ...step, binding: shown({ ...step.binding, state: 'Bound', resourceSnapshotIndex: found ?? 0 }) }
        : step,
    ),
  };
}

const never = (): boolean => false;

const isUnobservedIn =
  ({ observationOf }: World) =>
  ({ state, targetCluster }: Binding): boolean =>
    state === 'Scheduled' && !isCompleteObservation(observationOf(targetCluster));

/** Those of a binding that is being removed are of that one. */
function showsObjectsOf(work: PlacementWork, world: World): (binding: Binding) => boolean {
  const isOwn = ownershipOf(work, world);
  const leaving = new Set(leavingSteps(work.bindings).map(({ binding }) => binding.targetCluster));
  return (binding) =>
    binding.state === 'Scheduled' &&
    !leaving.has(binding.targetCluster) &&
    world.observationOf(binding.targetCluster)?.objects.some((object) => isOwn(object, binding)) === true;
}
