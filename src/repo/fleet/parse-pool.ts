import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ParsedFile, parseYaml } from '../yaml/parse-yaml.ts';

export interface ToParse {
  readonly oid: string;
  readonly file: string;
  readonly text: string;
}

/**
 * Characters below which threads do not pay: one thread parses half a megabyte in the second that starting three of them takes
 * on a busy machine, and the process stays 100 MB larger for good when they are gone (measured: 1,000 small files).
 */
const worthThreads = 512 * 1024;
/** Beyond four the start of the threads eats what they save (measured). */
const mostThreads = 4;
/** Tells our threads from those of whoever imports this module in a thread of his own. */
const purpose = 'gitfleet: parse';

/** Parses files, in worker threads when there are many. This module is also what the threads run. */
export async function parseAll(
  files: readonly ToParse[],
  threads = Math.min(mostThreads, availableParallelism() - 1),
): Promise<Map<string, ParsedFile>> {
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  if (size < worthThreads || threads < 2) return new Map(parseHere(files));
  // This thread takes a share too: it would only wait.
  const shares = dealt(files, threads + 1);
  const others = shares.slice(1).map(parseInThread);
  const own = parseHere(shares[0]!);
  return new Map([...own, ...(await Promise.all(others)).flat()]);
}

/** Dealt one by one, so that a folder of large files does not fall to one thread. */
function dealt(files: readonly ToParse[], shares: number): ToParse[][] {
  const dealt = Array.from({ length: shares }, (): ToParse[] => []);
  files.forEach((file, at) => {
    dealt[at % shares]!.push(file);
  });
  return dealt;
}

const parseHere = (files: readonly ToParse[]): [string, ParsedFile][] =>
  files.map(({ oid, file, text }) => [oid, parseYaml(text, file)]);

/** A thread that dies (out of memory, say) leaves its share to this one. */
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
  // One text instead of many objects: cloning structured values between threads costs more than JSON.
  port.once('message', (share: readonly ToParse[]) => port.postMessage(JSON.stringify(parseHere(share))));
}
