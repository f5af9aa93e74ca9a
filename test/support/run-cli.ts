import { vi } from 'vitest';
import { commandLine } from '../../src/cli/command-line.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, as in a pipe: no colours, no terminal. */
export async function cli(...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const into = (texts: string[]) => (chunk: unknown) => {
    texts.push(String(chunk));
    return true;
  };
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(into(out));
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(into(err));
  try {
    const code = await commandLine(args);
    return { code, out: out.join(''), err: err.join('') };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}
