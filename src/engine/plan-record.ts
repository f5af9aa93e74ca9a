import type { PlacementKey } from '../api/meta.ts';
import { type PlacementStatus, placementKey, refOf } from '../api/placement.ts';
import { by } from './kernel/ordering.ts';
import { idsOf } from './overrides/snapshot-id.ts';
import { overrideDocuments } from './overrides/snapshots.ts';
import type { RecordDocument } from './plan-document.ts';
import type { Assembly } from './plan-output.ts';
import {
  approvalDocument,
  clusterDocument,
  mirroredDocuments,
  placementDocuments,
  recordPath,
} from './record-documents.ts';
import type { runsWithoutPlacement } from './runs.ts';
import { mirroredStatuses } from './status/mirrored-status.ts';
import { statusInNamespace } from './status/status-in-namespace.ts';
import type { PlacementWork } from './working.ts';
import type { World } from './world.ts';

/** Every file of the status branch that the engine remembers things in, by path. */
export function recordOf(
  { world, works, deleted, runs, evictions }: Assembly,
  statuses: ReadonlyMap<PlacementWork, PlacementStatus>,
  orphans: ReturnType<typeof runsWithoutPlacement>,
): Map<string, RecordDocument> {
  const { digest } = world.input;
  const documents: [string, RecordDocument][] = [];
  const all = [...works, ...deleted];
  const refusedButRecorded = [...world.record.placements].filter(
    ([key]) => !all.some((work) => placementKey(refOf(work.placement)) === key) && isHeld(key, world),
  );
  for (const work of all) {
    const root = recordPath('placements', placementKey(refOf(work.placement)), all.length, digest);
    const status = statuses.get(work) ?? recordedStatus(work, world) ?? {};
    const inNamespace = statusInNamespace(work.placement, status, {
      now: world.input.now,
      recorded: world.record.placements.get(placementKey(refOf(work.placement)))?.inNamespace,
    });
    documents.push(...placementDocuments(work, { status, inNamespace }, root));
    const before = world.record.placements.get(placementKey(refOf(work.placement)))?.mirrored;
    documents.push(...mirroredDocuments(mirroredStatuses(work, world, before), root, digest));
  }
  for (const [key, recorded] of refusedButRecorded) {
    const root = recordPath('placements', key, all.length, digest);
    if (recorded.object) documents.push([`${root}/status.yaml`, { kind: 'object', value: recorded.object }]);
    documents.push([`${root}/state.yaml`, { kind: 'object', value: recorded.state }]);
    if (recorded.inNamespace)
      documents.push([`${root}/namespace-status.yaml`, { kind: 'object', value: recorded.inNamespace }]);
    documents.push(...mirroredDocuments([...(recorded.mirrored?.values() ?? [])], root, digest));
    for (const [index, value] of recorded.snapshots)
      documents.push([`${root}/snapshots/${index}.yaml`, { kind: 'manifests', value }]);
  }
  const inUse = new Set<string>();
  for (const work of all) {
    for (const { binding } of work.bindings) for (const id of idsOf(binding)) inUse.add(id);
    for (const entry of work.resourceSnapshots) for (const id of entry.overrides ?? []) inUse.add(id);
  }
  const recordedRuns = [...[...runs.values()].flatMap((outcome) => outcome.recorded), ...orphans.recorded];
  for (const run of recordedRuns) {
    for (const stage of run.status?.stagesStatus ?? [])
      for (const cluster of stage.clusters) for (const id of idsOf(cluster)) inUse.add(id);
  }
  documents.push(...overrideDocuments(world.overrides, inUse));
  const add = (directory: string, items: readonly { readonly name: string; readonly document: RecordDocument }[]) => {
    for (const { name, document } of items)
      documents.push([`${recordPath(directory, name, items.length, digest)}.yaml`, document]);
  };
  add(
    'runs',
    recordedRuns.map((run) => ({ name: placementKey(run.metadata), document: { kind: 'object', value: run } })),
  );
  add(
    'approvals',
    [...runs.values()]
      .flatMap(({ approvals }) => approvals)
      .map((approval) => ({ name: placementKey(approval), document: approvalDocument(approval) })),
  );
  add(
    'evictions',
    evictions.recorded.map((eviction) => ({
      name: eviction.metadata.name,
      document: { kind: 'object', value: eviction },
    })),
  );
  add(
    'clusters',
    world.admitted.members.flatMap((cluster) => {
      const member = world.members.get(cluster.metadata.name);
      return member
        ? [{ name: member.name, document: clusterDocument(cluster, member, world.record.clusters.get(member.name)) }]
        : [];
    }),
  );
  const { config } = world.input.fleet;
  if (config) documents.push(['fleet.yaml', { kind: 'object', value: config }]);
  return new Map(documents.sort(by(([path]) => path)));
}

/** A placement refused at load without a good object in the record: its state must not be lost meanwhile. */
function isHeld(key: PlacementKey, world: World): boolean {
  return !world.admitted.deleted.some((gone) => gone.key === key);
}

/** The status that the record shows of a placement. */
export function recordedStatus(work: PlacementWork, world: World): PlacementStatus | undefined {
  return world.record.placements.get(placementKey(refOf(work.placement)))?.object?.status;
}
