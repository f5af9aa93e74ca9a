import { bufferOf, eachChunk } from './each-chunk.ts';
import { type GatheredBytes, gatheredBytes } from './gathered-bytes.ts';

const lineBreak = 10;

/**
 * Calls `take` with every line of a body until it ends, without a last line that has no line break. Rejects and releases the body
 * as `eachChunk` does. After the signal is aborted no more lines are passed on. `hold` gets
 * the number of bytes that wait for the end of their line, after each chunk, and may throw.
 */
export function eachLine(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  take: (line: string) => void,
  hold: (bytes: number) => void = () => {},
): Promise<void> {
  /** Of a line that is cut: a daemon waits for ten thousand lines at once, and most are cut nowhere. */
  let cut: GatheredBytes | undefined;

  function lineUpTo(chunk: Buffer, begin: number, end: number): string {
    if (cut === undefined) return chunk.toString('utf8', begin, end);
    cut.add(chunk.subarray(begin, end));
    const line = cut.text();
    cut = undefined;
    return line;
  }

  return eachChunk(body, signal, (bytes) => {
    const chunk = bufferOf(bytes);
    let begin = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0 && !signal.aborted; end = chunk.indexOf(lineBreak, begin)) {
      const line = lineUpTo(chunk, begin, end).trim();
      begin = end + 1;
      if (line !== '') take(line);
    }
    if (begin < chunk.length) {
      cut ??= gatheredBytes();
      cut.add(chunk.subarray(begin));
    }
    hold(cut?.taken() ?? 0);
  }).finally(() => cut?.release());
}
