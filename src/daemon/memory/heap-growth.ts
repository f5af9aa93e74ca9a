import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Growth of the heap beyond its live size before a collection, per cent. V8 uses up to 300 if the machine has free memory. Peak and
 * processor time for 1,000 clusters with 10 objects each (`npm run bench -- delivery`): 481 MB and 34 s with 25, 493 MB and 30 s with 40,
 * 533 MB and 31 s with 50.
 */
const growthPercent = 40;

/**
 * Size of the young generation in megabytes, both halves together. V8 grows it to 128 when much survives a collection, and keeps
 * that memory. A long run of work without a pause, as after memory was released, may double it.
 */
const youngMegabytes = 32;

/**
 * Heap size in megabytes up to which marking stops the program and uses all threads. Otherwise V8 marks concurrently, and garbage
 * made meanwhile stays: 60 to 80 MB at the peak of 1,000 clusters with ten objects each. A stop takes about 1 ms per 2 MB, so a
 * large heap is better marked concurrently.
 */
const markedAtOnceMegabytes = 320;

let steered = false;

/** Limits the growth of the heap for the rest of the process: a daemon runs for months next to other programs. */
export function limitHeapGrowth(): void {
  if (steered) return;
  steered = true;
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // V8 reads the sizes when it creates a heap, so these apply to the heaps of worker threads.
  setFlagsFromString(`--min-semi-space-size=${youngMegabytes / 2}`);
  setFlagsFromString(`--max-semi-space-size=${youngMegabytes / 2}`);
  // V8 reads the other flags at each collection. At rest it shrinks the young generation.
  const [setGrowth, setMarking] = [flag(), flag()];
  const steer = (): void => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    setGrowth(`--semi-space-growth-factor=${(young?.space_size ?? 0) < youngMegabytes * 2 ** 20 ? 2 : 1}`);
    const isSmall = getHeapStatistics().used_heap_size < markedAtOnceMegabytes * 2 ** 20;
    setMarking(isSmall ? '--no-incremental-marking' : '--incremental-marking');
  };
  steer();
  new PerformanceObserver(steer).observe({ entryTypes: ['gc'] });
}

/** Sets a flag unless it has the value already. */
function flag(): (text: string) => void {
  let last = '';
  return (text) => {
    if (text !== last) setFlagsFromString(text);
    last = text;
  };
}
