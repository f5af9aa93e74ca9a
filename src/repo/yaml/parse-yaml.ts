import { Composer, type Document, isMap, LineCounter, type ParsedNode, Parser } from 'yaml';
import type { Problem } from '../../api/problem.ts';
import { allBroken, type Broken, brokenPart } from './broken.ts';
import { findingsOf, tooLarge } from './document-findings.ts';
import { withoutStacks } from './documents-of.ts';
import { holdsSecret } from './holds-secret.ts';
import { type Limits, usualLimits } from './limits.ts';
import { oversizedDocuments, withoutDocuments } from './oversized.ts';
import { misplacedFix } from './syntax.ts';
import { textFault } from './text-faults.ts';

export interface YamlDocument {
  readonly value: unknown;
  /** First line of the document, from 1. */
  readonly line: number;
}

export interface ParsedFile {
  /** Documents without findings; those that are not maps are omitted. */
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
  /** Present when something in the file was refused. */
  readonly broken?: Broken;
  /** Refused documents that have a value all the same, for findings about the rest of them; only where it is asked for. */
  readonly faulty?: readonly YamlDocument[];
}

/**
 * Reads a YAML (or JSON) file so that accepted values mean the same to kubectl: YAML 1.2, with a finding for every plain scalar that
 * YAML 1.1 reads differently. Duplicate keys, tags, alias bombs and deep nesting are errors with a position. Findings in files with a
 * Secret do not quote values.
 */
export function parseYaml(
  marked: string,
  file: string,
  { withFaulty = false, ...other }: Partial<Limits> & { readonly withFaulty?: boolean } = {},
): ParsedFile {
  const text = marked.startsWith('\uFEFF') ? marked.slice(1) : marked;
  const limits = { ...usualLimits, ...other };
  const { maxBytes, maxDocuments, maxDepth, maxFindings } = limits;
  let secret: boolean | undefined;
  // Most files have no findings that quote anything.
  const isSecret = (): boolean => (secret ??= holdsSecret(text));
  const problems: Problem[] = [];
  const refuse = (fault: Omit<Problem, 'severity' | 'file'>): ParsedFile => ({
    documents: [],
    problems: [{ severity: 'error', file, ...fault }],
    broken: { ...allBroken(text), ...(fault.code === 'file-too-large' ? { tooLarge: true } : {}) },
  });
  const fault = textFault(text, maxBytes);
  if (fault) return refuse(fault);
  const lineCounter = new LineCounter();
  const oversized = oversizedDocuments(text, limits);
  const documents: YamlDocument[] = [];
  const faulty: YamlDocument[] = [];
  const refused: (Document.Parsed | undefined)[] = oversized.map(() => undefined);
  let count = 0;
  const left = withoutDocuments(text, oversized);
  for (const document of documentsOf(left, lineCounter)) {
    if (document === 'too-deep')
      return refuse({
        code: 'too-deep',
        line: 1,
        column: 1,
        message: `nested more than ${maxDepth} levels deep`,
        fix: 'flatten the document',
      });
    if (count === maxDocuments) {
      const line = lineCounter.linePos(document.range[0]).line;
      const message = `the file holds more than ${maxDocuments} documents`;
      return refuse({ code: 'too-many-documents', line, column: 1, message, fix: 'split it' });
    }
    const findings = findingsOf(document, { ...limits, text: left, isSecret, isFirst: count === 0 });
    count++;
    let last: Placed | undefined;
    for (const { offset, ...finding } of findings.sort((a, b) => a.offset - b.offset)) {
      if (problems.length === maxFindings) break;
      const { line, col } = lineCounter.linePos(offset);
      const isConsequence = last !== undefined && followsFrom({ ...finding, offset, line }, last);
      last = { ...finding, offset, line };
      if (isConsequence) continue;
      problems.push({ severity: 'error', file, line: Math.max(line, 1), column: Math.max(col, 1), ...finding });
    }
    const hasValue = findings.every(({ code }) => withValue.has(code));
    if (findings.length > 0) refused.push(findings.every(({ code }) => tellsItsName.has(code)) ? document : undefined);
    if (isMap(document.contents) && (findings.length === 0 || (withFaulty && hasValue))) {
      const { line } = lineCounter.linePos(document.contents.range?.[0] ?? 0);
      // The lint has limited the size that aliases add.
      const read = { value: document.toJS({ maxAliasCount: -1 }) as unknown, line };
      (findings.length === 0 ? documents : faulty).push(read);
    }
  }
  for (const { from, cause } of oversized) {
    const { line, col } = lineCounter.linePos(from);
    problems.push({ severity: 'error', file, line, column: col, ...tooLarge(cause, limits) });
  }
  if (refused.length === 0) return { documents, problems };
  const broken = brokenPart(text, { refused, values: documents.map(({ value }) => value) });
  if (withFaulty) return { documents, problems, broken, faulty };
  return { documents, problems, broken: refused.length > oversized.length ? broken : { ...broken, tooLarge: true } };
}

/** An alias that cannot be read is not defined either, and lines that follow a misplaced one are misplaced with it. */
function followsFrom({ code, fix, offset, line }: Placed, last: Placed): boolean {
  if (code !== last.code) return false;
  return code === 'yaml-alias'
    ? offset === last.offset
    : fix === misplacedFix && last.fix === fix && line === last.line + 1;
}

type Placed = Pick<Problem, 'code' | 'fix'> & { readonly offset: number; readonly line: number };

/** Findings in spite of which the objects of a document can be identified. */
const tellsItsName: ReadonlySet<string> = new Set([
  'ambiguous-scalar',
  'not-an-object',
  'non-string-key',
  'not-json',
  'number-too-large',
  'object-too-large',
  'yaml-tag',
]);

/** Findings in spite of which the other values of a document are as written. */
const withValue: ReadonlySet<string> = new Set(['ambiguous-scalar', 'duplicate-key', 'yaml-document', 'yaml-tag']);

/** Yields documents one by one, so that at most two are in memory. */
function* documentsOf(text: string, lineCounter: LineCounter): Generator<Document.Parsed | 'too-deep'> {
  // uniqueKeys is off, because the parser compares all pairs of keys: minutes for 100,000 keys. The lint checks keys instead.
  const options = { version: '1.2', uniqueKeys: false, strict: true, merge: true, logLevel: 'error' } as const;
  try {
    const composer = new Composer<ParsedNode, true>({ ...options, lineCounter, prettyErrors: false });
    const documents = composer.compose(new Parser(lineCounter.addNewLine).parse(text));
    for (;;) {
      const { done, value } = withoutStacks(() => documents.next());
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    yield 'too-deep';
  }
}
