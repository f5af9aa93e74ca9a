import { describe, expect, it } from 'vitest';
import { eachLine } from '../../../src/members/api-server/each-line.ts';

/** A body of these chunks that then ends, breaks or stays silent, and whether it was released. */
function bodyOf(chunks: readonly Uint8Array[], then: 'ends' | 'breaks' | 'is silent' = 'ends') {
  const left = [...chunks];
  const body = { isReleased: false, [Symbol.asyncIterator]: () => iterator };
  const iterator: AsyncIterator<Uint8Array> = {
    async next() {
      const value = left.shift();
      if (value) return { done: false, value };
      if (then === 'breaks') throw new Error('read ECONNRESET');
      return then === 'ends' ? { done: true, value: undefined } : new Promise(() => {});
    },
    async return() {
      body.isReleased = true;
      return { done: true, value: undefined };
    },
  };
  return body;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);
const alive = new AbortController().signal;

async function linesOf(chunks: readonly Uint8Array[]): Promise<string[]> {
  const lines: string[] = [];
  await eachLine(bodyOf(chunks), alive, (line) => lines.push(line));
  return lines;
}

describe('the lines of a body', () => {
  it.each<[string, readonly Uint8Array[], readonly string[]]>([
    ['come one by one, however many a chunk has', [bytes('a\nb\n'), bytes('c\n')], ['a', 'b', 'c']],
    ['are whole however they were cut', [bytes('a'), bytes('b'), bytes('c\nd'), bytes('\n')], ['abc', 'd']],
    ['may be cut within a character', [...bytes('{"ü€":"𝄞"}\n')].map((byte) => Uint8Array.of(byte)), ['{"ü€":"𝄞"}']],
    ['leave out what is cut off at the end', [bytes('a\nhal')], ['a']],
    ['leave out empty ones and blanks at their ends', [bytes('\n \r\n a \r\n')], ['a']],
  ])('%s', async (_rule, chunks, expected) => {
    expect(await linesOf(chunks)).toEqual(expected);
  });

  it('are passed on until the body breaks', async () => {
    const lines: string[] = [];
    const reported = eachLine(bodyOf([bytes('a\nb')], 'breaks'), alive, (line) => lines.push(line));
    await expect(reported).rejects.toThrow('read ECONNRESET');
    expect(lines).toEqual(['a']);
  });

  it('end with the error of the callback, and the body is released', async () => {
    const body = bodyOf([bytes('a\nb\n')], 'is silent');
    const reported = eachLine(body, alive, () => {
      throw new Error('410');
    });
    await expect(reported).rejects.toThrow('410');
    expect(body.isReleased).toBe(true);
  });

  it('end when the signal is aborted, also in the middle of a chunk, and the body is released', async () => {
    const stop = new AbortController();
    const body = bodyOf([bytes('a\nb\n')], 'is silent');
    const lines: string[] = [];
    const reported = eachLine(body, stop.signal, (line) => {
      lines.push(line);
      stop.abort(new Error('given up'));
    });
    await expect(reported).rejects.toThrow('given up');
    expect({ lines, isReleased: body.isReleased }).toEqual({ lines: ['a'], isReleased: true });
  });

  it('end when the signal is aborted already, or while the body is silent', async () => {
    await expect(eachLine(bodyOf([bytes('a\n')]), AbortSignal.abort(new Error('late')), () => {})).rejects.toThrow(
      'late',
    );
    const stop = new AbortController();
    const waiting = eachLine(bodyOf([], 'is silent'), stop.signal, () => {});
    stop.abort(new Error('given up'));
    await expect(waiting).rejects.toThrow('given up');
  });
});
