import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ParsedFile, parseYaml } from '../yaml/parse-yaml.ts';

export interface ToParse {
  readonly oid: string;
  readonly file: string;
  readonly text: string;
}

/**
 * Characters below which threads do not pay off: one thread parses half a megabyte in the second that three threads take to start on a
 * busy machine, and they leave the process 100 MB larger (measured with 1,000 small files).
 */
const worthThreads = 512 * 1024;
/** With more than four the start of the threads costs more than they save (measured). */
const mostThreads = 4;
/** Distinguishes our threads from other threads that import this module. */
const purpose = 'gitfleet: parse';

/** Parses files, in worker threads when there are many. The threads run this module too. */
export async function parseAll(
  files: readonly ToParse[],
  threads = Math.min(mostThreads, availableParallelism() - 1),
): Promise<Map<string, ParsedFile>> {
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  if (size < worthThreads || threads < 2) return new Map(await parseHere(files));
  // This thread parses a share too.
  const shares = dealt(files, threads + 1);
  const others = shares.slice(1).map(parseInThread);
  const own = await parseHere(shares[0]!);
  return new Map([...own, ...(await Promise.all(others)).flat()]);
}

/** Distributes files one by one, so that one thread does not get a whole folder of large files. */
function dealt(files: readonly ToParse[], shares: number): ToParse[][] {
  const dealt = Array.from({ length: shares }, (): ToParse[] => []);
  files.forEach((file, at) => {
    dealt[at % shares]!.push(file);
  });
  return dealt;
}

/** Characters that are parsed without a pause, about 50 ms. */
const withoutPause = 32 * 1024;

/** Between files everything else that waits has its turn, such as probes and responses of members. */
async function parseHere(files: readonly ToParse[]): Promise<[string, ParsedFile][]> {
  const parsed: [string, ParsedFile][] = [];
  let size = 0;
  for (const { oid, file, text } of files) {
    parsed.push([oid, parseYaml(text, file)]);
    size += text.length;
    if (size < withoutPause) continue;
    size = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return parsed;
}

/** If a thread dies, for example out of memory, this thread parses its share. */
function parseInThread(share: readonly ToParse[]): Promise<[string, ParsedFile][]> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: purpose });
    let done = false;
    worker.once('message', (text: string) => {
      done = true;
      resolve(JSON.parse(text) as [string, ParsedFile][]);
      void worker.terminate();
    });
    const takeBack = (): void => {
      if (done) return;
      done = true;
      resolve(parseHere(share));
    };
    worker.once('error', takeBack);
    worker.once('exit', takeBack);
    worker.postMessage(share);
  });
}

if (!isMainThread && parentPort && workerData === purpose) {
  const port = parentPort;
  // One text instead of many objects: structured clones cost more than JSON.
  port.once('message', async (share: readonly ToParse[]) => port.postMessage(JSON.stringify(await parseHere(share))));
}
