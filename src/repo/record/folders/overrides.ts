import { type OverrideSnapshot, overrideSnapshot } from '../../../api/override.ts';
import type { FolderRow } from './row.ts';

/** `overrides/<[ns.]name>/<index>.yaml`: the snapshots of each override, by ascending index. */
export const overrideFolder: FolderRow<'overrides'> = {
  entries: 'folders',
  open(reader) {
    const values = new Map<string, OverrideSnapshot[]>();
    return {
      add(file) {
        const snapshot = reader.read(file, overrideSnapshot);
        if (snapshot) values.set(file.name, [...(values.get(file.name) ?? []), snapshot]);
      },
      values: () => new Map([...values].map(([name, list]) => [name, list.sort((a, b) => a.index - b.index)])),
      unread: undefined,
    };
  },
};
