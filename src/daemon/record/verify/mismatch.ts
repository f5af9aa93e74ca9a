import type { Problem, ProblemCode } from '../../../api/problem.ts';

export const mismatchCode = 'record-mismatch' satisfies ProblemCode;

/** A problem: the followed branch does not confirm a claim of the status branch. */
export const mismatch = (path: string, message: string): Problem => ({
  severity: 'error',
  code: mismatchCode,
  file: `(status branch) ${path}`,
  message,
  fix: 'find out who wrote to the status branch (git log) and let only gitfleet push there',
});

/** A problem: nothing but the status branch says so, and it may be right. */
export const unproven = (path: string, message: string): Problem => ({
  ...mismatch(path, message),
  code: 'record-unproven',
});
