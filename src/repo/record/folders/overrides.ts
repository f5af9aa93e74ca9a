import { type OverrideSnapshot, overrideSnapshot } from '../../../api/override.ts';
import { placementKey } from '../../../api/placement.ts';
import type { FolderRow, RecordFile } from './row.ts';

/** A record written by hand may have the override's name in place of the snapshot's own. */
function entryOf({ metadata, index }: OverrideSnapshot, { name, rest }: RecordFile): string {
  const own = placementKey(metadata);
  if (rest !== `${index}.yaml`) return `${own}/${index}`;
  return own === `${name}-${index}` ? name : own;
}

/** `overrides/<[ns.]name>/<index>.yaml`: the snapshots of each override, by ascending index. */
export const overrideFolder: FolderRow<'overrides'> = {
  entries: 'folders',
  reads: (rest) => /^[^/]+\.yaml$/.test(rest),
  open(reader) {
    const values = new Map<string, OverrideSnapshot[]>();
    return {
      add(file) {
        const snapshot = reader.read(file, overrideSnapshot, { nameOf: (it) => entryOf(it, file) });
        if (snapshot) values.set(file.name, [...(values.get(file.name) ?? []), snapshot]);
      },
      values: () => new Map([...values].map(([name, list]) => [name, list.sort((a, b) => a.index - b.index)])),
      unread: undefined,
    };
  },
};
