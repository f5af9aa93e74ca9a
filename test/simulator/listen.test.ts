import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { connectionsOf } from '../../src/members/api-server/kubeconfig.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { kubeconfigOf } from '../../src/simulator/kubeconfig.ts';
import { type Listening, listen } from '../../src/simulator/listen.ts';
import { openMember, type SimulatedMember } from '../../src/simulator/member.ts';

describe('simulated members on a port', () => {
  let listening: Listening;
  let members: ReadonlyMap<string, SimulatedMember>;

  beforeAll(async () => {
    const clock = manualClock(Date.parse('2026-11-20T10:00:00Z'));
    members = new Map([
      ['eu-1', await openMember({ name: 'eu-1', kubernetesVersion: '1.31.8' }, clock)],
      ['eu-2', await openMember({ name: 'eu-2', clockSkewSeconds: 300 }, clock)],
    ]);
    listening = await listen(members);
  });
  afterAll(() => listening.close());

  const get = (url: string, headers: Record<string, string> = {}): Promise<string> =>
    new Promise((resolve, reject) => {
      const asked = request(url, { headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(`${response.statusCode} ${text.trim()}`));
        response.on('error', reject);
      });
      asked.on('error', reject);
      asked.end();
    });

  it('serves each member below its own path', async () => {
    expect(JSON.parse((await get(`${listening.urlOf('eu-1')}/version`)).slice(4)).gitVersion).toBe('v1.31.8');
    expect(JSON.parse((await get(`${listening.urlOf('eu-2')}/version`)).slice(4)).gitVersion).toBe('v1.32.4');
  });

  it('lists the members in the response for an unknown one', async () => {
    expect(await get(`${listening.urlOf('us-1')}/version`)).toBe('404 there is no simulated member here: eu-1, eu-2');
  });

  it.each([
    ['another host', { host: 'evil.example' }],
    ['a page in a browser', { origin: 'http://127.0.0.1:3000' }],
  ])('refuses %s', async (_, headers) => {
    expect(await get(`${listening.urlOf('eu-1')}/version`, headers)).toBe(
      '403 simulated members respond to programs on this machine only',
    );
  });

  it('breaks the connection for a fault', async () => {
    members.get('eu-2')!.setFaults([{ type: 'Unreachable', fromSeconds: 0, probability: 1 }]);
    await expect(get(`${listening.urlOf('eu-2')}/version`)).rejects.toThrow('socket hang up');
    members.get('eu-2')!.setFaults([]);
  });

  it('its kubeconfig leads our own client to each, without TLS', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'gitfleet-kubeconfig-'));
    await writeFile(join(dir, 'kubeconfig'), kubeconfigOf(['eu-1', 'eu-2'], listening.urlOf));
    const connections = await connectionsOf(join(dir, 'kubeconfig'));
    expect(connections.names).toEqual(['eu-1', 'eu-2']);
    const transport = (await connections.open('eu-1'))!;
    const { status, body } = await transport({ method: 'GET', path: '/version', headers: {} });
    expect(status).toBe(200);
    // Whole seconds.
    const skewed = (await (await connections.open('eu-2'))!({ method: 'GET', path: '/version', headers: {} })).headers;
    expect(Math.round((Date.parse(skewed['date']!) - Date.now()) / 10_000)).toBe(30);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ gitVersion: 'v1.31.8' });
    expect(await connections.open('us-1')).toBeUndefined();
    await rm(dir, { recursive: true });
  });

  it('has a kubeconfig with a context for each', () => {
    const config = parse(kubeconfigOf(['eu-1', 'eu-2'], listening.urlOf)) as {
      contexts: { name: string; context: object }[];
      clusters: { name: string; cluster: { server: string } }[];
    };
    expect(config.contexts.map(({ name }) => name)).toEqual(['eu-1', 'eu-2']);
    expect(config.clusters[1]).toEqual({ name: 'eu-2', cluster: { server: listening.urlOf('eu-2') } });
  });
});

it('a member starts with the objects of its file, or reports the refused one', async () => {
  const clock = manualClock(0);
  const manifest = (kind: string) => ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, data: { a: 'b' } });
  const opened = await openMember({ name: 'eu-1', objects: [manifest('ConfigMap')] }, clock);
  expect(opened.cluster.store.get('/configmaps', { namespace: 'default', name: 'x' })).toMatchObject({
    data: { a: 'b' },
    metadata: { managedFields: [{ manager: 'kubectl-create', operation: 'Update' }] },
  });
  await expect(openMember({ name: 'eu-1', objects: [manifest('ConfigMapp')] }, clock)).rejects.toThrow(
    'member eu-1: no kind ConfigMapp in v1 is served',
  );
  await expect(openMember({ name: 'eu-1', objects: [{ ...manifest('ConfigMap'), spec: {} }] }, clock)).rejects.toThrow(
    'member eu-1: ConfigMap x cannot be created: ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "spec"',
  );
});
