import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { sleep, systemClock } from '../../src/members/clock.ts';
import type { ContractServer } from './server.ts';

const startMs = 60_000;

/**
 * Starts `etcd` and `kube-apiserver` from a directory, as envtest of controller-runtime does: no controllers beside those
 * in the API server, no nodes. Rejects, with the end of the program's log, when one of them does not come up.
 */
export async function builtServer(assets: string): Promise<ContractServer> {
  for (const program of ['etcd', 'kube-apiserver'])
    await access(join(assets, program), constants.X_OK).catch(() => {
      throw new Error(`KUBEBUILDER_ASSETS is ${assets}, where there is no program ${program}`);
    });
  const directory = await mkdtemp(join(tmpdir(), 'gitfleet-contract-'));
  const at = (name: string): string => join(directory, name);
  const running: Program[] = [];
  // Nobody else ends them when the suite is cut off.
  const abandon = (): void => {
    for (const { child } of running) child.kill('SIGKILL');
  };
  process.once('exit', abandon);
  const close = async (): Promise<void> => {
    process.off('exit', abandon);
    for (const program of running.splice(0).reverse()) await end(program);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const [client = 0, peer = 0, secure = 0] = await freePorts(3);
    const token = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(at('service-accounts.pem'), privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    await writeFile(at('tokens.csv'), `${token},contract,contract,"system:masters"\n`, { mode: 0o600 });
    await writeFile(at('kubeconfig'), stringify(kubeconfig(`https://127.0.0.1:${secure}`, token)), { mode: 0o600 });

    const etcd = `http://127.0.0.1:${client}`;
    const peers = `http://127.0.0.1:${peer}`;
    running.push(
      start(join(assets, 'etcd'), directory, {
        name: 'contract',
        'data-dir': at('etcd'),
        'listen-client-urls': etcd,
        'advertise-client-urls': etcd,
        'listen-peer-urls': peers,
        'initial-advertise-peer-urls': peers,
        'initial-cluster': `contract=${peers}`,
        'unsafe-no-fsync': 'true',
      }),
    );
    running.push(
      start(join(assets, 'kube-apiserver'), directory, {
        'etcd-servers': etcd,
        // Lists that continue from an expired version are part of the suite.
        'etcd-compaction-interval': '2s',
        'cert-dir': at('certificates'),
        'bind-address': '127.0.0.1',
        // Of documentation: it is only written down. One of loopback is refused from 1.36 on, and without any the machine needs a route.
        'advertise-address': '192.0.2.1',
        'secure-port': String(secure),
        'service-cluster-ip-range': '10.0.0.0/24',
        'service-account-issuer': `https://127.0.0.1:${secure}/`,
        'service-account-key-file': at('service-accounts.pem'),
        'service-account-signing-key-file': at('service-accounts.pem'),
        'token-auth-file': at('tokens.csv'),
        'authorization-mode': 'RBAC',
        // Nobody makes the service accounts that it asks for.
        'disable-admission-plugins': 'ServiceAccount',
        'allow-privileged': 'true',
      }),
    );
    await ready(at('kubeconfig'), running);
    const kubeconfigFile = at('kubeconfig');
    return {
      kubeconfig: kubeconfigFile,
      context: 'contract',
      clock: systemClock,
      forget: () => {},
      forgetsWithinMs: 10_000,
      controllers: false,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Program {
  readonly name: string;
  readonly child: ChildProcess;
  /** What it wrote. */
  readonly log: string;
  /** Resolves when it has ended and everything it wrote is in its log. */
  readonly ended: Promise<unknown>;
}

function start(path: string, directory: string, options: Readonly<Record<string, string>>): Program {
  const name = basename(path);
  const log = join(directory, `${name}.log`);
  const child = spawn(
    path,
    Object.entries(options).map(([option, value]) => `--${option}=${value}`),
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const out = createWriteStream(log);
  child.stdout?.pipe(out, { end: false });
  child.stderr?.pipe(out, { end: false });
  child.on('error', (error) => out.write(`${error.message}\n`));
  child.on('close', () => out.end());
  return { name, child, log, ended: once(out, 'close') };
}

async function end({ child, ended }: Program): Promise<void> {
  if (!hasEnded(child)) child.kill('SIGTERM');
  const stubborn = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(stubborn);
}

const hasEnded = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** Rejects when a program ends, or when the server, the last one, is not ready in time. */
async function ready(kubeconfigFile: string, programs: readonly Program[]): Promise<void> {
  const transport = await (await connectionsOf(kubeconfigFile)).open('contract');
  const limit = Date.now() + startMs;
  for (let last = 'no answer'; ; await sleep(systemClock, 200)) {
    for (const { name, child, log, ended } of programs) {
      if (!hasEnded(child)) continue;
      await ended;
      throw new Error(`${name} ended by itself with ${child.exitCode ?? child.signalCode}:\n${await lastLines(log)}`);
    }
    try {
      const signal = AbortSignal.timeout(5_000);
      const response = await transport!({ method: 'GET', path: '/readyz', headers: {}, signal });
      for await (const chunk of response.body) last = `${response.status} ${Buffer.from(chunk).toString('utf8')}`;
      if (response.status === 200) return;
    } catch (error) {
      last = String(error);
    }
    if (Date.now() <= limit) continue;
    const { name, log } = programs.at(-1)!;
    throw new Error(`${name} is not ready after ${startMs / 1000} s: ${last}\n${await lastLines(log)}`);
  }
}

const lastLines = async (file: string): Promise<string> =>
  (await readFile(file, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-20).join('\n');

const kubeconfig = (server: string, token: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'contract', cluster: { server, 'insecure-skip-tls-verify': true } }],
  users: [{ name: 'contract', user: { token } }],
  contexts: [{ name: 'contract', context: { cluster: 'contract', user: 'contract' } }],
  'current-context': 'contract',
});

/** Ports that nobody listens on now; all are held until the last is known. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
