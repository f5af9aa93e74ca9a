import { bufferOf, chunkBytes } from './each-chunk.ts';

/** Bytes that wait for the rest of their response or line. */
export interface GatheredBytes {
  add(chunk: Uint8Array): void;
  /** What they take, bytes. */
  readonly taken: () => number;
  /** All of them as UTF-8, after `check`, which may throw; releases them. */
  text(check?: (bytes: Buffer) => void): string;
  /** Must be called if they are not needed. */
  release(): void;
}

/**
 * Outside of the heap, in memory that is freed at once (`ArrayBuffer.prototype.transfer`). Chunks or texts of them would stay until
 * a full garbage collection, or longer: the stack of an error holds what the functions in it see. What five hostile members left
 * took twice the memory of a daemon at rest.
 */
export function gatheredBytes(): GatheredBytes {
  let parts: ArrayBuffer[] = [];
  let taken = 0;

  function release(): void {
    for (const part of parts) part.transfer(0);
    parts = [];
    taken = 0;
  }

  function whole(): Buffer {
    const all = bufferOf(new Uint8Array(parts.reduce((bytes, part) => bytes + part.byteLength, 0)));
    let length = 0;
    for (const part of parts) {
      all.set(new Uint8Array(part), length);
      length += part.byteLength;
    }
    release();
    return all;
  }

  return {
    add(chunk) {
      const part = new ArrayBuffer(chunk.length);
      new Uint8Array(part).set(chunk);
      parts.push(part);
      taken += chunkBytes(chunk.length);
    },
    taken: () => taken,
    text(check = () => {}) {
      const all = whole();
      try {
        check(all);
        return all.toString();
      } finally {
        (all.buffer as ArrayBuffer).transfer(0);
      }
    },
    release,
  };
}
