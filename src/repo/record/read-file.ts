import { LineCounter, parse, parseDocument, YAMLParseError } from 'yaml';
import type { z } from 'zod';
import type { Issue } from '../../api/issue.ts';
import type { Problem } from '../../api/problem.ts';
import { schemaIssues } from '../../api/schema-issues.ts';
import { withoutNulls } from '../../api/without-nulls.ts';
import type { RecordDocument } from '../../engine/plan-document.ts';
import { holdsSecret } from '../yaml/holds-secret.ts';
import { positionsOf } from '../yaml/positions.ts';
import { syntaxFinding } from '../yaml/syntax.ts';
import { writtenIn } from './write.ts';

/** Something wrong in a file of the record, and where. */
export type Fault = Omit<Problem, 'severity' | 'code' | 'file'>;

/** The value of a file, or why it has none. */
export type FileRead<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** A slip of whoever wrote a state of 1,000 bindings stands in all of them; the first few tell. */
const mostFaults = 10;

/** Reads a file of the status branch; what it was rendered from, where that is known, need not be parsed. */
export function readRecordFile<T>(
  text: string,
  schema: z.ZodType<T>,
  written: RecordDocument | undefined,
): FileRead<T> {
  let raw: unknown;
  try {
    raw = rawOf(text, written);
  } catch (thrown) {
    return { faults: [unparsed(thrown, text)] };
  }
  const exact = schema.safeParse(raw);
  if (exact.success) return { value: exact.data };
  const value = withoutNulls(raw);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const issues = schemaIssues(result.error.issues, schema, value);
  return { faults: placed(issues.slice(0, mostFaults), text, value) };
}

function rawOf(text: string, written: RecordDocument | undefined): unknown {
  const known = writtenIn(text, written);
  return known ? known.value : parse(text, { logLevel: 'error', maxAliasCount: 1000, prettyErrors: false });
}

/** Where the text of a file is no YAML, or none that is safe to read. */
export function unparsed(thrown: unknown, text: string): Fault {
  if (!(thrown instanceof YAMLParseError))
    return { line: 1, column: 1, message: (thrown as Error).message.split('\n')[0]!, fix: 'write the values out' };
  const lineCounter = new LineCounter();
  parseDocument(text, { lineCounter, logLevel: 'silent' });
  const { line, col } = lineCounter.linePos(thrown.pos[0]);
  const { code: _, ...said } = syntaxFinding(thrown, holdsSecret(text) ? undefined : text);
  return { line: Math.max(line, 1), column: Math.max(col, 1), ...said };
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
