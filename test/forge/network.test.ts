import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTLSServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopbackCertificate } from '../members/api-server/loopback-certificate.ts';
import { folder, removeFolders } from '../support/folders.ts';
import { MemoryRepo } from '../support/memory-repo.ts';
import { memoryHost } from './git-host.ts';
import { TestForge } from './test-forge.ts';

const opened: (() => void)[] = [];
/** `CONNECT host:port` and the credentials of every tunnel that was asked for. */
const tunnels: (readonly [string, string | undefined])[] = [];
let forge: TestForge;
let url: string;
let proxy: string;
let authority: string;

beforeAll(async () => {
  forge = new TestForge('github', memoryHost(new MemoryRepo(Date.now)), Date.now);
  const plain = await forge.listen();
  const inside = Number(new URL(plain.url).port);
  const secure = createTLSServer(loopbackCertificate, (socket) => {
    const to = connect(inside, '127.0.0.1');
    for (const [one, other] of [
      [socket, to],
      [to, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  });
  const forward = createServer().on('connect', ({ url: asked = '', headers }, socket) => {
    tunnels.push([asked, headers['proxy-authorization']]);
    if (headers['proxy-authorization'] === basic('wrong')) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const to = connect(Number(asked.split(':')[1]), asked.split(':')[0]);
    to.once('connect', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    to.on('error', () => socket.destroy()).pipe(socket);
    socket.on('error', () => to.destroy()).pipe(to);
  });
  for (const server of [secure, forward]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push(() => void server.close());
  }
  opened.push(() => void plain.close());
  const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
  url = `https://127.0.0.1:${portOf(secure)}`;
  proxy = `127.0.0.1:${portOf(forward)}`;
  authority = join(folder(), 'authority.pem');
  writeFileSync(authority, loopbackCertificate.cert);
});
afterAll(() => {
  for (const close of opened.splice(0)) close();
  removeFolders();
});

const basic = (password: string): string => `Basic ${Buffer.from(`fleet:${password}`).toString('base64')}`;

/** What a process says that asks the forge, and the tunnels that it asked for. */
async function asked(env: Readonly<Record<string, string>>) {
  tunnels.splice(0);
  const { PATH = '', HOME = '' } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'asking.ts'), url], {
    env: {
      ...{ PATH, HOME, GITFLEET_FORGE_TOKEN: 'right-token', GITFLEET_FORGE_HOST: new URL(url).host },
      ...env,
    },
  });
  return { said: stdout.trim(), tunnels: [...tunnels] };
}

it('a forge whose certificate nobody knows is not asked', async () => {
  const { said } = await asked({});
  expect(said).toMatch(
    /^unreachable: GET https:\/\/127.0.0.1:\d+\/api\/v3\/repos\/acme\/fleet\/pulls: .*self-signed certificate/,
  );
  expect(forge.requests).toEqual([]);
});

it('NODE_EXTRA_CA_CERTS names further authorities', async () => {
  expect(await asked({ NODE_EXTRA_CA_CERTS: authority })).toEqual({ said: '0 open', tunnels: [] });
});

it.each(['HTTPS_PROXY', 'https_proxy'])('%s is used, which sees neither requests nor the token', async (name) => {
  const env = { NODE_EXTRA_CA_CERTS: authority, [name]: `http://${proxy}` };
  const tunnel = [new URL(url).host, undefined];
  expect(await asked(env)).toEqual({ said: '0 open', tunnels: [tunnel] });
});

it('a proxy gets its own password, and no message shows it', async () => {
  const through = (password: string) =>
    asked({ NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: `http://fleet:${password}@${proxy}` });
  expect(await through('right')).toEqual({ said: '0 open', tunnels: [[new URL(url).host, basic('right')]] });
  const { said } = await through('wrong');
  expect(said).toMatch(/^unreachable: .*407/);
  expect(said).not.toContain('wrong');
});

it('NO_PROXY names hosts that are asked directly', async () => {
  const env = { NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: `http://${proxy}` };
  expect(await asked({ ...env, NO_PROXY: 'example.com,127.0.0.1' })).toEqual({ said: '0 open', tunnels: [] });
  expect((await asked({ ...env, NO_PROXY: 'example.com' })).tunnels).toHaveLength(1);
});

it('a proxy that is down is a forge that cannot be reached', async () => {
  const { said } = await asked({ NODE_EXTRA_CA_CERTS: authority, HTTPS_PROXY: 'http://127.0.0.1:1' });
  expect(said).toMatch(/^unreachable: GET .*ECONNREFUSED/);
});
