import type { RecordFolder } from '../input.ts';
import type { RecordDocument } from '../plan-document.ts';

/** Files per directory before names are sharded by the first two hex digits of their sha-256 (docs/status-branch.md). */
const mostEntries = 1000;

/** `mirrored` is below the folder of a placement. */
type ShardedFolder = RecordFolder | 'mirrored';

/** The path of one entry of a status-branch directory. */
export function recordPath<Folder extends ShardedFolder>(
  directory: Folder,
  name: string,
  entries: number,
  digest: (text: string) => string,
): `${Folder}/${string}` {
  return entries > mostEntries ? `${directory}/${digest(name).slice(0, 2)}/${name}` : `${directory}/${name}`;
}

/** One file for each object of a directory, `<directory>/<name>.yaml`. */
export const directoryOf = <Folder extends ShardedFolder>(
  directory: Folder,
  objects: readonly { readonly name: string; readonly document: RecordDocument }[],
  digest: (text: string) => string,
): (readonly [`${Folder}/${string}`, RecordDocument])[] =>
  objects.map(({ name, document }) => [`${recordPath(directory, name, objects.length, digest)}.yaml`, document]);

export const objectDocument = (value: object): RecordDocument => ({ kind: 'object', value });
