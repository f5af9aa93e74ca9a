/**
 * Runs `task` for every item in order, at most `width` at once. After a rejection it starts no more, and rejects with the first
 * error when those in progress have ended. `isWanted` is checked before each.
 */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && failures.length === 0 && isWanted()) {
      const item = items[next++]!;
      try {
        await task(item);
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, work));
  if (failures.length > 0) throw failures[0];
}
