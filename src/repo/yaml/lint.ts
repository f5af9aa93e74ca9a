import { type Alias, type Document, isAlias, isMap, isPair, isScalar, isSeq, Scalar, type YAMLMap } from 'yaml';
import type { ProblemCode } from '../../api/problem.ts';
import { lintPlainScalar } from './plain-scalar.ts';
import type { ValueCode } from './without-value.ts';

/** Something that YAML allows and gitfleet refuses. */
export type LintFinding = {
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
} & (
  | { readonly code: Exclude<ProblemCode, ValueCode>; readonly value?: undefined }
  /** `value`: as written in the file. The caller omits it and the texts if it may be secret. */
  | { readonly code: ValueCode; readonly value: string }
);

/** A usual anchor has a few dozen aliases; an alias bomb grows with every level. */
const maxAliases = 1000;
/** Characters that aliases may add to a document. Kubernetes accepts objects of up to 1.5 MiB. */
const maxGrowth = 4 * 1024 * 1024;

/**
 * Findings for everything that kubectl (YAML 1.1 converted to JSON) reads differently or refuses, in document order. Without findings
 * every alias resolves, nothing contains itself, and the value is small enough to be written as JSON.
 */
export function lintDocument(document: Document.Parsed, maxDepth: number): LintFinding[] {
  const findings: LintFinding[] = [];
  const lint: Lint = {
    maxDepth,
    anchors: new Map(),
    aliases: 0,
    growth: 0,
    stopped: false,
    report: (finding) => findings.push(finding),
  };
  measure(document.contents, 1, lint);
  return findings;
}

interface Lint {
  readonly maxDepth: number;
  /** Sizes of anchors by name, as of this point of the document; `undefined` while inside that node. */
  readonly anchors: Map<string, Size | undefined>;
  aliases: number;
  growth: number;
  /** Set after a finding about the whole document, which others would only repeat. */
  stopped: boolean;
  report(finding: LintFinding): void;
}

/** Size of a node with all aliases written out. */
interface Size {
  readonly characters: number;
  readonly depth: number;
  readonly isMap: boolean;
}

const leaf: Size = { characters: 1, depth: 1, isMap: false };

function measure(node: unknown, depth: number, lint: Lint): Size {
  if (node === null || node === undefined || lint.stopped) return leaf;
  if (isAlias(node)) return measureAlias(node, depth, lint);
  const { anchor } = node as { anchor?: string };
  if (anchor !== undefined) lint.anchors.set(anchor, undefined);
  const size = isScalar(node) ? measureScalar(node, lint) : measureCollection(node, depth, lint);
  if (anchor !== undefined) lint.anchors.set(anchor, size);
  return size;
}

function measureAlias(node: Alias, depth: number, lint: Lint): Size {
  const refuse = (message: string, fix: string): Size => {
    lint.report({ offset: offsetOf(node), code: 'yaml-alias', message, fix, value: `*${node.source}` });
    return leaf;
  };
  const stop = (message: string): Size => {
    lint.stopped = true;
    return refuse(message, 'write the values out instead of using anchors');
  };
  if (!lint.anchors.has(node.source))
    return refuse(
      `there is no anchor &${node.source} before this alias in its document`,
      'add the anchor, or write the value out',
    );
  const target = lint.anchors.get(node.source);
  if (!target) return refuse(`the anchor &${node.source} contains itself`, 'write the value out');
  lint.aliases++;
  lint.growth += target.characters;
  if (lint.aliases > maxAliases) return stop(`more than ${maxAliases} aliases in one document`);
  if (lint.growth > maxGrowth) return stop('this document is too large when its aliases are written out');
  if (depth + target.depth - 1 > lint.maxDepth) return stop(`nested more than ${lint.maxDepth} levels deep by aliases`);
  return target;
}

function measureCollection(node: unknown, depth: number, lint: Lint): Size {
  lintTag(node as Tagged, lint);
  if (depth > lint.maxDepth) {
    lint.stopped = true;
    lint.report({
      offset: offsetOf(node),
      code: 'too-deep',
      message: `nested more than ${lint.maxDepth} levels deep`,
      fix: 'flatten the document',
    });
    return leaf;
  }
  let characters = 2;
  let deepest = 0;
  const add = (child: unknown): void => {
    const size = measure(child, depth + 1, lint);
    characters += size.characters;
    deepest = Math.max(deepest, size.depth);
  };
  if (isMap(node)) {
    lintKeys(node, lint);
    for (const pair of node.items) {
      lintKey(pair, lint);
      characters += measure(pair.key, depth + 1, lint).characters;
      add(pair.value);
      if (isMergeKey(pair.key)) lintMerged(pair.value, lint);
    }
  } else if (isSeq(node)) for (const item of node.items) add(isPair(item) ? item.value : item);
  return { characters, depth: deepest + 1, isMap: isMap(node) };
}

interface Tagged {
  readonly tag?: string | undefined;
  readonly range?: readonly number[] | null;
}

const text = 'tag:yaml.org,2002:str';

/** All programs agree on `!!str`; every other tag is refused, also `!!binary`, which only some support. */
function lintTag(node: Tagged, lint: Lint): void {
  if (node.tag === undefined || node.tag === text) return;
  const tag = node.tag.replace(/^tag:yaml\.org,2002:/, '!!');
  lint.report({
    offset: offsetOf(node),
    code: 'yaml-tag',
    message: `the tag ${tag} has a meaning for some programs only`,
    fix: 'remove the tag',
    value: tag,
  });
}

/** Duplicate keys; a key that is not a string has its own finding. */
function lintKeys({ items }: YAMLMap, lint: Pick<Lint, 'report'>): void {
  if (items.length < 2 || (items.length <= fewKeys && !hasEqualKeys(items))) return;
  const keys = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value)) lint.report(duplicateKey(offsetOf(key), key.value));
    keys.add(key.value);
  }
}

/** Comparing all pairs of so few keys is faster than a set of them. */
const fewKeys = 12;

function hasEqualKeys(items: YAMLMap['items']): boolean {
  for (let at = 1; at < items.length; at++) {
    const { value } = items[at]!.key as { value?: unknown };
    for (let other = 0; other < at; other++)
      if (value === (items[other]!.key as { value?: unknown }).value) return true;
  }
  return false;
}

/** Keys of every object: where they occur twice, a line between two objects may be missing. */
const ofEveryObject: readonly unknown[] = ['apiVersion', 'kind', 'metadata'];

export const duplicateKey = (offset: number, key: unknown): LintFinding => ({
  offset,
  code: 'duplicate-key',
  message: 'the key occurs twice in one map',
  fix: `keep one of the two${ofEveryObject.includes(key) ? ', or write --- between two objects' : ''}`,
});

/** The first duplicate key of a document: faster than all findings. */
export function firstDuplicateKey(node: unknown): LintFinding | undefined {
  if (isMap(node)) {
    let found: LintFinding | undefined;
    lintKeys(node, { report: (finding) => (found ??= finding) });
    for (const { key, value } of node.items) found ??= firstDuplicateKey(key) ?? firstDuplicateKey(value);
    return found;
  }
  if (!isSeq(node)) return undefined;
  for (const item of node.items) {
    const found = isPair(item) ? firstDuplicateKey(item.value) : firstDuplicateKey(item);
    if (found) return found;
  }
  return undefined;
}

function lintKey(pair: YAMLMap['items'][number], lint: Lint): void {
  const { key } = pair as { key: unknown };
  const refuse = (written: string) =>
    lint.report({
      offset: offsetOf(key),
      code: 'non-string-key',
      message: `the key ${written} is not a string`,
      fix: isScalar(key) ? `write "${written}"` : 'write a plain string as key',
      value: written,
    });
  if (!isScalar(key)) refuse(isAlias(key) ? `*${key.source}` : 'of this map');
  else if (isPlain(key) && !isMergeKey(key) && typeof key.value !== 'string') refuse(key.source || String(key.value));
}

const isMergeKey = (key: unknown): boolean => isScalar(key) && isPlain(key) && key.source === '<<';

/** kubectl merges a map, an alias of one, or a list of those, and refuses anything else. */
function lintMerged(value: unknown, lint: Lint): void {
  const isSource = (node: unknown): boolean =>
    isMap(node) || (isAlias(node) && lint.anchors.get(node.source)?.isMap === true);
  const wrong = (isSeq(value) ? value.items : [value]).find((node) => !isSource(node));
  if (wrong === undefined && value !== undefined) return;
  lint.report({
    offset: offsetOf(wrong ?? value),
    code: 'yaml-merge',
    message: 'only maps can be merged with <<',
    fix: 'name the anchor of a map, or a list of such anchors; quote "<<" if it is an ordinary key',
  });
}

const isPlain = (node: Scalar): boolean => node.type === Scalar.PLAIN || node.type === undefined || node.type === null;

function measureScalar(node: Scalar, lint: Lint): Size {
  lintTag(node as Tagged, lint);
  const source = node.source ?? '';
  const report = (code: ValueCode, message: string, fix: string): void => {
    lint.report({ offset: offsetOf(node), code, message, fix, value: source });
  };
  if (isPlain(node) && node.tag === undefined) lintPlainScalar(source, node.value, report);
  if (!source.isWellFormed() || (typeof node.value === 'string' && !node.value.isWellFormed()))
    report('half-character', 'this text contains half of a character', 'write the whole character');
  return { characters: source.length + 4, depth: 0, isMap: false };
}

const offsetOf = (node: unknown): number => (node as { range?: readonly number[] | null } | null)?.range?.[0] ?? 0;
