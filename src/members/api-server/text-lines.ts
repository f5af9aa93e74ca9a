import { ApiError, badResponse, UnreachableError } from './api-error.ts';
import { deadline, orAborted } from './deadline.ts';
import { eachLine } from './each-line.ts';
import { type Exchange, exchange } from './exchange.ts';

export interface LinesWanted {
  /** What lines begin with that are kept. They stand together, and what comes after them is not read. */
  readonly begin: string;
  /** Largest size of the response up to there, bytes. */
  readonly textBytes: number;
}

/**
 * Lines of a response that is text and may be large: only those that are kept take memory, and count as a response. Errors as of
 * `exchange`; ApiError also for a text that is too large.
 */
export async function textLines(input: Exchange, { begin, textBytes }: LinesWanted): Promise<readonly string[]> {
  const { clock, tried, request } = input;
  const time = deadline({ clock, ms: input.timeoutMs, by: [request.signal, input.life] });
  const inFlight = input.responses.open(tried, time.abort);
  const lines: string[] = [];
  let keptBytes = 0;
  const enough = new Error('all lines are there');
  try {
    const response = await orAborted(input.transport({ ...request, signal: time.signal }), time.signal);
    if (response.status >= 300) {
      await exchange({ ...input, transport: async () => response });
      return [];
    }
    await eachLine(
      upTo(response.body, textBytes, tried),
      time.signal,
      (line) => {
        if (line.startsWith(begin)) {
          lines.push(line);
          keptBytes += line.length;
        } else if (lines.length > 0) throw enough;
      },
      (bytes) => inFlight.hold(bytes + keptBytes),
    );
    return lines;
  } catch (error) {
    if (error === enough) return lines;
    throw error instanceof ApiError || error instanceof UnreachableError ? error : new UnreachableError(tried, error);
  } finally {
    inFlight.end();
    time.end();
  }
}

async function* upTo(body: AsyncIterable<Uint8Array>, most: number, tried: string): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw badResponse(tried, `the response has more than ${Math.round(most / 2 ** 20)} MiB`);
    yield chunk;
  }
}
