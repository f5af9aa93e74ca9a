import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scaledClock } from '../../src/simulator/clock.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { listen } from '../../src/simulator/listen.ts';
import { openMember, type SimulatedMember } from '../../src/simulator/member.ts';

/** The version of the kubectl on PATH, as `v1.32.4`; undefined where there is none. */
export const kubectlVersion: string | undefined = /Client Version: (v[\d.]+)/.exec(
  spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).stdout ?? '',
)?.[1];

/** For titles of tests that need it: the results must show that they did not run, and what to install. */
export const kubectlTitle =
  kubectlVersion === undefined
    ? 'kubectl: NOT RUN, there is no kubectl on PATH; get one from https://kubernetes.io/docs/tasks/tools'
    : `kubectl ${kubectlVersion}`;
if (kubectlVersion === undefined) process.stderr.write(`\n${kubectlTitle}\n`);

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** One simulated member behind a port, and a real kubectl that knows it. It lives fast: ten seconds in one. */
export async function openKubectl() {
  const member = await openMember(
    { name: 'one', readySeconds: { Deployment: 1, StatefulSet: 1, DaemonSet: 1, Pod: 1, Job: 1, Termination: 1 } },
    scaledClock(Date.now(), 10),
  );
  const awaited: { readonly pattern: RegExp; readonly seen: () => void }[] = [];
  const observed: SimulatedMember = {
    ...member,
    async request(request) {
      const answer = await member.request(request);
      for (const { pattern, seen } of awaited) if (pattern.test(`${request.path}?${request.query}`)) seen();
      return answer;
    },
  };
  const listening = await listen(new Map([['one', observed]]));
  const home = await mkdtemp(join(tmpdir(), 'gitfleet-kubectl-'));
  const kubeconfig = join(home, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(['one'], listening.urlOf));

  function start(args: readonly string[], how: { input?: string; env?: Record<string, string> } = {}) {
    const env = { ...process.env, HOME: home, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(home, 'cache'), ...how.env };
    let ended: (result: Result) => void = () => {};
    const result = new Promise<Result>((resolve) => {
      ended = resolve;
    });
    const child = execFile('kubectl', args, { env }, (error, out, err) =>
      ended({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    );
    child.stdin!.end(how.input ?? '');
    let text = '';
    let more = () => {};
    child.stdout!.on('data', (chunk: string) => {
      text += chunk;
      more();
    });
    /** The first lines, as soon as there are as many. */
    const lines = (count: number) =>
      new Promise<string[]>((resolve) => {
        more = () => {
          const all = text.split('\n').slice(0, -1);
          if (all.length >= count) resolve(all);
        };
        more();
      });
    return { result, lines, stop: () => child.kill('SIGINT') };
  }

  return {
    start,
    /** Resolves when a request of this path and query got its response (a watch: when it has started). */
    requested: (pattern: RegExp) => new Promise<void>((resolve) => awaited.push({ pattern, seen: resolve })),
    kubectl: (args: string, how?: Parameters<typeof start>[1]) => start(args.split(' '), how).result,
    async close() {
      await listening.close();
      member.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The manifest of a Deployment with one container, as JSON, which kubectl reads too. */
export const manifest = (namespace: string, { replicas = 2, image = 'app:1', more = {} } = {}): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80 }] }] },
      },
      ...more,
    },
  });
