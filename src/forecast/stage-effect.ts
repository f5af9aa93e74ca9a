import type { ClusterName } from '../api/meta.ts';
import { placementKey } from '../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../api/staged.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { recordedContent } from '../engine/delivery/target-content.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';
import { placementOfRun } from '../engine/update-run.ts';
import { faultOf } from './failing-clusters.ts';
import type { HeldObject } from './held-objects.ts';
import { compared, type ObjectChange } from './object-changes.ts';
import { atOnce } from './steps.ts';
import { successorsIn } from './taken-over.ts';

/** What stages of a run do to their clusters. */
export interface StageEffect {
  /** The contents of the snapshot are known; otherwise the effect is not. */
  readonly isKnown: boolean;
  /** Removals first; equal changes of several clusters are one. */
  readonly changes: readonly ObjectChange[];
  /** Clusters that keep what they have although a stage reaches them. */
  readonly kept: readonly { readonly why: string; readonly clusters: readonly ClusterName[] }[];
}

/** On clusters that a run has not reached, and on those that the placement leaves. */
export function stageEffect(
  contents: PlanContents,
  run: StagedUpdateRun,
  {
    updated,
    removed,
  }: { readonly updated: readonly ClusterUpdatingStatus[]; readonly removed: readonly ClusterUpdatingStatus[] },
): StageEffect {
  const placement = placementOfRun(run);
  const work = contents.works.get(placementKey(placement));
  const index = Number(run.status?.resourceSnapshotIndexUsed ?? Number.NaN);
  const manifests = work?.contents.get(index);
  if (manifests === undefined) return { isKnown: false, changes: [], kept: [] };
  const { members, render } = contents.world;
  const before = new Map<ClusterName, ReturnType<typeof held>>();
  const after = new Map<ClusterName, ReturnType<typeof held>>();
  const kept = new Map<string, ClusterName[]>();
  const held = (objects: readonly HeldObject['manifest'][]) => ({
    objects: new Map(objects.map((manifest) => [keyOfManifest(manifest), { placement, manifest }])),
    placements: new Map([[placementKey(placement), placement]]),
  });
  const isCompared = run.status?.appliedStrategy?.type === 'ReportDiff';
  const removes = new Set(removed.map(({ clusterName }) => clusterName));
  for (const lists of [...updated, ...removed]) {
    const clusterName = lists.clusterName as ClusterName;
    const rendered = removes.has(clusterName)
      ? undefined
      : render({ placement, manifests, lists, cluster: clusterName });
    if (rendered?.ok === false || (rendered && isCompared)) {
      const why = rendered.ok ? 'differences are only reported (ReportDiff), nothing is applied' : faultOf(rendered);
      kept.set(why, [...(kept.get(why) ?? []), clusterName]);
      continue;
    }
    before.set(clusterName, held(recordedContent(contents, { clusterName, placement, remove: false, objects: [] })));
    if (rendered) after.set(clusterName, held(rendered.manifests.map(({ manifest }) => manifest)));
  }
  const stays = (_: unknown, cluster: ClusterName): boolean =>
    removes.has(cluster) && members.get(cluster)?.leaving !== false;
  return {
    isKnown: true,
    changes: atOnce(compared(before, after, { stays, ...successorsIn(contents) })).changes,
    kept: [...kept].map(([why, of]) => ({ why, clusters: of })),
  };
}
