import type { Problem } from '../../api/problem.ts';
import type { UnverifiedCommits } from '../../git/verify/verified-source.ts';

/** Commits without a signature by a key of `--verify-keys`: the fleet stays at the last verified one. */
export function unverified(branch: string, { tip, verified, first, why, count }: UnverifiedCommits): Problem {
  const short = (commit: string): string => commit.slice(0, 12);
  const others =
    count === 1 ? '' : `, and ${count - 1} later ${count === 2 ? 'commit is' : 'commits are'} waiting for it`;
  return {
    severity: 'error',
    code: 'unverified-commit',
    message: `${branch} is at ${short(tip)}, but commit ${short(first)} is not acted on: ${why}${others}. The fleet stays at ${short(verified)}, the last verified commit`,
    fix: `push ${branch} again without ${short(first)}, on top of ${short(verified)} and signed; or start gitfleet with a --verify-keys that has its key`,
  };
}
