import { describe, expect, it } from 'vitest';
import type { PriceList } from '../../src/api/gitfleet.ts';
import { assignment, configMap, openWorld, simulated, type World } from '../support/member-world.ts';
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

describe('with each heartbeat are read', () => {
  const perHeartbeat = async (options: Parameters<typeof openWorld>[1]): Promise<readonly string[]> => {
    const { world, paths } = await atRest(options);
    await world.pass(10 * 60);
    const sent = paths();
    const heartbeats = sent.filter((path) => path === '/readyz').length;
    return everything.filter((path) => sent.filter((other) => other === path).length === heartbeats);
  };

  it('version, nodes and pods while plans need them', async () => {
    expect(await perHeartbeat({ needsProperties: () => true })).toEqual(properties);
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
    const forbidden = { kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message: '' };
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
