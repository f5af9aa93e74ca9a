import type { TestContext } from 'vitest';

/** Skips a statement that a server cannot show, and says which and why: reporters tell no more than how many were skipped. */
export function leaveOut({ task, skip }: TestContext, why: string): never {
  console.warn(`left out on ${task.suite?.suite?.name}: «${task.suite?.name} ${task.name}»: ${why}`);
  return skip(why);
}
