import { type Document, LineCounter } from 'yaml';
import type { ProblemCode } from '../../api/problem.ts';
import { documentsOf } from './documents-of.ts';
import { usualLimits } from './limits.ts';
import { firstDuplicateKey, lintDocument } from './lint.ts';

export interface StructureFault {
  readonly code: ProblemCode;
  readonly offset: number;
  readonly message: string;
  readonly fix: string;
}

/**
 * Why the value of a document must not be created: an alias that contains itself, aliases of aliases that grow too large, nesting
 * that exhausts the stack, or a duplicate key. For files that `parseYaml` does not read. Parse the document with `uniqueKeys: false`,
 * since the parser compares all pairs of keys: minutes for 100,000 of them.
 */
export function structureFault(document: Document.Parsed, text: string): StructureFault | undefined {
  // Checks the text first, since nearly all files have no such fault and visiting every node takes time.
  if (!text.includes('*') && !mayBeDeep(text)) return firstDuplicateKey(document.contents);
  return lintDocument(document, usualLimits.maxDepth).find(({ code }) => faults.has(code));
}

const faults: ReadonlySet<ProblemCode> = new Set(['yaml-alias', 'too-deep', 'duplicate-key']);

/** The first fault of a text with all its documents, by line and column; undefined also if it is not YAML. */
export function placedStructureFault(
  text: string,
): (Pick<StructureFault, 'message' | 'fix'> & { readonly line: number; readonly column: number }) | undefined {
  const lineCounter = new LineCounter();
  const documents = documentsOf(text, { lineCounter, uniqueKeys: false, logLevel: 'silent' });
  if (documents instanceof RangeError)
    return { line: 1, column: 1, message: 'nested too deep', fix: 'flatten the document' };
  for (const document of documents) {
    const fault = structureFault(document, text);
    if (fault === undefined) continue;
    const { line, col } = lineCounter.linePos(fault.offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1), message: fault.message, fix: fault.fix };
  }
  return undefined;
}

/** Each level needs a bracket, or one more blank of indentation (a dash counts as one). */
function mayBeDeep(text: string): boolean {
  if (indented.test(text)) return true;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    if (depth > usualLimits.maxDepth / 2) return true;
  }
  return false;
}

const indented = new RegExp(`^[ -]{${usualLimits.maxDepth / 2},}`, 'm');
