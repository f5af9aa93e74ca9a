import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClusterName } from '../../../src/api/meta.ts';
import { connectionsOf } from '../../../src/members/api-server/kubeconfig.ts';

let dir: string;
let server: Server;
let port: number;
const asked: string[] = [];
/** Responses of the server, by path. */
let answers: (path: string) => number = () => 200;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gitfleet-kubeconfig-'));
  asked.length = 0;
  answers = () => 200;
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(answers(request.url!)).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(dir, { recursive: true });
});

/** Each context of such a file leads to a path of its own. */
const kubeconfig = (contexts: readonly string[], under = '', cluster: Record<string, string> = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: contexts.map((name) => ({
      name,
      cluster: { server: `http://127.0.0.1:${port}/${under}${name}`, ...cluster },
    })),
    users: contexts.map((name) => ({ name, user: {} })),
    contexts: contexts.map((name) => ({ name, context: { cluster: name, user: name } })),
  });

async function get(open: Awaited<ReturnType<typeof connectionsOf>>['open'], name: string): Promise<number | undefined> {
  const transport = await open(name);
  return (await transport?.({ method: 'GET', path: '/version', headers: {} }))?.status;
}

describe('a kubeconfig file', () => {
  it('has one member for each context', async () => {
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1', 'eu-2']));
    const { names, open } = await connectionsOf(join(dir, 'config'));
    expect(names).toEqual(['eu-1', 'eu-2']);
    expect([await get(open, 'eu-2'), await get(open, 'us-1')]).toEqual([200, undefined]);
    expect(asked).toEqual(['/eu-2/version']);
  });

  it('has a member that was added later', async () => {
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1']));
    const { open } = await connectionsOf(join(dir, 'config'));
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1', 'eu-2']));
    expect(await get(open, 'eu-2')).toBe(200);
  });

  it('that is rotated is read again once the member rejects the old credentials', async () => {
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1'], 'old/'));
    answers = (path) => (path.startsWith('/old/') ? 401 : 200);
    const { open } = await connectionsOf(join(dir, 'config'));
    const transport = (await open('eu-1'))!;
    const version = async () => (await transport({ method: 'GET', path: '/version', headers: {} })).status;
    expect(await version()).toBe(401);
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1'], 'newer/'));
    expect(await version()).toBe(200);
    expect(asked.at(-1)).toBe('/newer/eu-1/version');
  });

  it.each(['config', 'eu-1.yaml'])('whose server moved is read again within a minute: %s', async (file) => {
    const path = file === 'config' ? join(dir, file) : dir;
    const written = (under: string) =>
      writeFile(
        join(dir, file),
        JSON.stringify({ ...JSON.parse(kubeconfig(['eu-1'], under)), 'current-context': 'eu-1' }),
      );
    await written('old/');
    const { open } = await connectionsOf(path);
    const transport = (await open('eu-1' as ClusterName))!;
    const version = async () => (await transport({ method: 'GET', path: '/version', headers: {} })).status;
    await version();
    await written('newer/');
    await version();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    try {
      await version();
      await writeFile(join(dir, file), '{');
      vi.setSystemTime(Date.now() + 60_000);
      await version();
    } finally {
      vi.useRealTimers();
    }
    expect(asked).toEqual(['old', 'old', 'newer', 'newer'].map((under) => `/${under}/eu-1/version`));
  });

  it('names certificates relative to itself, as kubectl writes them', async () => {
    await writeFile(join(dir, 'ca.crt'), 'no certificate');
    const tls = { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'ca.crt' };
    await writeFile(join(dir, 'config'), kubeconfig(['eu-1'], '', tls));
    const { open } = await connectionsOf(join(dir, 'config'));
    // The certificate is found; what is wrong is its contents, or that nobody speaks TLS there.
    await expect(get(open, 'eu-1')).rejects.not.toThrow(/ENOENT/);
  });

  it('that is not there is an error', async () => {
    await expect(connectionsOf(join(dir, 'none'))).rejects.toThrow(/ENOENT/);
  });
});

describe('several files, as KUBECONFIG names them', () => {
  it('count as one; of two contexts with one name the first counts, and a file may be missing', async () => {
    await writeFile(join(dir, 'a'), kubeconfig(['eu-1', 'both'], 'a/'));
    await writeFile(join(dir, 'b'), kubeconfig(['us-1', 'both'], 'b/'));
    const { names, open } = await connectionsOf(['a', 'none', 'b'].map((file) => join(dir, file)).join(delimiter));
    expect(names).toEqual(['both', 'eu-1', 'us-1']);
    for (const name of names) await get(open, name);
    expect(asked).toEqual(['/a/both/version', '/a/eu-1/version', '/b/us-1/version']);
  });

  it('of which none exists are an error', async () => {
    await expect(connectionsOf(`${join(dir, 'a')}${delimiter}${join(dir, 'b')}`)).rejects.toThrow(
      /none of these files/,
    );
  });
});

describe('a directory', () => {
  it.each([
    ['eu-1', 'eu-1'],
    ['eu-1.yaml', 'eu-1'],
    ['eu-1.kubeconfig', 'eu-1'],
    ['eu.west', 'eu.west'],
    ['eu.west.yml', 'eu.west'],
  ])('holds a file %s for member %s', async (file, member) => {
    await writeFile(join(dir, file), withCurrent(kubeconfig(['anything']), 'anything'));
    await mkdir(join(dir, '..data'));
    const { names, open } = await connectionsOf(dir);
    expect(names).toEqual([member]);
    expect(await get(open, member)).toBe(200);
  });

  it('may get files later', async () => {
    const { names, open } = await connectionsOf(dir);
    expect([names, await get(open, 'eu-1')]).toEqual([[], undefined]);
    await writeFile(join(dir, 'eu-1'), withCurrent(kubeconfig(['x']), 'x'));
    expect(await get(open, 'eu-1')).toBe(200);
  });
});

const withCurrent = (config: string, currentContext: string): string =>
  JSON.stringify({ ...JSON.parse(config), 'current-context': currentContext });
