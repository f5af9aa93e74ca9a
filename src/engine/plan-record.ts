import { type PlacementStatus, placementKey, refOf } from '../api/placement.ts';
import { by } from './kernel/ordering.ts';
import { overridesInUse } from './overrides/in-use.ts';
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
  assembly: Assembly,
  statuses: ReadonlyMap<PlacementWork, PlacementStatus>,
  orphans: ReturnType<typeof runsWithoutPlacement>,
): Map<string, RecordDocument> {
  const { world, works, deleted, runs, evictions } = assembly;
  const all = [...works, ...deleted];
  const recordedRuns = [...[...runs.values()].flatMap((outcome) => outcome.recorded), ...orphans.recorded];
  const { config } = world.input.fleet;
  const folder = (directory: string, items: readonly Entry[]): Document[] =>
    items.map(({ name, document }) => [
      `${recordPath(directory, name, items.length, world.input.digest)}.yaml`,
      document,
    ]);
  const documents: Document[] = [
    ...all.flatMap((work) => placementFiles(work, statuses.get(work), { world, placements: all.length })),
    ...refusedPlacements(all, world),
    ...overrideDocuments(world.overrides, overridesInUse(all.map(holdingOf), recordedRuns)),
    ...folder(
      'runs',
      recordedRuns.map((run) => ({ name: placementKey(run.metadata), document: { kind: 'object', value: run } })),
    ),
    ...folder(
      'approvals',
      [...runs.values()]
        .flatMap(({ approvals }) => approvals)
        .map((approval) => ({ name: placementKey(approval), document: approvalDocument(approval) })),
    ),
    ...folder(
      'evictions',
      evictions.recorded.map((eviction) => ({
        name: eviction.metadata.name,
        document: { kind: 'object', value: eviction },
      })),
    ),
    ...folder('clusters', clusterEntries(world)),
    ...(config ? [['fleet.yaml', { kind: 'object', value: config }] satisfies Document] : []),
  ];
  return new Map(documents.sort(by(([path]) => path)));
}

type Document = [path: string, document: RecordDocument];

interface Entry {
  readonly name: string;
  readonly document: RecordDocument;
}

function placementFiles(
  work: PlacementWork,
  planned: PlacementStatus | undefined,
  { world, placements }: { readonly world: World; readonly placements: number },
): Document[] {
  const key = placementKey(refOf(work.placement));
  const recorded = world.record.placements.get(key);
  const root = recordPath('placements', key, placements, world.input.digest);
  const status = planned ?? recordedStatus(work, world) ?? {};
  const inNamespace = statusInNamespace(work.placement, status, {
    now: world.input.now,
    recorded: recorded?.inNamespace,
  });
  return [
    ...placementDocuments(work, { status, inNamespace }, root),
    ...mirroredDocuments(mirroredStatuses(work, world, recorded?.mirrored), root, world.input.digest),
  ];
}

/** Placements refused at load without a good object in the record: their state must not be lost meanwhile. */
function refusedPlacements(all: readonly PlacementWork[], world: World): Document[] {
  const { digest } = world.input;
  const planned = new Set(all.map((work) => placementKey(refOf(work.placement))));
  const gone = new Set(world.admitted.deleted.map(({ key }) => key));
  return [...world.record.placements].flatMap(([key, recorded]): Document[] => {
    if (planned.has(key) || gone.has(key)) return [];
    const root = recordPath('placements', key, all.length, digest);
    const object = (name: string, value: object | undefined): Document[] =>
      value ? [[`${root}/${name}.yaml`, { kind: 'object', value }]] : [];
    return [
      ...object('status', recorded.object),
      ...object('state', recorded.state),
      ...object('namespace-status', recorded.inNamespace),
      ...mirroredDocuments([...(recorded.mirrored?.values() ?? [])], root, digest),
      ...[...recorded.snapshots].map(
        ([index, value]): Document => [`${root}/snapshots/${index}.yaml`, { kind: 'manifests', value }],
      ),
    ];
  });
}

const holdingOf = ({ bindings, resourceSnapshots }: PlacementWork) => ({
  bindings: bindings.map(({ binding }) => binding),
  resourceSnapshots,
});

const clusterEntries = (world: World): Entry[] =>
  world.admitted.members.flatMap((cluster) => {
    const member = world.members.get(cluster.metadata.name);
    return member
      ? [{ name: member.name, document: clusterDocument(cluster, member, world.record.clusters.get(member.name)) }]
      : [];
  });

/** The status that the record shows of a placement. */
export function recordedStatus(work: PlacementWork, world: World): PlacementStatus | undefined {
  return world.record.placements.get(placementKey(refOf(work.placement)))?.object?.status;
}
