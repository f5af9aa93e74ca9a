import { type Forge, ForgeError, type PullRequest } from '../../../forge/forge.ts';
import { type Clock, sleep } from '../../../members/clock.ts';
import { CliError, exitCodes } from '../../terminal/exit.ts';

/** What is to be merged: a branch whose tip was looked at. */
export interface Merge {
  readonly head: string;
  readonly base: string;
  readonly tip: string;
  /** Of the merge, and of the pull request where none is open yet. */
  readonly title: string;
  readonly body: string;
}

export interface Patience {
  readonly clock: Clock;
  /** Milliseconds after which it is given up. */
  readonly timeoutMs: number;
  /** Why it is not merged yet, whenever that changes. */
  readonly waiting: (why: string) => void;
}

/** Milliseconds between two attempts: the first wait, and the longest one. */
const [firstWaitMs, longestWaitMs] = [1_000, 5_000];

/**
 * Merges the open pull request of a branch by its forge, and opens it where there is none. The forge may need time, reviews or checks,
 * and its answers may be lost: it is tried again until the time is over. Error: CliError with what blocks it.
 */
export async function mergeRequest(
  forge: Forge,
  merge: Merge,
  { clock, timeoutMs, waiting }: Patience,
): Promise<PullRequest> {
  const until = clock.now() + timeoutMs;
  let tried: PullRequest | undefined;
  let shown = '';
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const blocked = await attempt(forge, merge, tried);
    if ('merged' in blocked) return blocked.merged;
    tried = blocked.pull ?? tried;
    const pauseMs = Math.max(waitMs, blocked.retryAfterMs ?? 0);
    const why = tried ? `${numberOf(forge, tried)} is not merged: ${blocked.why}` : blocked.why;
    if (clock.now() + pauseMs > until)
      throw new CliError(
        `${why}: given up after ${timeoutMs / 1000} s, see ${tried?.url || `the pull requests of ${forge.repository}`}`,
        blocked.pull ? exitCodes.refused : exitCodes.unreachable,
      );
    if (why !== shown) waiting(why);
    shown = why;
    await sleep(clock, pauseMs);
  }
}

/** `#12`, at GitLab `!12`. */
export const numberOf = ({ kind }: Pick<Forge, 'kind'>, { number }: PullRequest): string =>
  `${kind === 'gitlab' ? '!' : '#'}${number}`;

type Attempt =
  | { readonly merged: PullRequest }
  /** With `pull`: the forge answered that it cannot be merged yet. */
  | { readonly why: string; readonly pull?: PullRequest; readonly retryAfterMs?: number | undefined };

async function attempt(forge: Forge, merge: Merge, tried: PullRequest | undefined): Promise<Attempt> {
  const { head, base, tip, title, body } = merge;
  try {
    const pulls = await forge.find({ head, base });
    // The answer to the last attempt may have been lost. A rebase may change the commit of one that was merged.
    const merged = pulls.find(
      (pull) => pull.state === 'merged' && (pull.number === tried?.number || pull.headCommit === tip),
    );
    if (merged) return { merged };
    const pull = pulls.find(({ state }) => state === 'open') ?? (await forge.open({ head, base, title, body }));
    if (pull.headCommit !== tip)
      return { pull, why: `it shows commit ${pull.headCommit.slice(0, 12)}, but ${tip.slice(0, 12)} was looked at` };
    const why = await forge.merge(pull.number, { commit: tip, title });
    return why === undefined ? { merged: { ...pull, state: 'merged' } } : { pull, why };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    const { code, message, retryAfterMs } = error;
    if (code === 'unreachable' || code === 'limited' || code === 'exists') return { why: message, retryAfterMs };
    throw new CliError(message, code === 'refused' ? exitCodes.refused : exitCodes.unreachable, { cause: error });
  }
}
