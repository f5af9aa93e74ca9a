import { placementKey } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import type { StagedUpdateRun } from '../api/staged.ts';
import { wasGiven } from '../engine/bindings/cleanup.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import type { FleetRecord } from '../engine/input.ts';
import { hasStarted } from '../engine/staged/step.ts';
import { placementOfRun } from '../engine/update-run.ts';

/**
 * Whether the end of a run removes objects from a cluster of its delete stage. That stage has every binding that was not selected when
 * the run was initialized (KubeFleet), also of clusters that left the fleet since, which keep their objects, of those that never were
 * given any, and of those that are selected again.
 */
export type IsRemovedFrom = (cluster: string) => boolean;

/** As it is recorded. What the record does not show counts as removed. */
export function removedInRecord(
  run: StagedUpdateRun,
  { placements, clusters }: Pick<FleetRecord, 'placements' | 'clusters'>,
): IsRemovedFrom {
  const isMember = memberIn({ clusters });
  const { bindings } = placements.get(placementKey(placementOfRun(run)))?.state ?? {};
  // What is removed already has no binding any more.
  const begun = new Set<string>(
    run.status?.deletionStageStatus?.clusters.filter(hasStarted).map(({ clusterName }) => clusterName),
  );
  return (cluster) =>
    isMember(cluster) && (begun.has(cluster) || bindings === undefined || isLeaving(bindings, cluster));
}

/** Whether a cluster is in the fleet and does not leave it, as it is recorded; of a record without clusters that is not known. */
export function memberIn({ clusters }: Pick<FleetRecord, 'clusters'>): (cluster: string) => boolean {
  const members = new Set<string>(
    [...clusters].flatMap(([name, { metadata }]) => (metadata.deletionTimestamp === undefined ? [name] : [])),
  );
  return (cluster) => clusters.size === 0 || members.has(cluster);
}

/** As a plan has it. */
export function removedInPlan(run: StagedUpdateRun, { works, world }: PlanContents): IsRemovedFrom {
  const work = works.get(placementKey(placementOfRun(run)));
  const bindings = work?.bindings.map(({ binding }) => binding) ?? [];
  const members = new Map<string, { readonly leaving: boolean }>(world.members);
  return (cluster) => members.get(cluster)?.leaving === false && isLeaving(bindings, cluster);
}

const isLeaving = (bindings: readonly Binding[], cluster: string): boolean =>
  bindings.some(
    (binding) =>
      binding.targetCluster === cluster && (binding.state === 'Unscheduled' || binding.deleting) && wasGiven(binding),
  );
