import type { Position } from './positions.ts';

/** The position of an offset. Takes no memory, unlike a table of all lines. */
export function lineAndColumn(text: string, offset: number): Position {
  let [line, begin] = [1, 0];
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', begin)) {
    line++;
    begin = at + 1;
  }
  return { line, column: offset - begin + 1 };
}
