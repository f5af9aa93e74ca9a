import type { z } from 'zod';
import { placementKey } from '../../../api/placement.ts';
import type { RecordFile, RecordReader } from './row.ts';

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}

const nameOf = ({ metadata }: Named): string => placementKey(metadata);

/** A folder with a file for each object. A file that cannot be read counts as missing. */
export const entryFiles = <T extends Named, K extends string = string>(schema: z.ZodType<T>) => ({
  entries: 'files' as const,
  open(reader: RecordReader) {
    const values = new Map<K, T>();
    return {
      add(file: RecordFile) {
        const value = reader.read(file, schema, { nameOf });
        if (value !== undefined) values.set(file.name as K, value);
      },
      values: () => values,
      unread: undefined,
    };
  },
});

/** The same for work that must not happen twice: an unreadable file is lost, not missing. */
export const entryFilesOfWork = <T extends Named>(schema: z.ZodType<T>) => ({
  entries: 'files' as const,
  open(reader: RecordReader) {
    const values = new Map<string, T>();
    const unread = new Set<string>();
    return {
      add(file: RecordFile) {
        const value = reader.read(file, schema, { nameOf, lost: () => unread.add(file.name) });
        if (value !== undefined) values.set(file.name, value);
      },
      values: () => values,
      unread: () => unread,
    };
  },
});
