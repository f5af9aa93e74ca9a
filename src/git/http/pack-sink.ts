import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import { GitError } from '../git-error.ts';
import { packetLine } from './packet-lines.ts';

/** Consumes a pack while it is received. */
export interface PackSink {
  write(chunk: Buffer): Promise<void>;
  /** Returns the bytes that isomorphic-git has to process; undefined if the objects are in the repository already. */
  end(): Promise<Buffer | undefined>;
  /** Afterwards nothing writes any more. */
  abort(): Promise<void>;
}

/**
 * The client under isomorphic-git's fetch, which negotiates. Packs are passed to a sink first, because isomorphic-git inflates
 * every object whole, in this process.
 */
export const throughSinks = (http: HttpClient, open: () => PackSink): HttpClient => ({
  async request(asked: GitHttpRequest): Promise<GitHttpResponse> {
    const answer = await http.request(asked);
    if (!asked.url.endsWith('/git-upload-pack') || answer.body === undefined) return answer;
    return { ...answer, body: split(answer.body, open, asked.url) };
  },
});

/** Of a packet, which has room for its length and the number of its band. */
const largestPart = 65_520 - 5;
const packBand = 1;
const progressBand = 2;

async function* split(
  body: AsyncIterableIterator<Uint8Array>,
  open: () => PackSink,
  url: string,
): AsyncIterableIterator<Uint8Array> {
  let sink: PackSink | undefined;
  try {
    for await (const packet of packets(body, url)) {
      const band = packet[4];
      if (packet.length > 4 && band === packBand) {
        sink ??= open();
        await sink.write(packet.subarray(5));
      } else if (packet.length <= 4 || band !== progressBand) yield packet;
    }
    const left = await sink?.end();
    sink = undefined;
    for (let at = 0; left !== undefined && at < left.length; at += largestPart)
      yield packetLine(Buffer.concat([Buffer.from([packBand]), left.subarray(at, at + largestPart)]));
  } finally {
    await sink?.abort();
  }
}

/** Packets with their length in front, however the chunks of a stream cut them. */
async function* packets(body: AsyncIterable<Uint8Array>, url: string): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= 4) {
      const length = Math.max(lengthAt(rest, at, url), 4);
      if (rest.length - at < length) break;
      yield rest.subarray(at, at + length);
      at += length;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new GitError('unreachable', `${url}: the response ends in the middle of a packet`);
}

function lengthAt(bytes: Buffer, at: number, url: string): number {
  const text = bytes.toString('latin1', at, at + 4);
  if (!/^[0-9a-f]{4}$/i.test(text)) throw new GitError('unreachable', `${url}: the response is not git's wire format`);
  return Number.parseInt(text, 16);
}
