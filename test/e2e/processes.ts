import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { folder } from '../support/folders.ts';
import { commit, sh } from '../support/git-repository.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const running: Gitfleet[] = [];

/** A gitfleet of its own, as a user starts it. */
export class Gitfleet {
  readonly child: ChildProcess;
  output = '';

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString('utf8');
      });
    running.push(this);
  }

  /** Ends it and resolves when it is gone. */
  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('close', resolve));
    this.child.kill(signal);
    await gone;
  }
}

export async function endAll(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.end('SIGKILL')));
}

/** Simulated clusters in a process of their own, which outlive every daemon; the path of their kubeconfig. */
export async function startClusters(...names: string[]): Promise<string> {
  const dir = folder();
  const [fleet, kubeconfig] = [join(dir, 'fleet.yaml'), join(dir, 'kubeconfig')];
  const members = names.map((name) => `{name: ${name}, readySeconds: {Deployment: 1, Pod: 1}}`).join(', ');
  writeFileSync(
    fleet,
    `apiVersion: gitfleet.dev/v1alpha1\nkind: SimulatedFleet\nmetadata: {name: test}\nspec: {members: [${members}]}\n`,
  );
  const clusters = new Gitfleet(['simulate', '--simulated-fleet', fleet, '--kubeconfig', kubeconfig, '--speed', '5']);
  await until(`simulated clusters: ${clusters.output}`, () => existsSync(kubeconfig));
  return kubeconfig;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks every 50 ms, for two minutes of real time: other work on the machine must not decide a test. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const limit = performance.now() + 120_000; performance.now() < limit; await wait(50)) if (await holds()) return;
  expect.fail(`not within two minutes: ${what}`);
}

/** A file on the status branch of a bare repository; empty while there is none. */
export function recorded(repo: string, path: string): string {
  try {
    return sh(repo, 'show', `fleet-status:${path}`);
  } catch {
    return '';
  }
}

export interface FleetRepo {
  /** A person's clone. */
  readonly person: string;
  /** The bare repository that the fleet follows. */
  readonly bare: string;
}

export function fleetRepo(files: Readonly<Record<string, string>>): FleetRepo {
  const [person, root] = [folder(), folder()];
  sh(person, 'init', '-q');
  commit(person, files, 'Begin');
  const bare = join(root, 'fleet.git');
  sh(root, 'clone', '-q', '--bare', person, bare);
  sh(bare, 'config', 'http.receivepack', 'true');
  return { person, bare };
}

/** A person commits files, or what they have merged, to main. */
export function push({ person, bare }: FleetRepo, files: Readonly<Record<string, string>> = {}): void {
  if (Object.keys(files).length > 0) commit(person, files);
  // Fetched, not pushed: the hooks of the tests are about what daemons push.
  sh(bare, 'fetch', '-q', person, 'main:main');
}

export const startDaemon = (
  repo: string,
  kubeconfig: string,
  env: Readonly<Record<string, string>> = {},
  more: readonly string[] = [],
): Gitfleet =>
  new Gitfleet(
    [
      ...['run', '--repo', repo, '--members', kubeconfig, '--cache-dir', folder(), '--interval', '1s'],
      ...['--publish-interval', '0s', '--listen', 'off', '--log-level', 'trace', '--log-format', 'json'],
      ...more,
    ],
    env,
  );
