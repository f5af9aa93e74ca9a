import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ParsedFile, parseYaml } from '../yaml/parse-yaml.ts';
import { type Position, positionsOf } from '../yaml/positions.ts';

export interface ToParse {
  readonly oid: string;
  readonly file: string;
  readonly text: string;
}

/** Part of a document. */
export interface Asked {
  /** First line of the document, from 1. */
  readonly line: number;
  readonly path: readonly (string | number)[];
}

/** What a thread does. */
type Task =
  | { readonly kind: 'parse'; readonly files: readonly ToParse[] }
  | { readonly kind: 'position'; readonly text: string; readonly asked: readonly Asked[] };

/**
 * Characters below which threads do not pay off: one thread parses half a megabyte in the second that three threads take to start on a
 * busy machine, and they leave the process 100 MB larger (measured with 1,000 small files).
 */
const worthThreads = 512 * 1024;
/**
 * Characters of a file that this thread does not parse. A file is parsed without a pause, 2.5 s for 250,000 values, and probes have to be
 * answered meanwhile.
 */
const mostHere = 128 * 1024;
/** With more than four the start of the threads costs more than they save (measured). */
const mostThreads = 4;
/** Distinguishes our threads from other threads that import this module. */
const purpose = 'gitfleet: parse';

/** Parses files, in worker threads when there are many or large ones. The threads run this module too. */
export async function parseAll(
  files: readonly ToParse[],
  threads = Math.min(mostThreads, availableParallelism() - 1),
): Promise<Map<string, ParsedFile>> {
  const [large = [], small = []] = [true, false].map((is) => files.filter(({ text }) => text.length > mostHere === is));
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  const workers = size >= worthThreads && threads >= 2 ? threads : Math.min(large.length, 1);
  if (workers === 0) return new Map(await parseHere(files));
  // This thread parses a share too.
  const [here = [], ...others] = dealt(small, workers + 1);
  dealt(large, workers).forEach((share, at) => {
    others[at]!.push(...share);
  });
  const elsewhere = others.filter((share) => share.length > 0).map((share) => parsedElsewhere(share));
  return new Map([...(await parseHere(here)), ...(await Promise.all(elsewhere)).flat()]);
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

/** Positions in a text, in the order asked. It is parsed again for that. */
export async function positionsIn(text: string, asked: readonly Asked[]): Promise<readonly Position[]> {
  const here = async () => positionsHere(text, asked);
  if (text.length <= mostHere) return here();
  return inThread({ kind: 'position', text, asked: asked.map(({ line, path }) => ({ line, path })) }, here);
}

function positionsHere(text: string, asked: readonly Asked[]): readonly Position[] {
  const positions = positionsOf(text);
  return asked.map(({ line, path }) => positions(line, path));
}

const parsedElsewhere = (files: readonly ToParse[]): Promise<[string, ParsedFile][]> =>
  inThread({ kind: 'parse', files }, () => parseHere(files));

/** If a thread dies, for example out of memory, this thread does its task. */
function inThread<T>(task: Task, here: () => Promise<T>): Promise<T> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: purpose });
    let done = false;
    worker.once('message', (text: string) => {
      done = true;
      resolve(JSON.parse(text) as T);
      void worker.terminate();
    });
    const takeBack = (): void => {
      if (done) return;
      done = true;
      resolve(here());
    };
    worker.once('error', takeBack);
    worker.once('exit', takeBack);
    worker.postMessage(task);
  });
}

if (!isMainThread && parentPort && workerData === purpose) {
  const port = parentPort;
  // One text instead of many objects: structured clones cost more than JSON.
  port.once('message', async (task: Task) => {
    const done = task.kind === 'parse' ? await parseHere(task.files) : positionsHere(task.text, task.asked);
    port.postMessage(JSON.stringify(done));
  });
}
