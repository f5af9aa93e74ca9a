import { GitError } from '../git-error.ts';

/** One line of git's wire format: its length in four hex digits, itself included. */
export function packetLine(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from((content.length + 4).toString(16).padStart(4, '0')), content]);
}

/** Without flush and delimiter packets. Error `unreachable` for data that is not git's wire format. */
export function packetLines(answer: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at + 4 <= answer.length; ) {
    const length = Number.parseInt(answer.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length))
      throw new GitError(
        'unreachable',
        'the server did not send packet lines: is this the address of a git repository?',
      );
    if (length > 4) lines.push(answer.subarray(at + 4, at + length));
    at += Math.max(length, 4);
  }
  return lines;
}

/** A body in one piece. */
export async function whole(body: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}
