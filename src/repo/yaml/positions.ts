import { isMap, isSeq, LineCounter, parseAllDocuments } from 'yaml';

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/** Finds the place of a path in the document that begins on a line; of the nearest field above where the path ends early. */
export type Positions = (documentLine: number, path: readonly (string | number)[]) => Position;

/** Places in a text that has been parsed before. It is parsed once more here: only files with findings pay for places. */
export function positionsOf(text: string): Positions {
  const lineCounter = new LineCounter();
  // Comparing all keys with each other, for errors that nobody asks for here, takes minutes where there are many.
  const parsed = parseAllDocuments(text, { merge: true, uniqueKeys: false, lineCounter, logLevel: 'error' });
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

/** Where the key (or list item) of a path begins; where the last part that exists begins if not all of it does. */
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
