import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReader } from './open-status.ts';

/** A ref of a local repository is a file; a server is polled less often. Milliseconds. */
const localEveryMs = 200;
const remoteEveryMs = 3_000;

/** Waits until the status branch is no longer at `last`. False when `deadline` (milliseconds since the epoch) came first. */
export async function moved(reader: StatusReader, last: string | undefined, deadline = Infinity): Promise<boolean> {
  const every = reader.branches.remote ? remoteEveryMs : localEveryMs;
  while ((await reader.tip()) === last) {
    const left = deadline - Date.now();
    if (left <= 0) return false;
    await sleep(Math.min(every, left));
  }
  return true;
}
