import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isWholeLook } from '../observed.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rebuiltEntries } from './rebuild.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * When the record is lost nobody knows what a cluster holds that could not be looked at. One that is picked then counts as one
 * that has the placement as it was found: what is new comes to it as an update, within the budget, once it was looked at. Taken
 * for an empty one it would get that at once, over an older version that serves.
 */
export function asFoundWhereUnseen(
  work: PlacementWork,
  {
    recordLost,
    observationOf,
    observed,
  }: {
    readonly recordLost: boolean;
    readonly observationOf: (cluster: ClusterName) => ClusterObservation | undefined;
    /** A binding of the placement as its cluster shows it. */
    readonly observed: (work: PlacementWork) => (binding: Binding) => Binding;
  },
): PlacementWork {
  const { bindings, contents, resourceSnapshots, selection } = work;
  const isUnseen = ({ state, targetCluster }: Binding): boolean =>
    state === 'Scheduled' && !isWholeLook(observationOf(targetCluster));
  if (!recordLost || !selection.ok || !bindings.some(({ binding }) => isUnseen(binding))) return work;
  const found = resourceSnapshots.findLast(({ index }) => isRebuilt(resourceSnapshots, index))?.index;
  const known: Pick<PlacementWork, 'contents' | 'resourceSnapshots'> =
    found === undefined
      ? {
          contents: new Map<number, readonly Manifest[]>([[0, selection.manifests]]),
          resourceSnapshots: rebuiltEntries([0]),
        }
      : { contents, resourceSnapshots };
  // As the next plan will see it.
  const shown = observed({ ...work, ...known });
  return {
    ...work,
    ...known,
    bindings: bindings.map((step) =>
      isUnseen(step.binding)
        ? { ...step, binding: shown({ ...step.binding, state: 'Bound', resourceSnapshotIndex: found ?? 0 }) }
        : step,
    ),
  };
}
