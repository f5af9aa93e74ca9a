import type { Clock } from '../../members/clock.ts';

/** Resource usage of the process, as the system reports it. */
export interface Usage {
  /** Processor time since the process started, of all its threads, milliseconds. */
  readonly processorMs: number;
  /** Pages of the process in memory, bytes. The heap's own count leaves out those that V8 emptied and keeps for later. */
  readonly residentBytes: number;
}

/** Interval between samples, milliseconds. */
const sampleMs = 5_000;
/** Share of one processor below which the daemon is at rest: heartbeats of a thousand members take three per cent. */
const restfulPart = 0.1;
/** Samples at rest in a row before memory is released, so that the pause delays nothing. */
const restfulSamples = 2;
/** Growth below this is not worth a pause, bytes. */
const worthBytes = 64 * 2 ** 20;

/**
 * Releases memory to the system when the daemon comes to rest. V8 lets a heap grow to several times the live size under load,
 * collects when it is full, and keeps the pages, so a daemon would keep its peak size for months. `collect` stops everything for
 * up to a second. It is called at rest only, and again only after growth by half and by 64 MB. If it fails (a Node without
 * inspector), `cannot` is called once and no more attempts are made. Returns a function that ends it.
 */
export function releaseMemoryAtRest(input: {
  readonly clock: Clock;
  readonly usage: () => Usage;
  readonly collect: () => Promise<void>;
  readonly released: (bytes: number) => void;
  readonly cannot: (error: unknown) => void;
}): () => void {
  const { clock, usage, collect } = input;
  let before = usage();
  let { residentBytes: left } = before;
  let restful = 0;
  let stopped = false;
  let cancel = () => {};

  function later(): void {
    cancel = clock.after(sampleMs, () => void sample().catch(input.cannot));
  }

  async function sample(): Promise<void> {
    const now = usage();
    restful = now.processorMs - before.processorMs < restfulPart * sampleMs ? restful + 1 : 0;
    if (restful >= restfulSamples && now.residentBytes > Math.max(left + worthBytes, 1.5 * left)) {
      await collect();
      left = usage().residentBytes;
      restful = 0;
      input.released(now.residentBytes - left);
    }
    // The processor time of the collection does not count as work.
    before = usage();
    if (!stopped) later();
  }

  later();

  return () => {
    stopped = true;
    cancel();
  };
}

/** Of the whole process, so far. */
export function processUsage(): Usage {
  const { user, system } = process.cpuUsage();
  return { processorMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
}

/**
 * Collects all garbage of this thread and releases its pages. The inspector is the only documented way to request that from V8:
 * `gc()` needs a flag at the start of the process, and keeps the pages.
 */
export async function collectGarbage(): Promise<void> {
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
