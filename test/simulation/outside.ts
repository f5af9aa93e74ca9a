import type { Branches } from '../../src/git/branches.ts';
import { GitError } from '../../src/git/git-error.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { type Clock, sleep } from '../../src/members/clock.ts';

/** What goes wrong with the git server now. */
export interface GitFaults {
  down: boolean;
  /** So many pushes are refused by a hook. */
  refusals: number;
  /** So many pushes are done, and their answer is lost. */
  lostAnswers: number;
  delayMs: number;
}

export const noGitFaults = (): GitFaults => ({ down: false, refusals: 0, lostAnswers: 0, delayMs: 0 });

/** Everything that one daemon says to the outside passes here, so that it can die between any two calls. */
export interface Outside {
  branches(branches: Branches): Branches;
  through(transport: Transport): Transport;
  /** Dies at the n-th call from now: before it is made, or after it was made and before its answer is heard. */
  dieAt(calls: number, die: () => void): void;
}

export function outside(
  clock: Clock,
  faults: GitFaults,
  /** A ref was moved, before anybody hears of it. */
  moved: (ref: string) => Promise<void>,
): Outside {
  let left = Number.POSITIVE_INFINITY;
  let die = () => {};
  let dead = false;

  /** Waits for ever where the daemon is dead. */
  async function pass(): Promise<void> {
    if (!dead && --left <= 0) {
      dead = true;
      die();
    }
    if (dead) await new Promise(() => {});
  }

  async function call<T>(make: () => Promise<T>): Promise<T> {
    await pass();
    try {
      return await make();
    } finally {
      await pass();
    }
  }

  const asked = <T>(branches: Branches, make: () => Promise<T>): Promise<T> =>
    call(async () => {
      if (!branches.remote) return make();
      if (faults.delayMs > 0) await sleep(clock, faults.delayMs);
      if (faults.down) throw new GitError('unreachable', 'connect ECONNREFUSED git');
      return make();
    });

  return {
    branches: (branches) => ({
      ...branches,
      list: (prefixes) => asked(branches, () => branches.list(prefixes)),
      obtain: (ref, oid) => asked(branches, () => branches.obtain(ref, oid)),
      change: (change) =>
        asked(branches, async () => {
          if (branches.remote && faults.refusals > 0) {
            faults.refusals--;
            throw new GitError('push-refused', 'push: the hook rejected it');
          }
          const outcome = await branches.change(change);
          if (outcome === 'done') await moved(change.ref);
          if (branches.remote && faults.lostAnswers > 0) {
            faults.lostAnswers--;
            throw new GitError('unreachable', 'read ECONNRESET git');
          }
          return outcome;
        }),
    }),
    through: (transport) => (request) => call(() => transport(request)),
    dieAt(calls, how) {
      left = calls;
      die = how;
    },
  };
}
