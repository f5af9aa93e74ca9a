import { placementKey, refOf } from '../../api/placement.ts';
import type { Assembly } from '../assemble.ts';
import { type Outcome, stateOf } from '../delivery/placement-outcome.ts';
import { by } from '../kernel/ordering.ts';
import { overridesInUse } from '../overrides/in-use.ts';
import { overrideDocuments } from '../overrides/snapshots.ts';
import type { RecordDocument } from '../plan-document.ts';
import type { runsWithoutPlacement } from '../staged/placement-runs.ts';
import type { World } from '../world.ts';
import type { ClusterDocuments } from './cluster-documents.ts';
import { approvalDocument, mirroredDocuments, recordPath } from './record-documents.ts';

/** Every file of the status branch that the engine remembers things in, by path. */
export function recordOf(
  { world, outcomes, deleted, runs, evictions }: Assembly,
  orphans: ReturnType<typeof runsWithoutPlacement>,
  clusters: ClusterDocuments,
): Map<string, RecordDocument> {
  const all = [...outcomes, ...deleted];
  const recordedRuns = [...[...runs.values()].flatMap((outcome) => outcome.recorded), ...orphans.recorded];
  const { config } = world.input.fleet;
  const folder = (directory: string, items: readonly Entry[]): Document[] =>
    items.map(({ name, document }) => [
      `${recordPath(directory, name, items.length, world.input.digest)}.yaml`,
      document,
    ]);
  const documents: Document[] = [
    ...all.flatMap((outcome) => placementFiles(outcome, { world, placements: all.length })),
    ...refusedPlacements(all, world),
    ...unreadPlacements(all.length, world),
    ...overrideDocuments(world.overrides, overridesInUse(all.map(stateOf), recordedRuns)),
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
    ...folder(
      'clusters',
      [...clusters].map(([name, { document }]) => ({ name, document })),
    ),
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
  { work, documents }: Outcome,
  { world, placements }: { readonly world: World; readonly placements: number },
): Document[] {
  const root = recordPath('placements', placementKey(refOf(work.placement)), placements, world.input.digest);
  return documents.map(([path, document]) => [`${root}/${path}`, document]);
}

/** Placements refused at load without a good object in the record: their state must not be lost meanwhile. */
function refusedPlacements(all: readonly Outcome[], world: World): Document[] {
  const { digest } = world.input;
  const planned = new Set(all.map(({ work }) => placementKey(refOf(work.placement))));
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
      ...mirroredDocuments([...(recorded.mirrored?.values() ?? [])], digest).map(
        ([path, document]): Document => [`${root}/${path}`, document],
      ),
      ...[...recorded.snapshots].map(
        ([index, value]): Document => [`${root}/snapshots/${index}.yaml`, { kind: 'manifests', value }],
      ),
    ];
  });
}

/** What cannot be read is for a person to mend, and not to be lost meanwhile. */
const unreadPlacements = (placements: number, { record, input }: World): Document[] =>
  [...(record.unread?.placements ?? [])].flatMap(([key, { files }]) => {
    const root = recordPath('placements', key, placements, input.digest);
    return [...files].map(([path, text]): Document => [`${root}/${path}`, { kind: 'text', value: { text } }]);
  });
