import type { Problem, ProblemCode } from '../../../api/problem.ts';

export const mismatchCode = 'record-mismatch' satisfies ProblemCode;

/** A problem: the followed branch does not confirm a claim of the status branch. */
export const mismatch = (path: string, message: string): Problem => ({
  severity: 'error',
  code: mismatchCode,
  file: `(status branch) ${path}`,
  message,
  fix: findWriter,
});

const findWriter = 'find out who wrote to the status branch (git log) and let only gitfleet push there';

/** The same of a cluster that has nothing of the placement. */
export const notThere = (path: string, message: string): Problem => ({
  ...unproven(path, message),
  fix: `nothing, if the cluster was emptied or created anew; otherwise ${findWriter}`,
});

/** A problem: nothing but the status branch says so, and it may be right. */
export const unproven = (path: string, message: string): Problem => ({
  ...mismatch(path, message),
  code: 'record-unproven',
});
