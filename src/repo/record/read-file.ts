import { LineCounter, parseDocument, YAMLParseError } from 'yaml';
import type { z } from 'zod';
import type { Issue } from '../../api/issue.ts';
import type { Problem } from '../../api/problem.ts';
import { schemaIssues } from '../../api/schema-issues.ts';
import { withoutNulls } from '../../api/without-nulls.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { holdsSecret } from '../yaml/holds-secret.ts';
import { positionsOf } from '../yaml/positions.ts';
import { type StructureFault, structureFault } from '../yaml/structure-fault.ts';
import { syntaxFinding } from '../yaml/syntax.ts';
import { reasonNotRead } from './not-read.ts';
import { writtenIn } from './write.ts';

/** An error in a file of the record, with its position. */
export type Fault = Omit<Problem, 'severity' | 'code' | 'file'>;

/** The value of a file, or its faults. */
export type FileRead<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** Limit for the faults of one file: a mistake in a state with 1,000 bindings repeats in all of them. */
const mostFaults = 10;

/** Reads a file of the status branch, without parsing if the document that it was rendered from is known. */
export function readRecordFile<T>(
  text: string,
  schema: z.ZodType<T>,
  written: RecordDocument | undefined,
): FileRead<T> {
  const read = rawOf(text, written);
  if ('faults' in read) return read;
  const raw = read.value;
  const exact = schema.safeParse(raw);
  if (exact.success) return { value: exact.data };
  const value = withoutNulls(raw);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const issues = schemaIssues(result.error.issues, schema, value);
  return { faults: placed(issues.slice(0, mostFaults), text, value) };
}

function rawOf(text: string, written: RecordDocument | undefined): FileRead<unknown> {
  const known = writtenIn(text, written);
  if (known) return { value: known.value };
  const fault = faultOfNotRead(text);
  if (fault) return { faults: [fault] };
  try {
    const document = parseDocument(text, { logLevel: 'error', prettyErrors: false });
    const [error] = document.errors;
    if (error) throw error;
    const structure = structureFault(document, text);
    if (structure) return { faults: [placedFault(structure, text)] };
    return { value: document.toJS({ maxAliasCount: 1000 }) };
  } catch (thrown) {
    return { faults: [unparsed(thrown, text)] };
  }
}

/** A fault at an offset of a text. */
export function placedFault(
  { offset, message, fix }: Pick<StructureFault, 'offset' | 'message'> & Pick<Fault, 'fix'>,
  text: string,
): Fault {
  const before = text.slice(0, offset).split('\n');
  const place = { line: before.length, column: before.at(-1)!.length + 1 };
  return { ...place, message, ...(fix === undefined ? {} : { fix }) };
}

/** The fault of a file that was too large to be read; undefined for others. */
export function faultOfNotRead(text: string): Fault | undefined {
  const message = reasonNotRead(text);
  return message === undefined ? undefined : { line: 1, column: 1, message, fix: 'remove the file' };
}

/** The fault of a text that is not YAML, or not safe to read. */
export function unparsed(thrown: unknown, text: string): Fault {
  if (thrown instanceof RangeError)
    return { line: 1, column: 1, message: 'nested too deep', fix: 'flatten the document' };
  if (!(thrown instanceof YAMLParseError))
    return { line: 1, column: 1, message: (thrown as Error).message.split('\n')[0]!, fix: 'write the values out' };
  const lineCounter = new LineCounter();
  parseDocument(text, { lineCounter, logLevel: 'silent' });
  const { line, col } = lineCounter.linePos(thrown.pos[0]);
  const { code: _, ...finding } = syntaxFinding(thrown, holdsSecret(text) ? undefined : text);
  return { line: Math.max(line, 1), column: Math.max(col, 1), ...finding };
}

function placed(issues: readonly Issue[], text: string, value: unknown): Fault[] {
  const lineCounter = new LineCounter();
  const { contents } = parseDocument(text, { lineCounter, logLevel: 'silent' });
  const { line } = lineCounter.linePos(contents?.range?.[0] ?? 0);
  const positions = positionsOf(text);
  return issues.map(({ path, message, fix }) => {
    const written = path.reduce<unknown>(
      (at, part) => (at as Record<string | number, unknown> | undefined)?.[part],
      value,
    );
    return {
      ...positions(Math.max(line, 1), path),
      ...(path.length > 0 ? { path: path.join('.') } : {}),
      ...(written === undefined || typeof written === 'object' ? {} : { value: String(written).slice(0, 80) }),
      message,
      ...(fix === undefined ? {} : { fix }),
    };
  });
}
