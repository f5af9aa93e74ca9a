import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { ClusterObservation } from '../../api/observation.ts';
import type { Binding } from '../../api/placement-state.ts';
import { isCompleteObservation } from '../observed.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rebuiltEntries } from './rebuild.ts';
import { isRebuilt } from './rebuilt-snapshot.ts';

/**
 * When the record is lost, it is unknown what an unobserved cluster holds. If it is picked, it counts as one that has the
 * placement as found elsewhere: it gets a new version as an update, within the budget, once it was observed. Counted as empty
 * it would get that at once, over an older version that serves.
 */
export function boundWhereUnobserved(
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
  const isUnobserved = ({ state, targetCluster }: Binding): boolean =>
    state === 'Scheduled' && !isCompleteObservation(observationOf(targetCluster));
  if (!recordLost || !selection.ok || !bindings.some(({ binding }) => isUnobserved(binding))) return work;
  const found = resourceSnapshots.findLast(({ index }) => isRebuilt(resourceSnapshots, index))?.index;
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
      isUnobserved(step.binding)
        ? { ...step, binding: shown({ ...step.binding, state: 'Bound', resourceSnapshotIndex: found ?? 0 }) }
        : step,
    ),
  };
}
