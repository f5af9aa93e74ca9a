import { isMap, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import { usualLimits } from './limits.ts';
import { oversizedDocuments, withoutDocuments } from './oversized.ts';

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** Finds the position of a path in the document that starts on a line, or of its nearest existing parent. */
export type Positions = (documentLine: number, path: readonly (string | number)[]) => Position;

/** Positions in a text. The text is parsed again here, so that only files with findings cost that. */
export function positionsOf(text: string): Positions {
  const lineCounter = new LineCounter();
  // uniqueKeys is off: comparing all pairs of keys takes minutes in large maps, and its errors are not needed.
  const parsed = parseAllDocuments(withoutDocuments(text, oversizedDocuments(text, usualLimits)), {
    merge: true,
    uniqueKeys: false,
    lineCounter,
    logLevel: 'error',
  });
  const byLine = new Map(
    (Array.isArray(parsed) ? parsed : []).flatMap(({ contents }) =>
      contents?.range ? [[lineCounter.linePos(contents.range[0]).line, contents] as const] : [],
    ),
  );
  return (documentLine, path) => {
    const root = byLine.get(documentLine);
    if (!root) return { line: documentLine, column: 1 };
    const { line, col } = lineCounter.linePos(offsetOf(root, path));
    return { line, column: col };
  };
}

/** Offset of the key or list item of a path, or of its last existing part. */
function offsetOf(root: unknown, path: readonly (string | number)[]): number {
  let present = root;
  let begin = rangeOf(root) ?? 0;
  for (const part of path) {
    if (isMap(present)) {
      const pair = present.items.find(({ key }) => String((key as { value?: unknown }).value) === String(part));
      if (!pair) break;
      begin = rangeOf(pair.key) ?? begin;
      present = pair.value;
    } else if (isSeq(present)) {
      present = present.items[Number(part)];
      if (present === undefined) break;
      begin = rangeOf(present) ?? begin;
    } else break;
  }
  return begin;
}

const rangeOf = (node: unknown): number | undefined =>
  (node as { range?: readonly number[] | null } | null)?.range?.[0];
