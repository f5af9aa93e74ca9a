import { placementKey, refOf } from '../../api/placement.ts';
import type { RecordEntry } from '../domain.ts';
import { objectDocument, recordPath } from '../record/documents.ts';
import type { World } from '../world.ts';
import { mirroredDocuments } from './placement-documents.ts';
import type { PlacementOutcome } from './placement-outcome.ts';

/** The recorded files of placements that were refused at load and have no good version in the record, unchanged. */
export function refusedPlacements(all: readonly PlacementOutcome[], world: World): RecordEntry[] {
  const { digest } = world.input;
  const planned = new Set(all.map(({ work }) => placementKey(refOf(work.placement))));
  const gone = new Set(world.admitted.deleted.map(({ key }) => key));
  return [...world.record.placements].flatMap(([key, recorded]): RecordEntry[] => {
    if (planned.has(key) || gone.has(key)) return [];
    const root = recordPath('placements', key, all.length, digest);
    const object = (name: string, value: object | undefined): RecordEntry[] =>
      value ? [[`${root}/${name}.yaml`, objectDocument(value)]] : [];
    return [
      ...object('status', recorded.object),
      ...object('state', recorded.state),
      ...object('namespace-status', recorded.inNamespace),
      ...mirroredDocuments([...(recorded.mirrored?.values() ?? [])], digest).map(
        ([path, document]): RecordEntry => [`${root}/${path}`, document],
      ),
      ...[...recorded.snapshots].map(
        ([index, value]): RecordEntry => [`${root}/snapshots/${index}.yaml`, { kind: 'manifests', value }],
      ),
    ];
  });
}

/** Files that cannot be read are kept until someone fixes them. */
export const unreadPlacements = (placements: number, { record, input }: World): RecordEntry[] =>
  [...(record.unread?.placements ?? [])].flatMap(([key, { files }]) => {
    const root = recordPath('placements', key, placements, input.digest);
    return [...files].map(([path, text]): RecordEntry => [`${root}/${path}`, { kind: 'text', value: { text } }]);
  });
