import type { z } from 'zod';
import type { Issue } from '../../api/issue.ts';
import type { Problem } from '../../api/problem.ts';
import { schemaIssues } from '../../api/schema-issues.ts';
import { withoutNulls } from '../../api/without-nulls.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { lineAndColumn } from '../yaml/line-and-column.ts';
import { positionsInDocument, type ReadFault, readBounded } from '../yaml/read-bounded.ts';
import { reasonNotRead } from './not-read.ts';
import { sharing } from './sharing.ts';
import { type StatusText, unpacked } from './status-text.ts';
import { writtenIn } from './write.ts';

/** An error in a file of the record, with its position. */
export type Fault = Omit<Problem, 'severity' | 'code' | 'file'>;

/** The value of a file, or its faults. */
export type FileRead<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** Limit for the faults of one file: a mistake in a state with 1,000 bindings repeats in all of them. */
const mostFaults = 10;

/** Reads a file of the status branch, without parsing if the document that it was rendered from is known. */
export function readRecordFile<T>(
  text: StatusText,
  schema: z.ZodType<T>,
  written: RecordDocument | undefined,
): FileRead<T> {
  const read = rawOf(text, written);
  if ('faults' in read) return read;
  const raw = read.value;
  const exact = schema.safeParse(raw);
  if (exact.success) return { value: written ? sharing(exact.data, written.value) : exact.data };
  const value = withoutNulls(raw);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const issues = schemaIssues(result.error.issues, schema, value);
  return { faults: placed(issues.slice(0, mostFaults), unpacked(text), value) };
}

function rawOf(packed: StatusText, written: RecordDocument | undefined): FileRead<unknown> {
  const known = writtenIn(packed, written);
  if (known) return { value: known.value };
  const text = unpacked(packed);
  const fault = faultOfNotRead(text);
  if (fault) return { faults: [fault] };
  const read = readBounded(text);
  return 'fault' in read ? { faults: [placedFault(read.fault, text)] } : read;
}

/** A fault at an offset of a text. */
export function placedFault(
  { offset, ...fault }: Pick<ReadFault, 'offset' | 'message'> & Partial<ReadFault>,
  text: string,
): Fault {
  const { message, fix, value } = fault;
  return {
    ...lineAndColumn(text, offset),
    ...(value === undefined ? {} : { value }),
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** The fault of a file that was too large to be read; undefined for others. */
export function faultOfNotRead(text: string): Fault | undefined {
  const message = reasonNotRead(text);
  return message === undefined ? undefined : { line: 1, column: 1, message, fix: 'remove the file' };
}

function placed(issues: readonly Issue[], text: string, value: unknown): Fault[] {
  const positions = positionsInDocument(text);
  return issues.map(({ path, message, fix }) => {
    const written = path.reduce<unknown>(
      (at, part) => (at as Record<string | number, unknown> | undefined)?.[part],
      value,
    );
    return {
      ...positions(path),
      ...(path.length > 0 ? { path: path.join('.') } : {}),
      ...(written === undefined || typeof written === 'object' ? {} : { value: String(written).slice(0, 80) }),
      message,
      ...(fix === undefined ? {} : { fix }),
    };
  });
}
