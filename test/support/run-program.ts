import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { program } from '../../src/cli/program.ts';
import { exitCodeOf, saidAlready } from '../../src/cli/terminal/exit.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document from outside, read as a stranger reads it
export type Document = any;
export type Files = Readonly<Record<string, string>>;

const roots: string[] = [];

/** A fresh directory with these files; `cleanUp` removes it. */
export async function folder(files: Files = {}): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'gitfleet-acceptance-'));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** What stands in a directory: text by path. */
export async function filesOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [relative(root, file), await readFile(file, 'utf8')] as const)),
  );
}

export async function cleanUp(): Promise<void> {
  await Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true, force: true })));
}

export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One command of the program in this process: the parser, the command, the streams and the exit code of a shell. */
export async function gitfleet(...argv: readonly string[]): Promise<Answer> {
  const said = { out: '', err: '' };
  const kept = { out: process.stdout.write, err: process.stderr.write };
  const into = (stream: 'out' | 'err') =>
    ((chunk: string) => {
      said[stream] += chunk;
      return true;
    }) as typeof process.stdout.write;
  process.stdout.write = into('out');
  process.stderr.write = into('err');
  try {
    await program().parseAsync(['node', 'gitfleet', ...argv]);
    return { code: 0, ...said };
  } catch (error) {
    const code = exitCodeOf(error);
    if (code > 4) throw error;
    if (!saidAlready(error)) said.err += `gitfleet: ${(error as Error).message}\n`;
    return { code, ...said };
  } finally {
    process.stdout.write = kept.out;
    process.stderr.write = kept.err;
  }
}
