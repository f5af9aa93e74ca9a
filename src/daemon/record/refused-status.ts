import type { Problem, ProblemCode } from '../../api/problem.ts';
import type { RefusedTip } from '../../git/verify/status-signing.ts';

export const refusedCode = 'foreign-status-commit' satisfies ProblemCode;

/** A problem: the status branch is at a commit that no key of ours signed, or behind the last that it did. */
export function refusedStatus(tip: string, { branch, why, count, record }: RefusedTip, isTrusted: boolean): Problem {
  const others = count > 1 ? `, like ${count - 1} before it` : '';
  const instead = record === undefined ? 'what this daemon published last' : `${short(record)}, the last signed commit`;
  const then = isTrusted ? `The record is that of ${instead}` : 'The record counts as lost';
  return {
    severity: 'error',
    code: refusedCode,
    message: `commit ${short(tip)} of ${branch} is refused${others}: ${why}. ${then}, and gitfleet writes on top`,
    fix: `find out who pushed to ${branch} (git log --show-signature) and let only gitfleet push there`,
  };
}

const short = (commit: string): string => commit.slice(0, 12);
