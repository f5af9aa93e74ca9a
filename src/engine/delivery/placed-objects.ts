import type { ClusterName, ObjectRef, PlacementKey } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import { memoize } from '../kernel/memoize.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import type { PlacementWork } from '../placement-work.ts';
import { rememberedManifests } from '../recovery/rebuilt-snapshot.ts';
import { listedObjects, refsIn } from '../selection/listed-objects.ts';
import { objectKey } from '../selection/object-key.ts';

/** What of a placement tells which objects it has. */
type Placing = Pick<PlacementWork, 'placement' | 'bindings' | 'resourceSnapshots' | 'contents' | 'selection'>;

/** Placements with what the whole plan knows of them. */
interface PlacingContents {
  readonly works: ReadonlyMap<PlacementKey, Placing>;
  readonly world: { readonly input: Pick<PlanInput, 'fleet' | 'digest'> };
}

/** Which placements mark objects with which label. */
interface PlacingByLabel {
  /** A file that cannot be read may hold a placement of any label. */
  readonly mayBeAny: boolean;
  readonly works: ReadonlyMap<string, Placing>;
  /** Of placements whose file was refused: nothing is known of what they place. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Whether the placement that marks its objects with a label has an object on a cluster, or may have: it has a binding there,
 * if only one on its way out, and asks for the object now or did in a remembered snapshot, or it is unknown what it gave
 * the cluster. Of a placement whose file was refused nothing is known. What else is marked, by a placement that is gone,
 * has left the cluster or no longer knows the object, is nobody's, and can be taken over (KubeFleet drops owner references to
 * AppliedWorks whose Work is gone).
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
      state !== 'Scheduled' && rememberedManifests(work, index) === undefined,
  );
}
