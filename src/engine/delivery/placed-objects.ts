import type { ClusterName, ObjectRef, PlacementKey } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import type { PlacementWork } from '../placement-work.ts';
import { knownManifests } from '../recovery/rebuilt-snapshot.ts';
import { listedObjects, refsIn } from '../selection/listed-objects.ts';
import { objectKey } from '../selection/object-key.ts';

/** The parts of a placement that show which objects it has. */
type Placing = Pick<PlacementWork, 'placement' | 'bindings' | 'resourceSnapshots' | 'contents' | 'selection'>;

/** The placements of a plan. */
interface PlacingContents {
  readonly works: ReadonlyMap<PlacementKey, Placing>;
  readonly world: { readonly input: Pick<PlanInput, 'fleet' | 'digest'> };
}

/** Placements by the label that they set on their objects. */
interface PlacingByLabel {
  /** A file that cannot be read may hold a placement of any label. */
  readonly mayBeAny: boolean;
  readonly works: ReadonlyMap<string, Placing>;
  /** Labels of placements whose file was refused: it is unknown what they place. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Whether the placement with a label has, or may have, an object on a cluster. It must have a binding there, which may be one
 * that is being removed. It must also select the object, or list it in a recorded snapshot, or its contents there are unknown.
 * A placement whose file was refused may have any object. Other objects with a label have no owner and can be taken over:
 * their placement is gone, has left the cluster, or no longer lists them (KubeFleet drops owner references to AppliedWorks
 * whose Work is gone).
 */
export function isPlaced(
  contents: PlacingContents,
  { label, cluster, object }: { readonly label: string; readonly cluster: ClusterName; readonly object: ObjectRef },
): boolean {
  const { mayBeAny, works, refused } = placingByLabel(contents);
  if (mayBeAny) return true;
  const work = works.get(label);
  return work === undefined ? refused.has(label) : hasOn(work, cluster, objectKey(object));
}

const placingByLabel = memoize(({ works, world: { input } }: PlacingContents): PlacingByLabel => {
  const { fleet, digest } = input;
  const refused = new Set<string>();
  for (const { kind, name, namespace } of fleet.refused) {
    if (kind === 'ClusterResourcePlacement') refused.add(placementLabelValue({ kind, name }, digest));
    if (kind === 'ResourcePlacement' && namespace !== undefined)
      refused.add(placementLabelValue({ kind, name, namespace }, digest));
  }
  const placing = [...works.values()].map(
    (work) => [placementLabelValue(refOf(work.placement), digest), work] as const,
  );
  return { mayBeAny: fleet.unreadable.length > 0, works: new Map(placing), refused };
});

function hasOn(work: Placing, cluster: ClusterName, key: string): boolean {
  const { contents, selection } = work;
  const here = work.bindings.filter(({ binding }) => binding.targetCluster === cluster);
  if (here.length === 0) return false;
  if (listedObjects(contents).keys.has(key)) return true;
  if (selection.ok && refsIn(selection.manifests).some((ref) => objectKey(ref) === key)) return true;
  return here.some(
    ({ binding: { state, resourceSnapshotIndex: index } }) =>
      state !== 'Scheduled' && knownManifests(work, index) === undefined,
  );
}
