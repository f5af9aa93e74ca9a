import { describe, expect, it } from 'vitest';
import type { PriceList } from '../../src/api/gitfleet.ts';
import type { TransportRequest } from '../../src/members/api-server/transport.ts';
import type { Currency } from '../../src/members/property-reading.ts';
import type { Stored } from '../../src/simulator/object.ts';
import { assignment, configMap, type Intercept, openWorld, simulated, type World } from '../support/member-world.ts';
import { always } from './faults/holding.ts';

const identity = '/api/v1/namespaces/kube-system';
const properties = ['/api/v1/nodes', '/api/v1/pods', '/version'];
const everything = [identity, ...properties];
const hour = 3600;

/** Paths of a member's requests since the last call, without watches. */
function pathsOf(world: World): () => string[] {
  let from = world.requests.length;
  return () => {
    const fresh = world.requests.slice(from).filter(({ path }) => !path.includes('watch=true'));
    from = world.requests.length;
    return fresh.map(({ path }) => path.split('?')[0]!);
  };
}

/** A member at rest, with an object of ours. */
async function atRest(options: Parameters<typeof openWorld>[1] = {}) {
  const world = await openWorld({}, options);
  world.member.assign([assignment('web', [configMap('a')])]);
  await world.pass(130);
  return { world, paths: pathsOf(world) };
}

describe('a member at rest', () => {
  it('gets one request a heartbeat, and once an hour its version, nodes and pods are read', async () => {
    const { world, paths } = await atRest();
    await world.pass(50 * 60);
    const sent = paths();
    expect(new Set(sent)).toEqual(new Set(['/readyz']));
    expect(sent.length).toBeGreaterThan(45);
    expect(sent.length).toBeLessThan(55);
    await world.pass(20 * 60);
    expect(paths().filter((path) => path !== '/readyz')).toEqual(properties);
  });

  /** What happens to it, and what is read in the two minutes after that. */
  const cases: readonly [string, Parameters<typeof openWorld>[1], (world: World) => unknown, readonly string[]][] = [
    ['nothing', {}, () => {}, []],
    ['another cluster in its place', {}, replace, everything],
    [
      'no response for a while',
      {},
      async (world) => {
        world.sim.setFaults([{ type: 'Unreachable', ...always }]);
        await world.pass(120);
        world.sim.setFaults([]);
      },
      everything,
    ],
    [
      'a failed health check',
      {},
      (world) =>
        world.sim.setFaults([
          { type: 'ServerError', status: 500, paths: ['/readyz'], ...always, untilSeconds: 70 } as never,
        ]),
      everything,
    ],
  ];
  it.each(cases)('is read again, or not, after %s', async (_, options, happens, read) => {
    const { world, paths } = await atRest(options);
    await happens(world);
    await world.pass(120);
    expect([...new Set(paths())].filter((path) => everything.includes(path)).sort()).toEqual([...read]);
    paths();
    await world.pass(10 * 60);
    expect(new Set(paths())).toEqual(new Set(['/readyz']));
  });

  it('is read again after a watch broke', async () => {
    let isBroken = false;
    const gone = { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: '' };
    const { world, paths } = await atRest({
      intercept: ({ path }) => (isBroken && path.includes('watch=true') ? { status: 410, body: gone } : undefined),
    });
    isBroken = true;
    // Watches end after eight minutes at most.
    await world.pass(9 * 60);
    isBroken = false;
    expect(paths()).toEqual(expect.arrayContaining(properties));
    await world.pass(2 * 60);
    paths();
    await world.pass(10 * 60);
    expect(new Set(paths())).toEqual(new Set(['/readyz']));
  });

  it('is read again with the next heartbeat when the price lists change', async () => {
    let lists: readonly PriceList[] = [];
    const { world, paths } = await atRest({ priceLists: () => lists });
    lists = [
      {
        apiVersion: 'gitfleet.dev/v1alpha1',
        kind: 'PriceList',
        metadata: { name: 'p' },
        spec: { currency: 'EUR', prices: [] },
      },
    ];
    await world.pass(180);
    expect(paths().filter((path) => path !== '/readyz')).toEqual(properties);
  });
});

const forbidden = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: '' };
const isWatch = ({ path }: Pick<TransportRequest, 'path'>): boolean =>
  /^\/api\/v1\/(nodes|pods)\?/.test(path) && path.includes('watch=true');
const noWatch: Intercept = (request) => (isWatch(request) ? { status: 403, body: forbidden } : undefined);
const cutWatch: Intercept = (request) =>
  isWatch(request)
    ? { status: 200, body: { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1' } } } }
    : undefined;
const watchesOf = (world: World): number => world.requests.filter(isWatch).length;

describe('a member by whose properties placements choose', () => {
  const chosenBy = (options: Parameters<typeof openWorld>[1] = {}) =>
    atRest({ needsProperties: () => 'change', ...options });
  const store = (world: World) => world.sim.cluster.store;

  /** A pod on a node, as its scheduler leaves it. */
  function pod(world: World, more: object = {}): Stored {
    const [node] = store(world).list('/nodes');
    const spec = { nodeName: node!.metadata.name, containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', uid: 'p', generation: 1, ...more },
      spec,
      status: { phase: 'Running' },
    } as unknown as Stored;
  }
  const node = (world: World): Stored => store(world).list('/nodes')[0]!;

  it('gets one request a heartbeat at rest, as its watches continue', async () => {
    const { world, paths } = await chosenBy();
    const before = watchesOf(world);
    await world.pass(40 * 60);
    expect(new Set(paths())).toEqual(new Set(['/readyz']));
    // Each watch lasts four to eight minutes.
    expect(watchesOf(world) - before).toBeGreaterThanOrEqual(8);
    expect(watchesOf(world) - before).toBeLessThanOrEqual(22);
  });

  const changes: readonly [string, (world: World) => void, readonly string[]][] = [
    ['a pod gets its node', (world) => store(world).put('/pods', pod(world)), properties],
    [
      'a node has more to give',
      (world) =>
        store(world).put('/nodes', {
          ...node(world),
          status: { ...(node(world)['status'] as object), allocatable: { cpu: '99', memory: '9Gi' } },
        }),
      properties,
    ],
    [
      'a node says that it is alive',
      (world) =>
        store(world).put('/nodes', { ...node(world), status: { ...(node(world)['status'] as object), beat: 1 } }),
      [],
    ],
    [
      'a pod is not scheduled yet',
      (world) => store(world).put('/pods', { ...pod(world), spec: { containers: [] } }),
      [],
    ],
  ];
  it.each(changes)('is read by the next heartbeat, or not, when %s', async (_, change, read) => {
    const { world, paths } = await chosenBy();
    change(world);
    await world.pass(60);
    expect(paths().filter((path) => path !== '/readyz')).toEqual(read);
    await world.pass(10 * 60);
    expect(new Set(paths())).toEqual(new Set(['/readyz']));
  });

  it('is read when a pod is resized or gone, not when its status changes, and once a heartbeat however much changes', async () => {
    const { world, paths } = await chosenBy();
    const rounds = async (change: () => void): Promise<number> => {
      await world.pass(130);
      paths();
      for (let at = 0; at < 60; at++) {
        change();
        await world.pass(1);
      }
      await world.pass(60);
      return paths().filter((path) => path === '/api/v1/pods').length;
    };
    let at = 0;
    store(world).put('/pods', pod(world));
    expect(
      await rounds(() => store(world).put('/pods', { ...pod(world), status: { phase: 'Running', at: at++ } })),
    ).toBe(0);
    expect(await rounds(() => store(world).put('/pods', pod(world, { generation: 2 })))).toBe(1);
    const many = await rounds(() => store(world).put('/pods', pod(world, { name: `p${at}`, uid: `p${at++}` })));
    expect(many).toBeLessThanOrEqual(2);
    let ended = false;
    const end = (): void => {
      if (!ended) store(world).put('/pods', { ...pod(world, { generation: 2 }), status: { phase: 'Succeeded' } });
      ended = true;
    };
    expect(await rounds(end)).toBe(1);
  });

  it('is not watched once no placement does, nor tried each time where it may not be watched', async () => {
    let needs: Currency = 'change';
    const { world } = await chosenBy({ needsProperties: () => needs });
    const open = world.requests.filter(isWatch).slice(-2);
    expect(open.map(({ signal }) => signal?.aborted)).toEqual([false, false]);
    needs = 'hour';
    await world.pass(70);
    expect(open.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
    const before = watchesOf(world);
    await world.pass(20 * 60);
    expect(watchesOf(world)).toBe(before);
    const refused = await chosenBy({ intercept: noWatch });
    await refused.world.pass(25 * 60);
    expect(watchesOf(refused.world)).toBeLessThanOrEqual(6);
    expect(refused.world.reported).toEqual([]);
  });

  it('is read and watched anew when another cluster is in its place', async () => {
    const { world, paths } = await chosenBy();
    await replace(world);
    await world.pass(120);
    paths();
    store(world).put('/pods', pod(world));
    await world.pass(60);
    expect(paths().filter((path) => path !== '/readyz')).toEqual(properties);
  });
});

describe('with each heartbeat are read', () => {
  const perHeartbeat = async (options: Parameters<typeof openWorld>[1]): Promise<readonly string[]> => {
    const { world, paths } = await atRest(options);
    await world.pass(10 * 60);
    const sent = paths();
    const heartbeats = sent.filter((path) => path === '/readyz').length;
    return everything.filter((path) => sent.filter((other) => other === path).length === heartbeats);
  };

  it.each<[string, Parameters<typeof openWorld>[1]]>([
    ['an update run is active', { needsProperties: () => 'heartbeat' }],
    ['placements choose by them and they are not watched', { needsProperties: () => 'change', pollMs: 60_000 }],
    ['placements choose by them and they may not be watched', { needsProperties: () => 'change', intercept: noWatch }],
    ['placements choose by them and each watch is cut', { needsProperties: () => 'change', intercept: cutWatch }],
  ])('version, nodes and pods while %s', async (_, options) => {
    expect(await perHeartbeat(options)).toEqual(properties);
  });

  it('the same and the identity where the health check does not show which cluster it is', async () => {
    expect(
      await perHeartbeat({ intercept: ({ path }) => (path === '/readyz' ? { status: 200, body: {} } : undefined) }),
    ).toEqual(everything);
  });

  it.each([
    ['nodes', '/api/v1/nodes', everything.slice(1)],
    ['the identity', identity, [identity]],
  ])('what depends on a request that is refused, of %s', async (_, refused, read) => {
    expect(
      await perHeartbeat({
        intercept: ({ path }) => (path.split('?')[0] === refused ? { status: 403, body: forbidden } : undefined),
      }),
    ).toEqual(read);
  });
});

it('another cluster at the address of a member is noticed at the next heartbeat, after hours at rest too', async () => {
  const { world } = await atRest();
  await world.pass(2 * hour + 1800);
  await replace(world);
  await world.pass(70);
  expect(world.reported).toEqual(['eu-1 is another cluster than before: everything is applied again']);
});

it('properties are read again on demand, but not those that were read since', async () => {
  const { world, paths } = await atRest();
  const since = world.clock.now();
  void world.member.readSince(since);
  await world.pass(1);
  expect(paths().filter((path) => path !== '/readyz')).toEqual(properties);
  await world.member.readSince(since);
  await world.pass(1);
  expect(paths().filter((path) => path !== '/readyz')).toEqual([]);
});

async function replace(world: World): Promise<void> {
  world.sim = await simulated({ name: 'successor' }, world.clock);
}
