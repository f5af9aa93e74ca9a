import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type ParsedFile, parseYaml } from './parse-yaml.ts';

export interface ToParse {
  readonly oid: string;
  readonly file: string;
  readonly text: string;
}

/** Below this many files starting threads costs more than it saves. */
const worthThreads = 200;
/** Beyond four the start of the threads eats what they save (measured). */
const mostThreads = 4;

/** Parses files, in worker threads when there are many. */
export async function parseAll(files: readonly ToParse[]): Promise<Map<string, ParsedFile>> {
  if (files.length < worthThreads) return new Map(files.map(({ oid, file, text }) => [oid, parseYaml(text, file)]));
  const threads = Math.max(Math.min(mostThreads, availableParallelism()), 1);
  const size = Math.ceil(files.length / threads);
  const shares = Array.from({ length: threads }, (_, at) => files.slice(at * size, (at + 1) * size)).filter(
    (share) => share.length > 0,
  );
  const parsed = await Promise.all(shares.map(parseInThread));
  return new Map(parsed.flat());
}

function parseInThread(share: readonly ToParse[]): Promise<[string, ParsedFile][]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: 'parse' });
    worker.once('message', (text: string) => {
      resolve(JSON.parse(text) as [string, ParsedFile][]);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.postMessage(share);
  });
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  // One text instead of many objects: cloning structured values between threads costs more than JSON.
  port.once('message', (share: readonly ToParse[]) =>
    port.postMessage(JSON.stringify(share.map(({ oid, file, text }) => [oid, parseYaml(text, file)]))),
  );
}
