import type { Branches } from './branches.ts';

/** Reports every request to a server when it begins (1) and when it ends (-1). */
export function withPending(branches: Branches, changed: (by: 1 | -1) => void): Branches {
  if (!branches.remote) return branches;
  const counted =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      changed(1);
      try {
        return await ask(...args);
      } finally {
        changed(-1);
      }
    };
  return {
    ...branches,
    list: counted(branches.list),
    obtain: counted(branches.obtain),
    deepen: counted(branches.deepen),
    change: counted(branches.change),
  };
}
