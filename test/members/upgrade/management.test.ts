import { afterEach, describe, expect, it } from 'vitest';
import { managementClusters } from '../../../src/members/upgrade/management.ts';
import { manualClock } from '../../../src/simulator/clock.ts';
import { kubeconfigOf } from '../../../src/simulator/kubeconfig.ts';
import { type Listening, listen } from '../../../src/simulator/listen.ts';
import { openMember, type SimulatedMember } from '../../../src/simulator/member.ts';
import { inProcessTransport } from '../../../src/simulator/transport.ts';
import { begin } from '../../support/member-world.ts';

const setting = (ref: string | undefined) => ({ provider: 'cluster-api' as const, ref });

describe('the reference of a Cluster', () => {
  const open = (...names: string[]) =>
    managementClusters({ names, open: async (name) => (names.includes(name) ? (null as never) : undefined) });

  it.each<[string[], string, object]>([
    [['hub'], 'fleet/eu-1', { namespace: 'fleet', name: 'eu-1' }],
    [['a', 'b'], 'b/fleet/eu-1', { namespace: 'fleet', name: 'eu-1' }],
    [
      ['a', 'arn:aws:eks:eu-1:1:cluster/b'],
      'arn:aws:eks:eu-1:1:cluster/b/fleet/eu-1',
      { namespace: 'fleet', name: 'eu-1' },
    ],
  ])('with the contexts %j: %s', async (names, ref, expected) => {
    expect((await open(...names).find(setting(ref))).ref).toEqual(expected);
  });

  it.each<[string[], string | undefined, string]>([
    [['hub'], undefined, 'is missing: write [context/]namespace/cluster'],
    [['hub'], 'eu-1', 'write [context/]namespace/cluster'],
    [['hub'], 'fleet/', 'write [context/]namespace/cluster'],
    [['hub'], 'fleet/..', 'is not the name of a namespace and of a Cluster'],
    [['hub'], 'fleet/eu-1?x=y', 'is not the name of a namespace and of a Cluster'],
    [['a', 'b'], 'fleet/eu-1', '--cluster-api has 2 contexts, so write context/namespace/cluster'],
    [['a', 'b'], 'c/fleet/eu-1', 'the kubeconfig of --cluster-api has no context c'],
  ])('with the contexts %j, %s is refused', async (names, ref, message) => {
    await expect(open(...names).find(setting(ref))).rejects.toThrow(message);
  });
});

describe('the kubeconfig that Cluster API keeps of a Cluster', () => {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  /** A management cluster with the Secret of eu-1, and what it is read by. */
  async function opened(data: Readonly<Record<string, string>>) {
    const clock = manualClock(begin);
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } };
    const management = await openMember({ name: 'management', objects: [namespace] as never }, clock);
    ends.push(() => management.close());
    const path = '/api/v1/namespaces/fleet/secrets';
    const write = async (method: 'POST' | 'PUT', of: Readonly<Record<string, string>>) => {
      const { status } = await management.request({
        method,
        path: method === 'POST' ? path : `${path}/eu-1-kubeconfig`,
        query: new URLSearchParams(),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'eu-1-kubeconfig', namespace: 'fleet' },
          type: 'cluster.x-k8s.io/secret',
          data: of,
        }),
      });
      expect(status).toBeLessThan(300);
    };
    await write('POST', data);
    const transport = inProcessTransport(management);
    const clusters = managementClusters({ names: ['hub'], open: async () => transport });
    return { connect: () => clusters.connect(setting('fleet/eu-1')), write };
  }

  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const member = async (): Promise<SimulatedMember> => {
    const of = await openMember({ name: 'eu-1' }, manualClock(begin));
    ends.push(() => of.close());
    return of;
  };
  const listening = async (of: SimulatedMember): Promise<Listening> => {
    const at = await listen(new Map([['eu-1', of]]));
    ends.push(() => at.close());
    return at;
  };
  const version = { method: 'GET', path: '/version', headers: {} } as const;

  it('is read for each connection, so that renewed credentials and a new address count', async () => {
    const [first, second] = [await listening(await member()), await listening(await member())];
    const { connect, write } = await opened({ value: base64(kubeconfigOf(['eu-1'], first.urlOf)) });
    expect((await (await connect())(version)).status).toBe(200);
    await write('PUT', { value: base64(kubeconfigOf(['eu-1'], second.urlOf)) });
    await first.close();
    expect((await (await connect())(version)).status).toBe(200);
  });

  const users = (user: string) =>
    `apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: "https://a"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: ${user}}]\n`;
  it.each([
    [
      'a program',
      users('{exec: {apiVersion: client.authentication.k8s.io/v1, command: sh}}'),
      'names a program or a file',
    ],
    ['a file', users('{client-certificate: /etc/passwd}'), 'names a program or a file'],
    ['nothing', undefined, 'has no data.value'],
  ])('that names %s is refused', async (_, text, message) => {
    const { connect } = await opened(text === undefined ? { other: '' } : { value: base64(text) });
    await expect(connect()).rejects.toThrow(message);
  });
});
