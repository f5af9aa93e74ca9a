import type { Problem } from '../../api/problem.ts';
import type { UnverifiedCommits } from '../../git/verify/verified-source.ts';

/**
 * Commits without a signature by a key of `--verify-keys`: the fleet stays at the last verified one. `recorded`: a later commit that was
 * in effect according to the record; then every cluster keeps what it has, until a user decides whether it counts.
 */
export function unverified(
  branch: string,
  { tip, verified, memory, first, why, count, recorded }: UnverifiedCommits & { readonly recorded?: string },
): Problem {
  const short = (commit: string): string => commit.slice(0, 12);
  const others =
    count === 1 ? '' : `, and ${count - 1} later ${count === 2 ? 'commit is' : 'commits are'} waiting for it`;
  const whole = { severity: 'error', code: 'unverified-commit' } as const;
  const again = `push ${branch} again without ${short(first)}, on top of ${short(verified)} and signed`;
  if (recorded === undefined)
    return {
      ...whole,
      message: `${branch} is at ${short(tip)}, but commit ${short(first)} is not acted on: ${why}${others}. The fleet stays at ${short(verified)}, the last verified commit`,
      fix: `${again}; or start gitfleet with a --verify-keys that has its key`,
    };
  const forget = memory === undefined ? '' : `stop gitfleet, remove ${memory}, start it, and `;
  return {
    ...whole,
    message: `${branch} is at ${short(tip)}, but commit ${short(first)} does not verify: ${why}. According to the status branch, ${short(recorded)} was acted on before. Every cluster keeps what it has`,
    fix: `if all of ${branch} since ${short(verified)} is right, ${forget}push one signed commit on top of ${short(tip)}, or start gitfleet with a --verify-keys that has its key; else ${again}, and start once with --accept-rewind and the id of what you pushed`,
  };
}
