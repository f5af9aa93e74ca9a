/**
 * Runs `task` for every item, at most `width` at once, begun in order. After a rejection no more are begun; it rejects with
 * the first one when those in progress are over. `goOn` is asked before each.
 */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  task: (item: T) => Promise<void>,
  goOn: () => boolean = () => true,
): Promise<void> {
  const failures: unknown[] = [];
  let next = 0;
  async function work(): Promise<void> {
    while (next < items.length && failures.length === 0 && goOn()) {
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
