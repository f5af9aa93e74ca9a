import type { z } from 'zod';
import type { Manifest } from '../../../api/meta.ts';
import type { FleetRecord, RecordFolder, Unread } from '../../../engine/input.ts';
import type { RecordDocument } from '../../../engine/plan-document.ts';
import type { StatusText } from '../status-text.ts';

/** A file of a record folder. */
export interface RecordFile {
  readonly path: string;
  /** `[ns.]name` of its entry. */
  readonly name: string;
  /** Path inside the entry's own folder; empty if the entry is one file. */
  readonly rest: string;
  readonly text: StatusText;
  /** The document that it was rendered from, if known. */
  readonly written: RecordDocument | undefined;
}

/** Reads files of one status branch, or takes the documents that they are written from. */
export interface RecordReader {
  /** The value of a file. An unreadable file is undefined and a problem; with `lost`, which is then called, an error. */
  read<T>(file: RecordFile, schema: z.ZodType<T>, of?: ReadOptions<T>): T | undefined;
  /** The manifests of a file; undefined and a problem if it cannot be read. */
  manifests(file: RecordFile): readonly Manifest[] | undefined;
}

export interface ReadOptions<T> {
  /** `[ns.]name` of the value's own entry. In the file of another entry it counts as unreadable. */
  readonly nameOf?: (value: T) => string;
  readonly lost?: () => void;
}

/** One folder of the status branch. */
export interface FolderRow<F extends RecordFolder> {
  /** Whether each entry is one file or a folder of files. */
  readonly entries: 'files' | 'folders';
  /** Whether it reads a file inside the folder of an entry; absent: an entry is one file. */
  readonly reads?: (rest: string) => boolean;
  open(reader: RecordReader): FolderReading<F>;
}

/** The entries of a folder read so far. */
export interface FolderReading<F extends RecordFolder> {
  add(file: RecordFile): void;
  values(): FleetRecord[F];
  /**
   * Unreadable entries that must not count as missing, since work could then happen twice. They are in `FleetRecord.unread`; in other
   * folders an unreadable entry counts as missing.
   */
  readonly unread: F extends keyof Unread ? () => Unread[F] : undefined;
}
