import type { RecordEntry } from '../domain.ts';
import type { RecordDocument } from '../plan-document.ts';

/** Files per directory before names are sharded by the first two hex digits of their sha-256 (docs/status-branch.md). */
const mostEntries = 1000;

/** Where one entry of a status-branch directory stands. */
export function recordPath(directory: string, name: string, entries: number, digest: (text: string) => string): string {
  return entries > mostEntries ? `${directory}/${digest(name).slice(0, 2)}/${name}` : `${directory}/${name}`;
}

/** One file for each object of a directory, `<directory>/<name>.yaml`. */
export const directoryOf = (
  directory: string,
  objects: readonly { readonly name: string; readonly document: RecordDocument }[],
  digest: (text: string) => string,
): RecordEntry[] =>
  objects.map(({ name, document }) => [`${recordPath(directory, name, objects.length, digest)}.yaml`, document]);

export const objectDocument = (value: object): RecordDocument => ({ kind: 'object', value });
