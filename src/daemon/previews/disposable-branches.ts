import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Branches } from '../../git/branches.ts';
import { packedBytes } from '../../git/native/bounded-fetch.ts';

/** Of packs. The mirror of pull requests keeps all that was ever pushed to one while it is open. */
const mostBytes = 1024 ** 3;
/** Milliseconds. A repository that is larger than that itself is not fetched again for each preview. */
const anewEveryMs = 6 * 60 * 60_000;

/**
 * A repository whose mirror may be deleted: opened when it is used first, again after that failed, and with an empty mirror when the old
 * one is too large. What `use` resolved with before is closed then, so only one at a time may use it.
 */
export function disposableBranches({
  open,
  mirrorDir,
  now,
  most = mostBytes,
}: {
  readonly open: () => Promise<Branches>;
  readonly mirrorDir: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Bytes of the mirror. */
  readonly most?: number;
}): { readonly use: () => Promise<Branches>; readonly close: () => Promise<void> } {
  let opening: Promise<Branches> | undefined;
  let anewMs = Number.NEGATIVE_INFINITY;

  async function close(): Promise<void> {
    const it = await opening?.catch(() => undefined);
    opening = undefined;
    await it?.close();
  }

  return {
    close,
    async use() {
      if (now() >= anewMs + anewEveryMs && (await packedBytes(join(mirrorDir, 'repo.git'))) > most) {
        await close();
        await rm(mirrorDir, { recursive: true, force: true });
        anewMs = now();
      }
      opening ??= open();
      try {
        return await opening;
      } catch (error) {
        opening = undefined;
        throw error;
      }
    },
  };
}
