import type { Manifest, ObjectRef } from '../../api/meta.ts';
import { type ApplyStrategy, abandons, placementKey } from '../../api/placement.ts';
import { appliedIn } from '../bindings/applied-snapshot.ts';
import { applyStrategyOf } from '../bindings/apply-strategy.ts';
import { approvedRemovals } from '../bindings/foreign-objects.ts';
import { recordedLabels } from '../bindings/previous-labels.ts';
import { placementLabelValue } from '../overrides/ownership.ts';
import type { Rendered, RenderedManifest } from '../overrides/render.ts';
import { type RecordedLists, withEarlier } from '../overrides/snapshot-id.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlacementTarget } from '../plan-document.ts';
import type { World } from '../world.ts';
import { handedOver } from './handed-over.ts';
import type { PlanContents } from './plan-contents.ts';
import { prunableOf, stayingOn, strategyOf } from './staying-bindings.ts';

/** Everything an actor needs for a target, beyond the target. */
export interface TargetContent {
  readonly manifests: readonly RenderedManifest[];
  readonly strategy: ApplyStrategy;
  /** Value of the ownership label on the placement's objects. */
  readonly label: string;
  /** Namespaces and CRDs that may be removed although they contain objects of others. */
  readonly approvedRemovals: readonly ObjectRef[];
  /** Objects that it releases instead of removing them, since another placement selects them. */
  readonly handedOver: readonly ObjectRef[];
  /** The desired objects are unknown: everything on the cluster stays unchanged. */
  readonly leaveAlone: boolean;
  /** When the placement is deleted, its objects stay on the clusters (KubeFleet deleteStrategy). */
  readonly abandons: boolean;
  /** Objects that recorded snapshots list: the only ones that may be removed. */
  readonly prunable: readonly ObjectRef[];
}

/** Undefined when the contents of the target are not known. */
export function targetContent(contents: PlanContents, target: PlacementTarget): TargetContent | undefined {
  const { world, works } = contents;
  const { input } = world;
  const work = works.get(placementKey(target.placement));
  // Neither contents nor rebuilt objects: with an empty list the actor would remove everything.
  if (!work || (!target.remove && target.digest === undefined && target.objects.length === 0)) return undefined;
  return {
    manifests: renderedFor(work, target, world),
    strategy: strategyOf(work, target.clusterName),
    prunable: prunableOf(work),
    leaveAlone: isLeftAlone(target),
    label: placementLabelValue(target.placement, input.digest),
    approvedRemovals: approvedRemovals(target, input),
    handedOver: handedOver(contents, target, work),
    abandons: abandons(work.placement),
  };
}

const isLeftAlone = ({ remove, digest }: PlacementTarget): boolean => !remove && digest === undefined;

/** What a target's cluster gets; empty where that is not known. */
export function renderedFor(work: PlacementWork, target: PlacementTarget, world: World): readonly RenderedManifest[] {
  const { clusterName: cluster, placement, resourceSnapshotIndex: index } = target;
  if (target.remove || isLeftAlone(target) || index === undefined) return [];
  const manifests = work.contents.get(index) ?? [];
  const rendered = world.render({ placement, manifests, lists: stayingOn(work).get(cluster) ?? {}, cluster });
  return rendered.ok ? rendered.manifests : [];
}

/**
 * What a cluster has of a placement by the record: its recorded index with its recorded override snapshots and labels. Where those
 * cannot be rendered, or are only compared (ReportDiff), what was applied last.
 */
export function recordedContent({ world }: PlanContents, target: PlacementTarget): readonly Manifest[] {
  const recorded = world.record.placements.get(placementKey(target.placement));
  const binding = recorded?.state.bindings.find(
    ({ targetCluster, state }) => targetCluster === target.clusterName && state !== 'Scheduled',
  );
  if (!recorded || binding?.resourceSnapshotIndex === undefined) return [];
  const rendered = (index: number, lists: RecordedLists): Rendered =>
    world.render({
      placement: target.placement,
      manifests: recorded.snapshots.get(index) ?? [],
      lists,
      cluster: target.clusterName,
      labels: recordedLabels(binding, world),
    });
  const isCompared = recorded.object !== undefined && applyStrategyOf(recorded.object, binding).type === 'ReportDiff';
  const given = isCompared ? undefined : rendered(binding.resourceSnapshotIndex, binding);
  if (given?.ok) return given.manifests.map(({ manifest }) => manifest);
  const index = appliedIn(binding);
  if (index === undefined) return [];
  let lists: RecordedLists = binding;
  for (;;) {
    const applied = rendered(index, lists);
    if (applied.ok) return applied.manifests.map(({ manifest }) => manifest);
    if (applied.reason !== 'OverriddenFailed') return [];
    // Nothing was ever applied with an override snapshot that fails: an earlier one of the override was, or none.
    lists = withEarlier(lists, applied.override);
  }
}
