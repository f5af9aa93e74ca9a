import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { bytes, endless, filled, mib, ours, piece, silence, version } from './hostile-answers.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

describe('the memory of a daemon', () => {
  it.each([
    { members: ['line'] },
    { members: ['pages'] },
    { members: ['large'] },
    { members: ['values'] },
    { members: ['kept'] },
    { members: ['line', 'pages', 'large', 'values', 'kept'] },
    // On a busy machine garbage is collected late: a leak would be there in every try.
  ])('stays below twice its value at rest under hostile members: $members', { retry: 2 }, async ({ members }) => {
    const server = createServer((request, response) => {
      const reply = hostileReply(`${request.method} ${request.url}`);
      response.on('error', () => {});
      if (typeof reply === 'string') response.end(reply);
      else
        Readable.from(reply)
          .on('error', () => {})
          .pipe(response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => server.close(() => {}).closeAllConnections());
    const child = spawn(
      process.execPath,
      [resolve(import.meta.dirname, 'hostile-fleet.ts'), `${(server.address() as AddressInfo).port}`, ...members],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    open.push(() => child.kill());
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const { rest, most, causes } = JSON.parse((await lines.next()).value as string);
    const [now, before] = [most, rest].map((value) => `${(value / mib).toFixed(0)} MiB`);
    console.log(`memory under hostile members (${members.join()}): ${now} at most, ${before} at rest`);
    expect(causes).toEqual(Object.fromEntries(members.map((name) => [name, expect.stringMatching(causeOf[name]!)])));
    expect(most).toBeLessThan(2 * rest);
  });

  const causeOf: Readonly<Record<string, RegExp>> = {
    line: /^watch \/api\/v1\/configmaps on line: a response of more than 8 MiB/,
    pages: /^list \/api\/v1\/pods on pages: a list of more than 500000 objects/,
    large: /on large: (a response of more than 8 MiB|responses of 32 MiB are in flight)/,
    values: /^list \/api\/v1\/nodes on values: a response of more values than fit into 64 MiB/,
    kept: /^keep objects of kept: they take 32 MiB more than the objects of the fleet repo/,
  };
  const pods = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, at) => ({ metadata: { name: `p-${at}` } }))));
  const values = Buffer.from(`{"metadata":{},"items":[{}${',{}'.repeat(2.5 * mib)}]}`);
  let tokens = 0;

  /** What each hostile member answers; its name is the first folder of the path. */
  function hostileReply(line: string): string | AsyncGenerator<Uint8Array> {
    const [, method, name, path = ''] = /^(\w+) \/(\w+)(\S*)$/.exec(line) ?? [];
    if (path === '/api/v1')
      return JSON.stringify({
        resources: [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['list', 'watch'] }],
      });
    const isWatched = path.includes('watch=true');
    if (name === 'line' && isWatched) return endless(() => piece);
    if (name === 'kept' && isWatched)
      return endless(
        () => `${JSON.stringify({ type: 'ADDED', object: ours({ data: { filled: `${version}${filled}` } }) })}\n`,
      );
    if (isWatched) return silence();
    if (name === 'large' && (method === 'PATCH' || path.includes('/configmaps/'))) return endless(() => piece);
    if (name === 'values' && path.startsWith('/api/v1/nodes')) return bytes(values);
    if (name === 'pages' && path.startsWith('/api/v1/pods'))
      return bytes(`{"metadata":{"continue":"${tokens++}"},"items":`, pods, '}');
    return JSON.stringify({
      groups: [],
      metadata: { name: 'x', uid: `uid of ${name}`, resourceVersion: '1' },
      items: [],
    });
  }
});
