import type { Clock } from '../../members/clock.ts';

/** What the process takes, read from the system. */
export interface Usage {
  /** Processor time since the process began, of all its threads, milliseconds. */
  readonly processorMs: number;
  /** Pages of the process in memory, bytes. The heap's own count leaves out those that V8 emptied and keeps for later. */
  readonly residentBytes: number;
}

/** How often is looked whether there is anything to do, milliseconds. */
const sampleMs = 5_000;
/** A daemon that takes less of one processor is at rest: a thousand members with their heartbeats take three per cent. */
const restfulPart = 0.1;
/** At rest for so many samples in a row: the pause comes when nobody is likely to wait for anything. */
const restfulSamples = 2;
/** Less is not worth a pause. */
const worthBytes = 64 * 2 ** 20;

/**
 * Gives pages back to the system when the daemon comes to rest. V8 lets a heap grow to several times what is alive while
 * there is work, collects when it is full, and keeps the pages; so a daemon would hold for months what its first minute took.
 * `collect` stops everything for up to a second. It is called at rest only, and again only when the process has grown by half,
 * and by 64 MB, over what the last time left. Where that cannot be asked for (a Node without inspector), it is said once and
 * everything else goes on. Returns what ends it.
 */
export function giveBackAtRest(input: {
  readonly clock: Clock;
  readonly usage: () => Usage;
  readonly collect: () => Promise<void>;
  readonly gaveBack: (bytes: number) => void;
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
      input.gaveBack(now.residentBytes - left);
    }
    // What the collection took is no work.
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
 * Collects all garbage of this thread and gives its pages back. The inspector is the one documented way to ask V8 for that:
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
