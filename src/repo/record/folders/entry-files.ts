import type { z } from 'zod';
import type { RecordFile, RecordReader } from './row.ts';

/** A folder with a file for each object. A file that cannot be read counts as missing. */
export const entryFiles = <T, K extends string = string>(schema: z.ZodType<T>) => ({
  entries: 'files' as const,
  open(reader: RecordReader) {
    const values = new Map<K, T>();
    return {
      add(file: RecordFile) {
        const value = reader.read(file, schema);
        if (value !== undefined) values.set(file.name as K, value);
      },
      values: () => values,
      unread: undefined,
    };
  },
});

/** The same for work that must not happen twice: an unreadable file is lost, not missing. */
export const entryFilesOfWork = <T>(schema: z.ZodType<T>) => ({
  entries: 'files' as const,
  open(reader: RecordReader) {
    const values = new Map<string, T>();
    const unread = new Set<string>();
    return {
      add(file: RecordFile) {
        const value = reader.read(file, schema, () => unread.add(file.name));
        if (value !== undefined) values.set(file.name, value);
      },
      values: () => values,
      unread: () => unread,
    };
  },
});
