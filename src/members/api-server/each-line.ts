import { eachChunk } from './each-chunk.ts';

const lineBreak = 10;

/**
 * Tells every line of a body until it ends; what stands after the last line break was cut off and is left out. Rejects and lets
 * go of the body as `eachChunk` does; nothing more is told when the signal is aborted in between.
 */
export function eachLine(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  let cut: Uint8Array[] = [];

  /** Whole lines are decoded at once: no character is cut in two, and no decoder has to remember one. */
  return eachChunk(body, signal, (chunk) => {
    let begin = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0 && !signal.aborted; end = chunk.indexOf(lineBreak, begin)) {
      const line = Buffer.concat([...cut, chunk.subarray(begin, end)])
        .toString('utf8')
        .trim();
      cut = [];
      begin = end + 1;
      if (line !== '') tell(line);
    }
    if (begin < chunk.length) cut.push(chunk.subarray(begin));
  });
}
