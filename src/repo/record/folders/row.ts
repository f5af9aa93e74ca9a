import type { z } from 'zod';
import type { Problem } from '../../../api/problem.ts';
import type { FleetRecord, RecordFolder, Unread } from '../../../engine/input.ts';
import type { RecordDocument } from '../../../engine/plan-document.ts';

/** A file of a record folder. */
export interface RecordFile {
  readonly path: string;
  /** `[ns.]name` of its entry. */
  readonly name: string;
  /** Path inside the entry's own folder; empty where the entry is one file. */
  readonly rest: string;
  readonly text: string;
  /** What it was rendered from, where that is known. */
  readonly written: RecordDocument | undefined;
}

/** Reads files while one status branch is read. */
export interface RecordReader {
  /** The value of a file; undefined where it has none, which is a problem: an error where `lost` is given, and is called. */
  read<T>(file: RecordFile, schema: z.ZodType<T>, lost?: () => void): T | undefined;
  report(problem: Problem): void;
}

/** One folder of the status branch. */
export interface FolderRow<F extends RecordFolder> {
  /** Whether each entry is one file or a folder of files. */
  readonly entries: 'files' | 'folders';
  open(reader: RecordReader): FolderReading<F>;
}

/** What is read of a folder so far. */
export interface FolderReading<F extends RecordFolder> {
  add(file: RecordFile): void;
  values(): FleetRecord[F];
  /**
   * Entries that are there and cannot be read, where that would let something happen again that has happened. They are in
   * `FleetRecord.unread`; of other folders such an entry counts as missing.
   */
  readonly unread: F extends keyof Unread ? () => Unread[F] : undefined;
}
