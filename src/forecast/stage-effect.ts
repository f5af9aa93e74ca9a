import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey } from '../api/placement.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../api/staged.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { recordedContent } from '../engine/delivery/target-content.ts';
import { isRebuilt } from '../engine/recovery/rebuilt-snapshot.ts';
import { keyOfManifest } from '../engine/selection/object-key.ts';
import { placementOfRun } from '../engine/update-run.ts';
import { faultOf } from './failing-clusters.ts';
import { heldByContents } from './foreign-contents.ts';
import type { Held, HeldObject, KeptObject } from './held-objects.ts';
import { compared, type ObjectChange } from './object-changes.ts';
import { atOnce } from './steps.ts';
import { successorsIn } from './taken-over.ts';

/** What stages of a run do to their clusters. */
export interface StageEffect {
  /** The contents of the snapshot are known; otherwise the effect is not. */
  readonly isKnown: boolean;
  /** Removals first; equal changes of several clusters are one. */
  readonly changes: readonly ObjectChange[];
  /**
   * Clusters whose contents were rebuilt from them after the record was lost: fields that only they have are left out of the changes, as
   * servers may have added them.
   */
  readonly rebuilt: readonly ClusterName[];
  /** What stays until an approval of removals, since another placement has objects in it; not among the changes. */
  readonly held: readonly KeptObject[];
  /** Clusters that keep what they have, or what is held, although a stage reaches them. */
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
  if (manifests === undefined) return { isKnown: false, changes: [], rebuilt: [], held: [], kept: [] };
  const { members, render } = contents.world;
  const before = new Map<ClusterName, Held>();
  const after = new Map<ClusterName, Held>();
  const kept = new Map<string, ClusterName[]>();
  const keep = (cluster: ClusterName, why: string): void => void kept.set(why, [...(kept.get(why) ?? []), cluster]);
  const inside: KeptObject[] = [];
  const held = (objects: readonly HeldObject['manifest'][], written?: Held): Held => ({
    objects: new Map<string, HeldObject>(
      objects.map((manifest) => {
        const key = keyOfManifest(manifest);
        const rebuiltFrom = written && { rebuilt: { written: written.objects.get(key)?.manifest } };
        return [key, { placement, manifest, ...rebuiltFrom }];
      }),
    ),
    placements: new Map([[placementKey(placement), placement]]),
  });
  const isCompared = run.status?.appliedStrategy?.type === 'ReportDiff';
  const fromRebuilt = rebuiltOn(contents, placement);
  const removes = new Set(removed.map(({ clusterName }) => clusterName));
  const stays = (_: unknown, cluster: ClusterName): boolean =>
    removes.has(cluster) && members.get(cluster)?.leaving !== false;
  for (const lists of [...updated, ...removed]) {
    const clusterName = lists.clusterName as ClusterName;
    const rendered = removes.has(clusterName)
      ? undefined
      : render({ placement, manifests, lists, cluster: clusterName });
    if (rendered?.ok === false || (rendered && isCompared)) {
      keep(
        clusterName,
        rendered.ok ? 'differences are only reported (ReportDiff), nothing is applied' : faultOf(rendered),
      );
      continue;
    }
    const is = held(rendered?.manifests.map(({ manifest }) => manifest) ?? []);
    const recorded = recordedContent(contents, { clusterName, placement, remove: false, objects: [] });
    const was = held(recorded, fromRebuilt.has(clusterName) ? is : undefined);
    before.set(clusterName, was);
    after.set(clusterName, is);
    if (stays(placement, clusterName)) continue;
    for (const it of heldByContents(contents, {
      placement,
      cluster: clusterName,
      was: was.objects,
      left: is.objects,
    })) {
      inside.push(it);
      is.objects.set(keyOfManifest(it.held.manifest), it.held);
      keep(clusterName, `${it.message}; it stays until they are gone, or until its removal is approved`);
    }
  }
  return {
    isKnown: true,
    changes: atOnce(compared(before, after, { stays, ...successorsIn(contents) })).changes,
    rebuilt: [...fromRebuilt.intersection(after)].filter((cluster) => !removes.has(cluster)),
    held: inside,
    kept: [...kept].map(([why, of]) => ({ why, clusters: of })),
  };
}

/** Clusters that have a snapshot which was rebuilt from members. */
function rebuiltOn({ world }: PlanContents, placement: PlacementRef): ReadonlySet<ClusterName> {
  const { bindings = [], resourceSnapshots = [] } =
    world.input.record.placements.get(placementKey(placement))?.state ?? {};
  return new Set(
    bindings.flatMap(({ targetCluster, resourceSnapshotIndex: index }) =>
      index !== undefined && isRebuilt(resourceSnapshots, index) ? targetCluster : [],
    ),
  );
}
