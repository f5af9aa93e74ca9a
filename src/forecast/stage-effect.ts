import type { ClusterName } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../api/staged.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { recordedContent } from '../engine/delivery/target-content.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';
import { placementOfRun } from '../engine/update-run.ts';
import type { HeldObject } from './held-objects.ts';
import { compared, type ObjectChange } from './object-changes.ts';
import { atOnce } from './steps.ts';

/**
 * What a run changes on clusters that it has not reached, or removes from those that the placement leaves: removals first; equal changes
 * of several clusters are one.
 */
export function stageEffect(
  contents: PlanContents,
  run: StagedUpdateRun,
  { clusters, removes }: { readonly clusters: readonly ClusterUpdatingStatus[]; readonly removes: boolean },
): readonly ObjectChange[] {
  const placement = placementOfRun(run);
  const work = contents.works.get(placementKey(placement));
  const index = Number(run.status?.resourceSnapshotIndexUsed ?? Number.NaN);
  const manifests = work?.contents.get(index);
  if (manifests === undefined) return [];
  const { members, render } = contents.world;
  const before = new Map<ClusterName, ReturnType<typeof held>>();
  const after = new Map<ClusterName, ReturnType<typeof held>>();
  const held = (objects: readonly HeldObject['manifest'][]) => ({
    objects: new Map(objects.map((manifest) => [keyOfManifest(manifest), { placement, manifest }])),
    placements: new Map([[placementKey(placement), placement]]),
  });
  for (const lists of clusters) {
    const clusterName = lists.clusterName as ClusterName;
    const rendered = removes ? undefined : render({ placement, manifests, lists, cluster: clusterName });
    if (rendered?.ok === false) continue;
    before.set(clusterName, held(recordedContent(contents, { clusterName, placement, remove: false, objects: [] })));
    if (rendered) after.set(clusterName, held(rendered.manifests.map(({ manifest }) => manifest)));
  }
  return atOnce(compared(before, after, (_, cluster) => removes && members.get(cluster)?.leaving !== false)).changes;
}
