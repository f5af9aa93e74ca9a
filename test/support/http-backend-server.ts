import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';

/** Git's own smart HTTP server (`git http-backend`) behind node:http. */
export interface GitServer {
  /** URL of a bare repository by its path under the root. */
  url(repo: string): string;
  /** `METHOD path?query` of every request, refused ones too. */
  readonly requests: string[];
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the bare repositories of a folder; pushes need their `http.receivepack`. With a token every request must carry it
 * as password. An old server speaks protocol version 1 only.
 */
export async function startGitServer(
  root: string,
  token?: string,
  { old = false, port = 0 }: { readonly old?: boolean; readonly port?: number } = {},
): Promise<GitServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    if (old) delete request.headers['git-protocol'];
    requests.push(`${request.method} ${request.url}`);
    if (token !== undefined && passwordOf(request) !== token) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    serve(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const listening = (server.address() as AddressInfo).port;
  return {
    port: listening,
    url: (repo) => `http://127.0.0.1:${listening}/${repo}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Installs a hook that refuses a number of pushes with this message, and accepts later ones. */
export async function refusePushes(bare: string, times: number, words: string): Promise<void> {
  const hook = join(bare, 'hooks/pre-receive');
  await mkdir(dirname(hook), { recursive: true });
  await writeFile(join(bare, 'refusals'), 'x'.repeat(times));
  const script = [
    '#!/bin/sh',
    'left=$(cat "$GIT_DIR/refusals")',
    '[ -z "$left" ] && exit 0',
    'printf %s "${left#x}" > "$GIT_DIR/refusals"',
    `echo "${words}" >&2`,
    'exit 1',
  ];
  await writeFile(hook, `${script.join('\n')}\n`, { mode: 0o755 });
}

function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path, query = ''] = request.url!.split('?') as [string, string | undefined];
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      PATH_INFO: decodeURIComponent(path),
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'test',
      REMOTE_ADDR: '127.0.0.1',
    },
  });
  child.stdin.on('error', () => {});
  const unzipped = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  unzipped.pipe(child.stdin);
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.on('close', () => {
    const whole = Buffer.concat(out);
    const end = whole.indexOf('\r\n\r\n');
    let status = 200;
    for (const line of whole.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(/: ?(.*)/s) as [string, string];
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.writeHead(status).end(whole.subarray(end + 4));
  });
}

function passwordOf(request: IncomingMessage): string | undefined {
  const encoded = /^Basic (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().split(':').slice(1).join(':');
}
