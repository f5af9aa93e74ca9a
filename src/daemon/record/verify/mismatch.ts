import type { Problem } from '../../../api/problem.ts';

/** What the status branch claims and the followed branch does not bear out. */
export const mismatch = (path: string, message: string): Problem => ({
  severity: 'error',
  code: 'record-mismatch',
  file: `(status branch) ${path}`,
  message,
  fix: 'find out who wrote to the status branch (git log) and let only gitfleet push there',
});
