const lineBreak = 10;

/**
 * Tells every line of a body until it ends; what stands after the last line break was cut off and is left out. Rejects when
 * the body breaks, when `tell` throws and when the signal is aborted, with its reason; the body is let go then. No chain of
 * generators: a daemon waits in ten thousand bodies at once, and each would hold half a dozen of them.
 */
export function eachLine(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  let cut: Uint8Array[] = [];
  let over = false;

  /** Whole lines are decoded at once: no character is cut in two, and no decoder has to remember one. */
  function take(chunk: Uint8Array): void {
    let begin = 0;
    for (let end = chunk.indexOf(lineBreak); end >= 0 && !over; end = chunk.indexOf(lineBreak, begin)) {
      const line = Buffer.concat([...cut, chunk.subarray(begin, end)])
        .toString('utf8')
        .trim();
      cut = [];
      begin = end + 1;
      if (line !== '') tell(line);
    }
    if (begin < chunk.length) cut.push(chunk.subarray(begin));
  }

  return new Promise((resolve, reject) => {
    function end(settle: () => void): void {
      if (over) return;
      over = true;
      signal.removeEventListener('abort', aborted);
      // Not waited for: a silent body would never answer.
      void chunks.return?.(undefined)?.catch(() => {});
      settle();
    }
    const fail = (error: unknown): void => end(() => reject(error));
    const aborted = (): void => fail(signal.reason);

    function taken({ done, value }: IteratorResult<Uint8Array>): void {
      if (over) return;
      if (done) {
        end(resolve);
        return;
      }
      try {
        take(value);
      } catch (error) {
        fail(error);
      }
      if (!over) read();
    }
    const read = (): void => void chunks.next().then(taken, fail);

    if (signal.aborted) aborted();
    else {
      signal.addEventListener('abort', aborted, { once: true });
      read();
    }
  });
}
