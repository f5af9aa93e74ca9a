import { eachChunk } from './each-chunk.ts';

const lineBreak = 10;

/**
 * Calls `take` with every line of a body until it ends, without a last line that has no line break. Rejects and releases the body
 * as `eachChunk` does. After the signal is aborted no more lines are passed on.
 */
export function eachLine(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  take: (line: string) => void,
): Promise<void> {
  let cut: Uint8Array[] = [];

  /** Decodes whole lines, so that a chunk boundary never splits a character. */
  return eachChunk(body, signal, (chunk) => {
    let begin = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0 && !signal.aborted; end = chunk.indexOf(lineBreak, begin)) {
      const line = Buffer.concat([...cut, chunk.subarray(begin, end)])
        .toString('utf8')
        .trim();
      cut = [];
      begin = end + 1;
      if (line !== '') take(line);
    }
    if (begin < chunk.length) cut.push(chunk.subarray(begin));
  });
}
