import { spawn } from 'node:child_process';
import { pipeline, Readable } from 'node:stream';
import { GitError } from '../git-error.ts';
import { safeOptions } from './safe-options.ts';

export interface GitRun {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A command that talks to a server may take this long, milliseconds: a first clone of a large repo over a slow line. */
const longestRunMs = 10 * 60_000;

export interface GitOptions {
  readonly gitdir?: string;
  readonly input?: Uint8Array | string | Readable;
  readonly timeoutMs?: number;
  /** Ends git at once. */
  readonly signal?: AbortSignal;
  /** Receives the output of git as it is written. */
  readonly onOutput?: (chunk: Buffer) => void;
  /** Variables on top of those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Runs the `git` binary with an argument array, never through a shell, and without anything that could prompt. */
export function git(args: readonly string[], options: GitOptions = {}): Promise<GitRun> {
  const whole = [...safeOptions, ...(options.gitdir === undefined ? [] : [`--git-dir=${options.gitdir}`]), ...args];
  return new Promise((resolve, reject) => {
    const child = spawn('git', whole, {
      env: { ...quietEnv(), ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? longestRunMs);
    options.signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk);
      options.onOutput?.(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // Git may end before it has read all of its input; its exit code decides.
    child.stdin.on('error', () => {});
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new GitError('no-git-binary', `the git binary cannot be run: ${error.message}`, error));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const stderr = Buffer.concat(err).toString('utf8').trim();
      resolve({
        code: code ?? 255,
        stdout: Buffer.concat(out),
        stderr: signal ? `${stderr} (ended by ${signal})` : stderr,
      });
    });
    if (options.input instanceof Readable) pipeline(options.input, child.stdin, () => {});
    else child.stdin.end(options.input ?? '');
  });
}

/** Like `git`, but anything except exit code 0 is an error. */
export async function gitOrThrow(args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const ran = await git(args, options);
  if (ran.code === 0) return ran.stdout;
  throw new GitError('failed', `git ${args[0]}: ${ran.stderr || `exit code ${ran.code}`}`);
}

let version: Promise<string | undefined> | undefined;

/** The output of `git --version`; undefined if this machine has no git. Read once. */
function gitVersion(): Promise<string | undefined> {
  version ??= git(['--version']).then(
    ({ code, stdout }) => (code === 0 ? stdout.toString('utf8') : undefined),
    () => undefined,
  );
  return version;
}

export const hasGit = async (): Promise<boolean> => (await gitVersion()) !== undefined;

/** Whether git is this version or a later one. */
export async function hasGitSince(major: number, minor: number): Promise<boolean> {
  const [, ours = 0, also = 0] = (/(\d+)\.(\d+)/.exec((await gitVersion()) ?? '') ?? []).map(Number);
  return ours > major || (ours === major && also >= minor);
}

/** GIT_DIR and related variables would direct our commands to another repository, e.g. when gitfleet is started by a hook. */
function quietEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GIT_') || /^GIT_(SSH|SSL|CONFIG_)/.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    // A partial clone would fetch missing objects with the program that its configuration names. Known since git 2.39.4 and 2.44.
    GIT_NO_LAZY_FETCH: '1',
    GIT_SSH_COMMAND: sshCommand(),
  };
}

/** Always set, since it overrides core.sshCommand, which a repository may configure; GIT_SSH does not. */
function sshCommand(): string {
  const { GIT_SSH_COMMAND, GIT_SSH } = process.env;
  if (GIT_SSH_COMMAND) return GIT_SSH_COMMAND;
  return GIT_SSH ? `'${GIT_SSH.replaceAll("'", String.raw`'\''`)}'` : 'ssh -oBatchMode=yes -oConnectTimeout=15';
}
