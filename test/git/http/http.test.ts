import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { credentialsFromEnv } from '../../../src/git/http/credentials.ts';
import { gitHttp } from '../../../src/git/http/http.ts';
import { openSource } from '../../../src/git/source.ts';
import { folder, removeFolders } from '../../support/folders.ts';
import { bare, gitThere, nobody } from '../../support/git-repository.ts';
import { startGitServer } from '../../support/http-backend-server.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const action of undo.splice(0).reverse()) await action();
});
afterAll(removeFolders);

interface Listening {
  readonly url: string;
  readonly connections: () => number;
}

async function listen(answer: RequestListener): Promise<Listening> {
  const server = createServer(answer);
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections };
}

function client(limits: Parameters<typeof gitHttp>[1] = {}, credentials = nobody) {
  const http = gitHttp(credentials, limits);
  undo.push(() => http.close());
  return http;
}

async function body(answer: { body?: AsyncIterable<Uint8Array> }): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

it('connections are kept: a hundred requests need no third', async () => {
  const server = await listen((_request, response) => response.end('ok'));
  const http = client();
  for (let at = 0; at < 100; at++) await body(await http.request({ url: `${server.url}/x`, method: 'GET' }));
  // The body may end a tick before its connection is free again.
  expect(server.connections()).toBeLessThanOrEqual(2);
});

it('a server that accepts and does not respond is given up', async () => {
  const server = await listen(() => {});
  await expect(client({ silenceMs: 100 }).request({ url: server.url, method: 'GET' })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

it('a server that stops in the middle of its response is given up', async () => {
  const server = await listen((_request, response) => response.write('half'));
  const answer = await client({ silenceMs: 100 }).request({ url: server.url, method: 'GET' });
  await expect(body(answer)).rejects.toMatchObject({ code: 'unreachable' });
});

it('a response that breaks off is an error, not a short response', async () => {
  const server = await listen((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setImmediate(() => response.destroy());
  });
  await expect((async () => body(await client().request({ url: server.url, method: 'GET' })))()).rejects.toMatchObject({
    code: 'unreachable',
  });
});

it.each([
  ['git-upload-pack', 2],
  ['git-receive-pack', 1],
])('a connection that the server ends instead of answering: %s is asked %i times', async (service, times) => {
  let asked = 0;
  const server = await listen((request, response) => {
    if (++asked % 2 === 1) request.socket.destroy();
    else response.end('ok');
  });
  const url = `${server.url}/fleet.git/${service}`;
  const sent = (async function* () {
    yield Buffer.from('0000');
  })();
  const answer = client().request({ url, method: 'POST', body: sent });
  if (times === 1) await expect(answer).rejects.toMatchObject({ code: 'unreachable' });
  else expect(await body(await answer)).toBe('ok');
  expect(asked).toBe(times);
});

it('a server that ends every connection is given up', async () => {
  let asked = 0;
  const server = await listen((request) => {
    asked++;
    request.socket.destroy();
  });
  await expect(client().request({ url: server.url, method: 'GET' })).rejects.toMatchObject({ code: 'unreachable' });
  expect(asked).toBe(2);
});

it('a response beyond the limit is aborted', async () => {
  const server = await listen((_request, response) => response.end(Buffer.alloc(2_000)));
  const answer = await client({ largestAnswer: 1_000 }).request({ url: server.url, method: 'GET' });
  await expect(body(answer)).rejects.toMatchObject({ code: 'too-large' });
});

it('closing ends a request that hangs', async () => {
  const server = await listen(() => {});
  const http = gitHttp(nobody);
  const asked = http.request({ url: server.url, method: 'GET' });
  await http.close();
  await expect(asked).rejects.toMatchObject({ code: 'unreachable' });
});

it('a redirect to another host is not followed, and the token is not shown to it', async () => {
  const seen: (string | undefined)[] = [];
  const other = await listen((request, response) => {
    seen.push(request.headers.authorization);
    response.end('secrets of another host');
  });
  const server = await listen((_request, response) =>
    response.writeHead(302, { location: `${other.url}/repo/info/refs` }).end(),
  );
  const http = client({}, async () => ({ username: 'x', password: 'secret' }));
  await expect(http.request({ url: `${server.url}/repo/info/refs`, method: 'GET' })).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(seen).toEqual([]);
});

it('a repository that moved on its own host is followed there', async () => {
  const server = await listen((request, response) => {
    if (request.url!.startsWith('/old'))
      response.writeHead(301, { location: request.url!.replace('/old', '/new') }).end();
    else response.end(request.url);
  });
  const http = client();
  const first = await http.request({ url: `${server.url}/old/info/refs?service=git-upload-pack`, method: 'GET' });
  expect(await body(first)).toBe('/new/info/refs?service=git-upload-pack');
  expect(await body(await http.request({ url: `${server.url}/old/git-upload-pack`, method: 'POST' }))).toBe(
    '/new/git-upload-pack',
  );
});

it('a redirect loop ends', async () => {
  const server = await listen((request, response) => response.writeHead(302, { location: request.url }).end());
  await expect(client().request({ url: `${server.url}/info/refs`, method: 'GET' })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

it('a response of 500 is retried, a 401 is not', async () => {
  const server = await listen((request, response) => response.writeHead(Number(request.url!.slice(1))).end());
  const code = (status: number) => client().request({ url: `${server.url}/${status}`, method: 'GET' });
  await expect(code(500)).rejects.toMatchObject({ code: 'unreachable' });
  await expect(code(429)).rejects.toMatchObject({ code: 'unreachable' });
  await expect(code(401)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(code(404)).rejects.toMatchObject({ code: 'not-found' });
});

describe('credentials', () => {
  it.each([
    [{}, undefined],
    [{ GITFLEET_GIT_TOKEN: ' t \n' }, { username: 'x-access-token', password: 't' }],
    [
      { GITFLEET_GIT_TOKEN: 't', GITFLEET_GIT_USERNAME: 'bot' },
      { username: 'bot', password: 't' },
    ],
    [
      { GITFLEET_GIT_USERNAME: 'ann', GITFLEET_GIT_PASSWORD: 'p' },
      { username: 'ann', password: 'p' },
    ],
    [{ GITFLEET_GIT_PASSWORD: 'p' }, undefined],
    [{ GITFLEET_GIT_USERNAME: 'ann' }, undefined],
  ])('of %j are %j', async (env, expected) => {
    expect(await credentialsFromEnv(env)()).toEqual(expected);
  });

  it('in a file are read each time, so that a rotated token takes effect', async () => {
    const file = join(folder(), 'token');
    const credentials = credentialsFromEnv({ GITFLEET_GIT_TOKEN_FILE: file });
    await expect(credentials()).rejects.toMatchObject({
      code: 'unauthorized',
      message: `GITFLEET_GIT_TOKEN_FILE names ${file}, which is not there: put the secret into that file, name another one, or unset GITFLEET_GIT_TOKEN_FILE`,
    });
    writeFileSync(file, 'one\n');
    expect((await credentials())?.password).toBe('one');
    writeFileSync(file, 'two\n');
    expect((await credentials())?.password).toBe('two');
  });

  it.skipIf(!gitThere)('that are rotated let the next poll succeed', async () => {
    const repo = bare();
    const server = await startGitServer(dirname(repo), 'new');
    undo.push(() => server.close());
    const file = join(folder(), 'token');
    writeFileSync(file, 'old');
    const source = await openSource({
      repo: server.url(basename(repo)),
      branch: 'main',
      cacheDir: folder(),
      credentials: credentialsFromEnv({ GITFLEET_GIT_TOKEN_FILE: file }),
    });
    undo.push(() => source.close());
    await expect(source.poll()).rejects.toMatchObject({ code: 'unauthorized' });
    writeFileSync(file, 'new');
    expect(await source.poll()).toMatch(/^[0-9a-f]{40}$/);
  });
});

it('a server without TLS, or none at all, is reported once and with what to do', async () => {
  const { url } = await listen((_, response) => response.end('ok'));
  const ask = (from: string) => client().request({ url: `${from}/info/refs`, method: 'GET' });
  const tls = url.replace('http:', 'https:');
  await expect(ask(tls)).rejects.toThrow(
    `GET ${tls}/info/refs: what listens there does not speak TLS: write http://, or name the port of https`,
  );
  await expect(ask('http://127.0.0.1:1')).rejects.toThrow(
    'GET http://127.0.0.1:1/info/refs: connect ECONNREFUSED 127.0.0.1:1',
  );
});
