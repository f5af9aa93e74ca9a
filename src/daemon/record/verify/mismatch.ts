import type { Problem } from '../../../api/problem.ts';

/** A problem: the followed branch does not confirm a claim of the status branch. */
export const mismatch = (path: string, message: string): Problem => ({
  severity: 'error',
  code: 'record-mismatch',
  file: `(status branch) ${path}`,
  message,
  fix: 'find out who wrote to the status branch (git log) and let only gitfleet push there',
});
