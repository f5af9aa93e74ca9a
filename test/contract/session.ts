import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import type { MemberClient } from '../../src/members/api-server/client.ts';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import type { Transport } from '../../src/members/api-server/transport.ts';
import { clientOf } from '../support/member-client.ts';
import type { ContractServer } from './server.ts';

/** What the server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are what is being found out about
  readonly body: any;
}

export interface Sent {
  readonly body?: object;
  readonly type?: string;
  /** JSON when absent. */
  readonly accept?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** One test's own corner of a server: names that nobody else has, removed again at the end. */
export interface Session {
  readonly server: ContractServer;
  readonly transport: Transport;
  /** Our own client over the same connection. */
  readonly client: MemberClient;
  /** Made anew for the test. */
  readonly namespace: string;
  /** Part of names of cluster-scoped objects. */
  readonly id: string;
  send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, sent?: Sent): Promise<Answer>;
  /** Server-side apply. */
  apply(object: Manifest, manager: string, query?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Another namespace; removed at the end. */
  makeNamespace(): Promise<string>;
  /** Called at the end, last first; whatever it answers, the others are called too. */
  undo(step: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export const configMaps = (namespace: string, name = ''): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;
export const deployments = (namespace: string, name = ''): string =>
  `/apis/apps/v1/namespaces/${namespace}/deployments${name && `/${name}`}`;

/** A real server does some things in its own time. */
export const patienceMs = 20_000;

/** Asks until the answer is as expected. */
export const eventually = <T>(expectation: () => Promise<T>): Promise<T> =>
  vi.waitFor(expectation, { timeout: patienceMs, interval: 50 });

export async function openSession(server: ContractServer): Promise<Session> {
  const transport = await (await connectionsOf(server.kubeconfig)).open(server.context);
  if (!transport) throw new Error(`${server.kubeconfig} has no context ${server.context}`);
  const life = new AbortController();
  const client = clientOf({ name: 'contract', transport, clock: server.clock, life: life.signal });
  const steps: (() => Promise<unknown>)[] = [];
  const id = randomBytes(4).toString('hex');
  let namespaces = 0;

  async function send(...[method, path, sent = {}]: Parameters<Session['send']>): Promise<Answer> {
    const query = new URLSearchParams(sent.query);
    const response = await transport!({
      method,
      path: query.size > 0 ? `${path}?${query}` : path,
      headers: { accept: sent.accept ?? 'application/json', 'content-type': sent.type ?? 'application/json' },
      ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return { status: response.status, headers: response.headers, body: parsed(Buffer.concat(chunks).toString('utf8')) };
  }

  async function makeNamespace(): Promise<string> {
    const name = `gitfleet-contract-${id}-${namespaces++}`;
    const made = await send('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    steps.push(() => send('DELETE', `/api/v1/namespaces/${name}`));
    return name;
  }

  return {
    server,
    transport,
    client,
    id,
    send,
    namespace: await makeNamespace(),
    makeNamespace,
    apply: (object, manager, query = {}) =>
      send('PATCH', pathOf(object), {
        body: object,
        type: 'application/apply-patch+yaml',
        query: { fieldManager: manager, ...query },
      }),
    undo: (step) => steps.push(step),
    async close() {
      const failed: unknown[] = [];
      for (const step of steps.reverse()) await step().catch((error: unknown) => failed.push(error));
      life.abort();
      if (failed.length > 0) throw new AggregateError(failed, 'something of the suite was left on the server');
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pathOf({ kind, metadata }: Manifest): string {
  const { name, namespace = '' } = metadata;
  if (kind === 'ConfigMap') return configMaps(namespace, name);
  if (kind === 'Deployment') return deployments(namespace, name);
  if (kind === 'Job') return `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
  if (kind === 'Secret') return `/api/v1/namespaces/${namespace}/secrets/${name}`;
  if (kind === 'Service') return `/api/v1/namespaces/${namespace}/services/${name}`;
  throw new Error(`the suite applies no ${kind}`);
}
