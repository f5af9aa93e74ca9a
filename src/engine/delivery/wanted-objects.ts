import type { ClusterName, Manifest } from '../../api/meta.ts';
import { refOf } from '../../api/placement.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { matchOverrides } from '../overrides/match.ts';
import type { PlacementWork } from '../placement-work.ts';
import { containersOf } from '../selection/containers.ts';
import { refsIn } from '../selection/listed-objects.ts';
import { objectKey, refOfManifest } from '../selection/object-key.ts';
import type { World } from '../world.ts';
import { stayingOn } from './staying-bindings.ts';

/** Objects by key, and the containers that they are in. */
export interface Wanted {
  readonly objects: ReadonlySet<string>;
  readonly containers: ReadonlySet<string>;
}

/** Objects that a cluster has of a placement, or will have after the next rollout. */
export function wantedOn(work: PlacementWork, cluster: ClusterName, { render, overrides, members }: World): Wanted {
  const placement = refOf(work.placement);
  const binding = stayingOn(work).get(cluster);
  const now = binding?.resourceSnapshotIndex === undefined ? [] : work.contents.get(binding.resourceSnapshotIndex);
  const next = nextContents(work);
  const as = { name: cluster, labels: members.get(cluster)?.labels };
  const lists = matchOverrides({ placement, manifests: next, history: overrides, cluster: as });
  const refs = [
    { manifests: now ?? [], lists: binding ?? {} },
    { manifests: next, lists },
  ].flatMap(({ manifests, lists }) => {
    const rendered = render({ placement, manifests, lists, cluster });
    return rendered.ok ? rendered.manifests.map(({ manifest }) => refOfManifest(manifest)) : refsIn(manifests);
  });
  return { objects: new Set(refs.map(objectKey)), containers: new Set(refs.flatMap(containersOf)) };
}

/** The selected manifests; while the selectors are invalid, those of the latest snapshot. */
export const nextContents = ({ selection, resourceSnapshots, contents }: PlacementWork): readonly Manifest[] =>
  selection.ok ? selection.manifests : (contents.get(latestOf(resourceSnapshots)?.index ?? -1) ?? []);
