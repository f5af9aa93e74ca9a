import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NoAnswer } from './faults.ts';
import type { SimulatedMember } from './member.ts';
import { isStream } from './serve/http.ts';

export interface Listening {
  /** Of one member, for a kubeconfig: `http://127.0.0.1:34567/members/dev-1`. */
  urlOf(member: string): string;
  close(): Promise<void>;
}

/**
 * Serves all members over HTTP on one port of the loopback interface, each below its own path. There is no authentication, so
 * requests with another host name or with an origin are refused: only programs of this machine may connect, and no pages in a
 * browser. Rejects when the port is taken.
 */
export async function listen(members: ReadonlyMap<string, SimulatedMember>, port = 0): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(members, request, response).catch(() => response.destroy());
  });
  // Watches are long, and kubectl keeps connections open.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    urlOf: (member) => `http://127.0.0.1:${taken}/members/${member}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Kubernetes accepts bodies of up to 3 MiB. */
const mostBytes = 3 * 1024 * 1024;

async function answer(
  members: ReadonlyMap<string, SimulatedMember>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const [, name = '', path = '/'] = /^\/members\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? [];
  const member = members.get(name);
  if (!isLocal(request)) return end(response, 403, 'simulated members respond to programs on this machine only\n');
  if (!member) return end(response, 404, `there is no simulated member here: ${[...members.keys()].join(', ')}\n`);
  const body = await bodyOf(request);
  if (body === undefined) return end(response, 413, 'the body is larger than 3 MiB\n');
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const headers: Record<string, string> = {};
    for (const [key, value] of Object.entries(request.headers))
      headers[key] = Array.isArray(value) ? value.join(', ') : (value ?? '');
    const answered = await member.request({
      method: request.method ?? 'GET',
      path,
      query: url.searchParams,
      headers,
      body,
      signal: gone.signal,
    });
    // In real time: the clock of a demo runs faster, and its clusters are not ahead of gitfleet.
    const date = new Date(Date.now() + member.skewMs).toUTCString();
    response.writeHead(answered.status, { ...answered.headers, date });
    if (!isStream(answered.body)) {
      response.end(answered.body);
      return;
    }
    response.flushHeaders();
    for await (const chunk of answered.body) {
      if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal }).catch(() => undefined);
    }
    response.end();
  } catch (error) {
    if (!(error instanceof NoAnswer) && !gone.signal.aborted) {
      response.statusCode = 500;
      response.end(
        `the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
      return;
    }
    request.socket.destroy();
  }
}

function isLocal({ headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d+$/, '');
  return headers.origin === undefined && (host === '127.0.0.1' || host === 'localhost');
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}
