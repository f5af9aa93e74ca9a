import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UnreachableError } from '../../../src/members/api-server/api-error.ts';
import { httpTransport } from '../../../src/members/api-server/http-transport.ts';
import type { Transport } from '../../../src/members/api-server/transport.ts';
import { loopbackCertificate } from './loopback-certificate.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A server that sends only headers of watches until it is released, and its connections so far. */
async function silentServer(protocol: 'http' | 'https') {
  const connections = new Set<Socket>();
  const waiting: { readonly url: string; readonly answer: () => void }[] = [];
  const answer = (request: { readonly url?: string }, response: ServerResponse): void => {
    if (request.url?.includes('watch=true')) response.flushHeaders();
    else waiting.push({ url: request.url ?? '', answer: () => response.end('{}') });
  };
  const server: Server =
    protocol === 'http'
      ? createServer(answer)
      : createSecureServer({ ...loopbackCertificate, allowHTTP1: true }, (request, response) =>
          answer(request as unknown as IncomingMessage, response as unknown as ServerResponse),
        );
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => {
    server.close();
    for (const socket of connections) socket.destroy();
  });
  return {
    transport: transportTo(`${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`),
    connections,
    waiting,
  };
}

function transportTo(url: string): Transport {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: 'eu-1', server: url, skipTLSVerify: true },
    { name: 'gitfleet', token: 'secret' },
  );
  return httpTransport(config, async () => config);
}

/** Three watches, then thirty requests at once; answers them as they come until every one is answered. */
async function ask({ transport, waiting }: Awaited<ReturnType<typeof silentServer>>): Promise<number> {
  const get = (path: string, urgent = false) => transport({ method: 'GET', path, headers: {}, urgent });
  for (const kind of ['configmaps', 'secrets', 'services']) await get(`/api/v1/${kind}?watch=true`, true);
  let most = 0;
  let answered = 0;
  const all = Array.from({ length: 30 }, async () => {
    for await (const _ of (await get('/version')).body);
    answered++;
  });
  while (answered < all.length) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    most = Math.max(most, waiting.length);
    for (const { answer } of waiting.splice(0)) answer();
  }
  await Promise.all(all);
  return most;
}

describe('a member takes', () => {
  it('one connection for all its watches and requests where it speaks HTTP/2 over TLS, as API servers do', async () => {
    const server = await silentServer('https');
    expect([await ask(server), server.connections.size]).toEqual([30, 1]);
  });

  it('at most eight connections besides its watches with plain HTTP', async () => {
    const server = await silentServer('http');
    const most = await ask(server);
    expect([most, server.connections.size]).toEqual([8, 3 + 8]);
  });

  it('a heartbeat past requests that hang', async () => {
    const { transport, waiting } = await silentServer('http');
    const hanging = new AbortController();
    const requests = Array.from({ length: 20 }, () =>
      transport({ method: 'GET', path: '/version', headers: {}, signal: hanging.signal }).catch(() => undefined),
    );
    const heartbeat = transport({ method: 'GET', path: '/readyz', headers: {}, urgent: true });
    while (waiting.length < 9) await new Promise((resolve) => setTimeout(resolve, 5));
    waiting.find(({ url }) => url === '/readyz')!.answer();
    expect((await heartbeat).status).toBe(200);
    hanging.abort();
    await Promise.all(requests);
  });
});

it('a server that closes the connection without a response is reported as that', async () => {
  const server = createServer((request) => request.socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(() => server.close());
  const send = transportTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const error = await send({ method: 'GET', path: '/version', headers: {} }).then(
    () => undefined,
    (cause: unknown) => new UnreachableError('read the version on eu-1', cause),
  );
  expect(error?.message).toBe(
    'read the version on eu-1: the server, or a proxy in between, closed the connection without a response',
  );
});

it('a kubeconfig that changed is read with the next heartbeat, and not at each request', async () => {
  const asked: string[] = [];
  const serverNamed = async (name: string): Promise<KubeConfig> => {
    const server = createServer((_, response) => {
      asked.push(name);
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push(() => server.close());
    const config = new KubeConfig();
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    config.loadFromClusterAndUser({ name: 'eu-1', server: address, skipTLSVerify: true }, { name: 'gitfleet' });
    return config;
  };
  vi.useFakeTimers({ toFake: ['Date'] });
  opened.push(() => vi.useRealTimers());
  const [before, after] = [await serverNamed('before'), await serverNamed('after')];
  let current = before;
  let reads = 0;
  const send = httpTransport(before, async () => {
    reads++;
    return current;
  });
  const heartbeat = async () => {
    for await (const _ of (await send({ method: 'GET', path: '/readyz', headers: {}, urgent: true })).body);
  };
  for (let at = 0; at < 3; at++) await heartbeat();
  expect(reads).toBe(0);
  current = after;
  // The shortest pause between two heartbeats.
  vi.advanceTimersByTime(57_000);
  await heartbeat();
  expect(asked).toEqual(['before', 'before', 'before', 'after']);
  expect(reads).toBe(1);
});
