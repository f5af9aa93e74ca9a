import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type DaemonHttp, httpLimits, serveHttp } from '../../src/daemon/http.ts';
import { metrics } from '../../src/daemon/report/metrics.ts';

const secret = 'a long secret';
const http = resolve(import.meta.dirname, '../../src/daemon');
const mib = 1024 * 1024;

let server: DaemonHttp | undefined;
let child: ChildProcess | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
  server = undefined;
  child?.kill();
  child = undefined;
});

async function serve(limits: Partial<typeof httpLimits> = {}): Promise<number> {
  server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    health: { stuck: () => undefined, notReady: () => undefined },
    metrics: metrics(),
    webhookSecret: secret,
    hinted: () => {},
    limits: { ...httpLimits, ...limits },
  });
  return server.port;
}

function send(port: number, bytes: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  sockets.push(socket);
  return socket;
}

const post = (...headers: readonly string[]): string =>
  ['POST /hooks/git HTTP/1.1', 'Host: localhost', ...headers, '', ''].join('\r\n');
const signature = (body: string): string =>
  `X-Hub-Signature-256: sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** A new connection each time, as the probes of Kubernetes do. */
async function health(port: number): Promise<number> {
  const answer = await text(send(port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'));
  return Number(answer.split(' ')[1]);
}

describe('a request is answered and its connection closed, without waiting for the body,', () => {
  it.each([
    ['that has no signature', 401, post('Content-Length: 2000000')],
    ['that has no signature and would never end', 401, post('Transfer-Encoding: chunked')],
    ['that has no signature and expects 100-continue', 401, post('Content-Length: 9', 'Expect: 100-continue')],
    ['whose token is wrong', 401, post('Content-Length: 2000000', 'X-Gitlab-Token: guess')],
    ['that announces too much', 413, post('Content-Length: 2097153', signature(''))],
    ['that has a body on another path', 200, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n'],
  ])('%s', async (_what, status, head) => {
    const answer = await text(send(await serve(), head));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  it('whose chunks grow past the limit', async () => {
    const chunk = `${(mib).toString(16)}\r\n${'x'.repeat(mib)}\r\n`;
    const socket = send(
      await serve(),
      `${post('Transfer-Encoding: chunked', signature(''))}${chunk}${chunk}1\r\nx\r\n`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 413 /);
  });
});

describe('a connection is closed', () => {
  const short = { headersMs: 100, requestMs: 200, idleMs: 60_000, keepAliveMs: 100, checkEveryMs: 20 };
  it.each([
    ['that sends nothing', '', short],
    ['whose headers do not end', 'GET /healthz HTTP/1.1\r\nHost:', short],
    ['whose signed body does not end', post('Content-Length: 9', signature('')), short],
    ['that has no byte in either direction', post('Content-Length: 9', signature('')), { idleMs: 100 }],
    ['that is kept alive for nothing', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n', short],
  ])('%s', async (_what, bytes, limits) => {
    const port = await serve(limits);
    await text(send(port, bytes)).catch(() => '');
    expect(await health(port)).toBe(200);
  });

  it('that is the oldest, when there are too many; probes are answered', async () => {
    const port = await serve({ connections: 4 });
    const first = send(port, post('Content-Length: 9', signature('')));
    const closed = once(first, 'close');
    for (let at = 0; at < 20; at++) {
      send(port, post('Content-Length: 9', signature('')));
      expect(await health(port)).toBe(200);
    }
    await closed;
  });
});

it('a delivery sent again with another id is refused', async () => {
  const port = await serve();
  const deliver = async (id: string, body: string) => {
    const [name, value] = signature(body).split(': ') as [string, string];
    const headers = { [name]: value, 'x-github-delivery': id };
    return (await fetch(`http://127.0.0.1:${port}/hooks/git`, { method: 'POST', body, headers })).status;
  };
  expect([await deliver('one', '{}'), await deliver('two', '{}'), await deliver('one', '[]')]).toEqual([202, 409, 409]);
  expect(await deliver('three', '[]')).toBe(202);
});

describe('2,000 connections of 2 MB each keep the memory of the daemon under 50 MB of growth', () => {
  it.each([
    ['without a signature', post('Content-Length: 2000000')],
    ['with a signature that is wrong', post('Content-Length: 2000000', signature(''))],
  ])('%s', async (what, head) => {
    const { port, growth } = await serveApart();
    // All but the last byte: none of them is complete.
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(1_999_999, 'x')]);
    for (let at = 0; at < 2_000; at += 100) {
      for (let more = 0; more < 100; more++) send(port, bytes);
      await pause(10);
      expect(await health(port)).toBe(200);
    }
    const grown = await growth();
    console.log(`2,000 connections of 2 MB ${what}: ${(grown / mib).toFixed(1)} MiB more`);
    expect(grown).toBeLessThan(50e6);
  });
});

/** The port in a process of its own, and how far its memory has grown at most. */
async function serveApart(): Promise<{ readonly port: number; readonly growth: () => Promise<number> }> {
  const script = `
    import { serveHttp } from '${http}/http.ts';
    import { metrics } from '${http}/report/metrics.ts';
    const health = { stuck: () => undefined, notReady: () => undefined };
    const hinted = () => {};
    const { port } = await serveHttp({
      host: '127.0.0.1', port: 0, health, metrics: metrics(), webhookSecret: '${secret}', hinted });
    await fetch('http://127.0.0.1:' + port + '/healthz');
    const rest = process.memoryUsage.rss();
    let most = rest;
    setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 5);
    process.stdin.on('data', () => console.log(most - rest));
    console.log(port);`;
  const started = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child = started;
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<number> => Number((await lines.next()).value);
  return {
    port: await next(),
    growth: () => {
      started.stdin.write('\n');
      return next();
    },
  };
}
