import { Composer, type Document, isMap, LineCounter, type ParsedNode, Parser, type YAMLError } from 'yaml';
import type { ObjectRef } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import { guessObjects } from './guess.ts';
import { lintDocument } from './lint.ts';
import { isLonger, type Oversized, oversizedDocuments, withoutDocuments } from './oversized.ts';
import { lineAt, syntaxFinding } from './syntax.ts';
import { textFault } from './text-faults.ts';

export interface YamlDocument {
  readonly value: unknown;
  /** 1-based line where the document begins. */
  readonly line: number;
}

export interface ParsedFile {
  /** Documents without findings; those that are not maps are left out. */
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
  /** Present when something in the file was refused. */
  readonly broken?: Broken;
}

/** What can be told about the part of a file that is not in `documents`. */
export interface Broken {
  /** False when a document is no YAML at all: its contents are guessed. */
  readonly wellFormed: boolean;
  /** Objects that the refused documents hold; undefined when they do not tell. */
  readonly refs?: readonly ObjectRef[];
  /** The text names an API group of ours. */
  readonly mentionsFleet: boolean;
  /** Nobody has looked into it. */
  readonly tooLarge?: boolean;
}

export interface Limits {
  /** Of a file. */
  readonly maxBytes: number;
  /** Of one object. */
  readonly maxObjectBytes: number;
  readonly maxDocuments: number;
  readonly maxDepth: number;
  /** Tokens of the parser that one document may have. */
  readonly maxTokens: number;
}

/**
 * Kubernetes takes objects of up to 1.5 MiB: one that is larger in git is a mistake. What a file may hold of them is bounded by
 * the memory that reading it takes; the largest bundles of CRDs, and the members of a large fleet in one file, fit. 100 levels
 * are as deep as Kubernetes' own schemas go, many times over. A document is read whole, and a token takes about 400 bytes
 * meanwhile (measured): a file full of small Deployments in one List has 1.7 million of them.
 */
const usualLimits: Limits = {
  maxBytes: 4 * 1024 * 1024,
  maxObjectBytes: 1536 * 1024,
  maxDocuments: 20_000,
  maxDepth: 100,
  maxTokens: 3_000_000,
};

/**
 * Reads a YAML (or JSON) file so that what is accepted means the same to kubectl: YAML 1.2, with a finding for every plain
 * scalar that 1.1 reads differently. Duplicate keys, tags, alias bombs and deep nesting are errors with a position. Texts of
 * files that hold a Secret are not quoted.
 */
export function parseYaml(marked: string, file: string, other: Partial<Limits> = {}): ParsedFile {
  const text = marked.startsWith('\uFEFF') ? marked.slice(1) : marked;
  const limits = { ...usualLimits, ...other };
  const { maxBytes, maxDocuments, maxDepth } = limits;
  const secret = holdsSecret(text);
  const problems: Problem[] = [];
  const refuse = (fault: Omit<Problem, 'severity' | 'file'>): ParsedFile => ({
    documents: [],
    problems: [{ severity: 'error', file, ...fault }],
    broken: {
      ...brokenBy(text, { wellFormed: false, refs: guessObjects(text) }),
      ...(fault.code === 'file-too-large' ? { tooLarge: true } : {}),
    },
  });
  const fault = textFault(text, maxBytes);
  if (fault) return refuse(fault);
  const lineCounter = new LineCounter();
  const oversized = oversizedDocuments(text, limits);
  const documents: YamlDocument[] = [];
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
    const findings = findingsOf(document, { ...limits, text: left, secret, isFirst: count === 0 });
    count++;
    for (const { offset, ...finding } of findings.sort((a, b) => a.offset - b.offset)) {
      const { line, col } = lineCounter.linePos(offset);
      problems.push({ severity: 'error', file, line: Math.max(line, 1), column: Math.max(col, 1), ...finding });
    }
    if (findings.length > 0) refused.push(findings.every(({ code }) => tellsItsName.has(code)) ? document : undefined);
    else if (isMap(document.contents)) {
      const { line } = lineCounter.linePos(document.contents.range?.[0] ?? 0);
      // The lint has bounded what aliases may add.
      documents.push({ value: document.toJS({ maxAliasCount: -1 }), line });
    }
  }
  for (const { from, cause } of oversized) {
    const { line, col } = lineCounter.linePos(from);
    problems.push({ severity: 'error', file, line, column: col, ...tooLarge(cause, limits) });
  }
  if (refused.length === 0) return { documents, problems };
  const wellFormed = refused.every((document) => document !== undefined);
  const refs = wellFormed ? refsOf(refused) : without(guessObjects(text), documents);
  const broken = brokenBy(text, { wellFormed, refs });
  return { documents, problems, broken: refused.length > oversized.length ? broken : { ...broken, tooLarge: true } };
}

/** Nothing of such a file is quoted anywhere. */
export const holdsSecret = (text: string): boolean => /kind\\?["']?\s*:\s*\\?["']?Secret\b/.test(text);

/** Findings that leave no doubt about which object a document is. */
const tellsItsName: ReadonlySet<string> = new Set([
  'ambiguous-scalar',
  'non-string-key',
  'not-json',
  'number-too-large',
  'object-too-large',
  'yaml-tag',
]);

const brokenBy = (
  text: string,
  { wellFormed, refs }: { readonly wellFormed: boolean; readonly refs: readonly ObjectRef[] | undefined },
): Broken => ({
  wellFormed,
  ...(refs === undefined ? {} : { refs }),
  mentionsFleet:
    /apiVersion["']?\s*:\s*["']?(placement\.kubernetes-fleet\.io|cluster\.kubernetes-fleet\.io|gitfleet\.dev)\//.test(
      text,
    ),
});

/** One after the other: only what is yielded and the one after it take memory. */
function* documentsOf(text: string, lineCounter: LineCounter): Generator<Document.Parsed | 'too-deep'> {
  // Of two keys of one map the parser compares each with each, which takes minutes where there are 100,000; the lint does not.
  const options = { version: '1.2', uniqueKeys: false, strict: true, merge: true, logLevel: 'error' } as const;
  try {
    const composer = new Composer<ParsedNode, true>({ ...options, lineCounter, prettyErrors: false });
    yield* composer.compose(new Parser(lineCounter.addNewLine).parse(text));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    yield 'too-deep';
  }
}

interface Finding extends Pick<Problem, 'code' | 'message' | 'fix' | 'value'> {
  readonly offset: number;
}

interface FindingsContext {
  readonly text: string;
  readonly maxObjectBytes: number;
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly secret: boolean;
  readonly isFirst: boolean;
}

function findingsOf(document: Document.Parsed, context: FindingsContext): Finding[] {
  const { text, maxDepth, secret, isFirst } = context;
  const syntax = [...document.errors, ...document.warnings]
    // Tags are told by the lint, which also knows those that YAML itself understands.
    .filter(({ code }: YAMLError) => code !== 'TAG_RESOLVE_FAILED')
    .map((error): Finding => ({ offset: error.pos[0], ...syntaxFinding(error, secret ? undefined : text) }));
  const lint = lintDocument(document, maxDepth).map((finding): Finding => {
    if (!secret && finding.code === 'duplicate-key') return { ...finding, value: lineAt(text, finding.offset) };
    if (!secret) return { ...finding, ...(finding.value === undefined ? {} : { value: finding.value.slice(0, 80) }) };
    const { value, message, fix, ...rest } = finding;
    const hide = (said: string): string => (value ? said.replaceAll(value, 'this value') : said);
    return { ...rest, message: hide(message), fix: hide(fix).replaceAll('"this value"', 'it in quotes') };
  });
  const findings = [
    ...oversizedObject(document, context),
    ...directives(document),
    ...(isFirst ? [] : unannounced(document)),
    ...syntax,
    ...lint,
  ];
  // The parser and the lint tell of each level beyond the deepest; the first says it all.
  const deep = findings.filter(({ code }) => code === 'too-deep').sort((a, b) => a.offset - b.offset);
  return [...findings.filter(({ code }) => code !== 'too-deep'), ...deep.slice(0, 1)];
}

/** No API server takes such an object. A List is none: it is what `kubectl get -o yaml` prints of many. */
function oversizedObject(
  { contents }: Document.Parsed,
  { text, maxObjectBytes, maxTokens }: FindingsContext,
): Finding[] {
  const [from, to] = contents?.range ?? [0, 0];
  if (!isLonger(text.slice(from, to), maxObjectBytes)) return [];
  if (isMap(contents) && /List$/.test(String(contents.get('kind'))) && contents.has('items')) return [];
  return [{ offset: from, ...tooLarge('bytes', { maxObjectBytes, maxTokens }) }];
}

const tooLarge = (
  cause: Oversized['cause'],
  { maxObjectBytes, maxTokens }: Pick<Limits, 'maxObjectBytes' | 'maxTokens'>,
): Pick<Problem, 'code' | 'message' | 'fix'> => ({
  code: 'object-too-large',
  message:
    cause === 'bytes'
      ? `the object is larger than ${Math.floor(maxObjectBytes / 1024)} KiB, which is more than a cluster takes`
      : `the document has more than ${maxTokens} words and signs`,
  fix: 'split it',
});

/** kubectl takes `%YAML 1.1` and nothing else, we read 1.2: whoever names a version is not understood by one of the two. */
function directives(document: Document.Parsed): Finding[] {
  const { yaml, tags } = document.directives ?? {};
  if (!yaml?.explicit && Object.keys(tags ?? {}).length <= 1) return [];
  const message = 'directives are not understood in the same way by all programs';
  return [{ offset: document.range[0], code: 'yaml-directive', message, fix: 'remove the lines that begin with %' }];
}

/** After `...` kubectl reads on only where a line with --- follows. */
function unannounced(document: Document.Parsed): Finding[] {
  if (document.directives?.docStart || document.contents === null) return [];
  const message = 'kubectl does not read what follows a line with ... up to the next ---';
  return [{ offset: document.contents.range[0], code: 'yaml-document', message, fix: 'write --- above this document' }];
}

function refsOf(documents: readonly (Document.Parsed | undefined)[]): ObjectRef[] | undefined {
  const refs: ObjectRef[] = [];
  for (const document of documents) {
    if (!isMap(document?.contents)) continue;
    const field = (...path: string[]): string | undefined => {
      const value = document.getIn(path);
      return typeof value === 'string' ? value : undefined;
    };
    const [apiVersion, kind, name] = [field('apiVersion'), field('kind'), field('metadata', 'name')];
    const namespace = field('metadata', 'namespace');
    if (apiVersion === undefined && kind === undefined) continue;
    if (apiVersion === undefined || kind === undefined || name === undefined) return undefined;
    refs.push({ apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name });
  }
  return refs;
}

/** Guessed objects that were not read from a sound document of the same file. */
function without(
  refs: readonly ObjectRef[] | undefined,
  documents: readonly YamlDocument[],
): readonly ObjectRef[] | undefined {
  const read = new Set(
    documents.map(({ value }) => {
      const { kind, metadata } = value as { kind?: unknown; metadata?: { namespace?: unknown; name?: unknown } | null };
      return JSON.stringify([kind, metadata?.namespace, metadata?.name]);
    }),
  );
  return refs?.filter(({ kind, namespace, name }) => !read.has(JSON.stringify([kind, namespace, name])));
}
