import { isMap, LineCounter, parseAllDocuments } from 'yaml';
import type { Problem } from '../api/problem.ts';
import { lintDocument } from './yaml-lint.ts';

/** Kubernetes takes objects of up to 1.5 MiB; a manifest in git that is larger than this is a mistake. */
const maxBytes = 1024 * 1024;
const maxDocuments = 1000;
/** As deep as Kubernetes' own schemas go, many times over. */
const maxDepth = 100;

export interface YamlDocument {
  readonly value: unknown;
  /** 1-based line where the document begins. */
  readonly line: number;
}

export interface ParsedFile {
  readonly documents: readonly YamlDocument[];
  readonly problems: readonly Problem[];
  /** False when the text is not YAML at all: nothing may be concluded from what is not in `documents`. */
  readonly readable: boolean;
}

/**
 * Reads a YAML (or JSON) file so that what is accepted means the same to kubectl: YAML 1.2, with a finding for every plain
 * scalar that 1.1 reads differently. Duplicate keys, tags, alias bombs and deep nesting are errors with a position.
 */
export function parseYaml(text: string, file: string): ParsedFile {
  const refuse = (code: string, message: string, fix: string): ParsedFile => ({
    documents: [],
    readable: false,
    problems: [{ severity: 'error', code, file, line: 1, column: 1, message, fix }],
  });
  if (Buffer.byteLength(text) > maxBytes)
    return refuse('file-too-large', `the file is larger than ${maxBytes / 1024} KiB`, 'split it');
  if (text.startsWith('version https://git-lfs'))
    return refuse('lfs-pointer', 'this is a Git LFS pointer, not the file itself', 'keep manifests out of LFS');
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, {
    version: '1.2',
    uniqueKeys: true,
    strict: true,
    merge: true,
    lineCounter,
    logLevel: 'error',
    keepSourceTokens: false,
  });
  if (!Array.isArray(parsed)) return { documents: [], problems: [], readable: true };
  if (parsed.length > maxDocuments)
    return refuse('too-many-documents', `the file holds more than ${maxDocuments} documents`, 'split it');
  const problems: Problem[] = [];
  const documents: YamlDocument[] = [];
  let readable = true;
  const at = (offset: number): { line: number; column: number } => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  for (const document of parsed) {
    const findings = [...document.errors, ...document.warnings]
      // Tags are told by the lint, with their place.
      .filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')
      .map((finding): Problem => {
        const message =
          finding.code === 'DUPLICATE_KEY'
            ? 'the same key stands twice in one map'
            : finding.message.split('\n')[0]!.replace(/ at line \d+, column \d+:?$/, '');
        return {
          severity: 'error',
          code: codeOf(finding.code),
          file,
          ...at(finding.pos[0]),
          message,
          fix: fixOf(finding.code),
        };
      });
    findings.push(...lintDocument(document, { file, at, maxDepth }));
    problems.push(...findings);
    const line = at(document.contents?.range?.[0] ?? document.range?.[0] ?? 0).line;
    if (findings.length > 0) {
      readable = false;
      continue;
    }
    if (document.contents === null) continue;
    try {
      const value = document.toJS({ maxAliasCount: 10_000 }) as unknown;
      if (isMap(document.contents)) documents.push({ value, line });
    } catch (error) {
      readable = false;
      problems.push({
        severity: 'error',
        code: 'yaml-alias',
        file,
        line,
        column: 1,
        message: `the document cannot be resolved: ${(error as Error).message}`,
        fix: 'write the values out instead of using anchors',
      });
    }
  }
  return { documents, problems, readable };
}

const codeOf = (code: string): string =>
  code === 'DUPLICATE_KEY'
    ? 'duplicate-key'
    : code === 'RESOURCE_EXHAUSTION'
      ? 'too-deep'
      : code === 'TAG_RESOLVE_FAILED'
        ? 'yaml-tag'
        : 'yaml-syntax';

const fixOf = (code: string): string => {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'keep one of the two';
    case 'TAB_AS_INDENT':
      return 'indent with spaces';
    case 'BAD_INDENT':
      return 'align the line with its siblings';
    default:
      return 'mend the YAML at this place';
  }
};

/** 1-based place of a path in a text that has been parsed before: only failing files pay for it. */
export function positionIn(
  text: string,
  documentLine: number,
  path: readonly (string | number)[],
): { line: number; column: number } | undefined {
  const lineCounter = new LineCounter();
  const parsed = parseAllDocuments(text, { merge: true, lineCounter, logLevel: 'error' });
  if (!Array.isArray(parsed)) return undefined;
  const document = parsed.find(
    ({ contents }) => contents?.range && lineCounter.linePos(contents.range[0]).line === documentLine,
  );
  for (let length = path.length; length >= 0 && document; length--) {
    const found = keyRange(document.contents, path.slice(0, length));
    if (found === undefined) continue;
    const { line, col } = lineCounter.linePos(found);
    return { line, column: col };
  }
  return undefined;
}

/** Where the key (or list item) of a path begins; the node itself for the empty path. */
function keyRange(root: unknown, path: readonly (string | number)[]): number | undefined {
  type Ranged = { readonly range?: readonly number[] | null };
  let present = root;
  let begin = (root as Ranged | null)?.range?.[0];
  for (const part of path) {
    const { items } = (present ?? {}) as { items?: readonly unknown[] };
    if (items === undefined) return undefined;
    if (isMap(present)) {
      const pair = present.items.find(({ key }) => String((key as { value?: unknown }).value) === String(part));
      if (!pair) return undefined;
      begin = (pair.key as Ranged).range?.[0];
      present = pair.value;
    } else {
      present = items[Number(part)];
      if (present === undefined) return undefined;
      begin = (present as Ranged).range?.[0];
    }
  }
  return begin;
}
