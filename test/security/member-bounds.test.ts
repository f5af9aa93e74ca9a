import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, describe, expect, it } from 'vitest';
import { fleetMembers } from '../../src/daemon/members.ts';
import { collectGarbage } from '../../src/daemon/memory/release-memory.ts';
import { availabilityOf } from '../../src/engine/bindings/availability.ts';
import { emptyFleet } from '../../src/engine/input.ts';
import { ApiError, retryAfterMs } from '../../src/members/api-server/api-error.ts';
import { httpTransport } from '../../src/members/api-server/http-transport.ts';
import { memberLimits } from '../../src/members/api-server/member-limits.ts';
import { responsesInFlight } from '../../src/members/api-server/responses-in-flight.ts';
import { sharedLimits } from '../../src/members/api-server/shared-limits.ts';
import type { TransportRequest, TransportResponse } from '../../src/members/api-server/transport.ts';
import { manualClock } from '../../src/simulator/clock.ts';
import { clientOf } from '../support/member-client.ts';
import { begin, pass, turn } from '../support/member-world.ts';
import { placement } from '../support/paper-fleet.ts';
import { images, names, settles, smallFleet, web } from '../support/small-fleet.ts';
import { type VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';
import { answer, bytes, endless, filled, mib, ours, page, piece, silence, stream } from './hostile-answers.ts';

/** What a member answers instead of what its API server would; undefined where it lets the request through. */
type Attack = (request: TransportRequest) => TransportResponse | undefined;

const isWatch = ({ path }: TransportRequest): boolean => path.includes('watch=true');
const isList = (request: TransportRequest, plural: string): boolean =>
  new RegExp(`/${plural}\\?.*limit=`).test(request.path);

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A fleet of which the member b is hostile from the first request on, for as long as `relent` is not called. */
async function attacked(attack: Attack): Promise<{ fleet: VirtualFleet; one: VirtualDaemon; relent: () => void }> {
  const strategy = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 3, maxSurge: 0}}';
  const files = { ...smallFleet(), 'placements/web.yaml': placement('web', '{placementType: PickAll}', strategy) };
  const fleet = await VirtualFleet.open(files, ...names);
  open.push(() => fleet.close());
  let relented = false;
  const one = fleet.start({
    through: (transport, member) => async (request) =>
      (member === 'b' && !relented ? attack(request) : undefined) ?? transport(request),
  });
  return {
    fleet,
    one,
    relent() {
      relented = true;
    },
  };
}

const reported = async (fleet: VirtualFleet): Promise<string> => (await fleet.repo.files('fleet-status'))['README.md']!;

const othersRun = (fleet: VirtualFleet, image: string, seconds: number): Promise<void> =>
  fleet.until(`a and c run ${image}`, () => images(fleet)[0] === image && images(fleet)[2] === image, seconds);

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('a member that sends more than it may is not responding, the others continue, and it recovers:', () => {
  let token = 0;

  it.each<[what: string, cause: string, attack: Attack]>([
    [
      'a line of a watch that does not end',
      'watch /apis/apps/v1/deployments on b: a response of more than 8 MiB',
      (request) =>
        isWatch(request) && request.path.includes('deployments') ? stream(endless(() => piece)) : undefined,
    ],
    [
      'a line of a watch in pieces of one byte',
      'watch /apis/apps/v1/deployments on b: a response of more than 8 MiB',
      (request) =>
        isWatch(request) && request.path.includes('deployments')
          ? stream(endless(() => Uint8Array.of(120)))
          : undefined,
    ],
    [
      'a body that does not end, however few objects are asked for',
      'list /api/v1/pods on b: a response of more than 8 MiB',
      (request) => (isList(request, 'pods') ? stream(endless(() => piece)) : undefined),
    ],
    [
      'values that take twenty times their text',
      'list /api/v1/pods on b: a response of more values than fit into 64 MiB',
      (request) =>
        isList(request, 'pods') ? answer(`{"metadata":{},"items":[{}${',{}'.repeat(2 * mib)}]}`) : undefined,
    ],
    [
      'a list of which the same page comes again',
      'list /api/v1/pods on b: the list does not continue: the same continue token again',
      (request) => (isList(request, 'pods') ? page([], 'again') : undefined),
    ],
    [
      'a list of which empty pages come',
      'list /api/v1/pods on b: the list does not end: more than 100 pages that are not full',
      (request) => (isList(request, 'pods') ? page([], `${token++}`) : undefined),
    ],
    [
      'a list of our objects that does not end',
      'keep objects of b: they take 32 MiB more than the objects of the fleet repo',
      (request) =>
        isList(request, 'deployments') && request.path.includes('labelSelector')
          ? page(
              Array.from({ length: 500 }, () => ours({ spec: { filled } })),
              `${token++}`,
            )
          : undefined,
    ],
    [
      'a watch in which our objects do not end',
      'keep objects of b: they take 32 MiB more than the objects of the fleet repo',
      (request) =>
        isWatch(request) && request.path.includes('deployments')
          ? stream(endless(() => `${JSON.stringify({ type: 'ADDED', object: ours({ spec: { filled } }) })}\n`))
          : undefined,
    ],
    [
      'an object of ten thousand levels',
      'keep objects of b: an object of more than 200 levels',
      (request) =>
        isWatch(request) && request.path.includes('deployments')
          ? stream(
              bytes(
                `${JSON.stringify({ type: 'ADDED', object: ours({ status: 0 }) }).replace('"status":0', `"status":${deep(10_000)}`)}\n`,
              ),
            )
          : undefined,
    ],
  ])('%s', async (_what, cause, attack) => {
    const { fleet, one, relent } = await attacked(attack);
    await othersRun(fleet, 'web:1', 60);
    await fleet.until('it is reported', async () => (await reported(fleet)).includes(cause), 60);
    const dashboard = await reported(fleet);
    expect(dashboard).toMatch(
      /## Not responding\n\n.*\n\n- b.*: find out what responds there instead of an API server/,
    );
    expect(fleet.logged.join('\n')).toContain(cause);
    expect(one.metrics.render()).toContain('gitfleet_cluster_connection_status{state="unreachable"} 1');
    fleet.commit(web('web:2'));
    await othersRun(fleet, 'web:2', 60);
    // It is asked again less and less often, and nothing of that is published.
    await fleet.run(600);
    const tip = fleet.repo.tip('fleet-status');
    await fleet.run(900);
    expect(fleet.repo.tip('fleet-status')).toBe(tip);
    relent();
    await fleet.until('it is back', () => images(fleet)[1] === 'web:2', 600);
    await settles(fleet, one, 600);
    expect(await reported(fleet)).not.toContain('Not responding');
    expect(fleet.logged.join('\n')).not.toContain('TypeError');
  });
});

describe('what no API server answers is an error in a sentence, never a TypeError, and the others continue:', () => {
  const html = '<html><body>Please log in</body></html>';
  const isWebList = (request: TransportRequest): boolean => isList(request, 'deployments');
  it.each<[what: string, sentence: string, attack: Attack]>([
    [
      'a page of a proxy instead of a list',
      'list /api/v1/pods on b: 200, the response is not JSON: \\"<html><body>Please log in',
      (request) => (isList(request, 'pods') ? answer(html) : undefined),
    ],
    [
      'nothing',
      'list /api/v1/pods on b: 200, the response is empty',
      (r) => (isList(r, 'pods') ? answer('') : undefined),
    ],
    [
      'null',
      'list /api/v1/pods on b: 200, the response is not a list: it has no metadata',
      (request) => (isList(request, 'pods') ? answer(null) : undefined),
    ],
    [
      'items that are no list',
      'list /api/v1/pods on b: 200, the response is not a list: its items are not an array',
      (request) => (isList(request, 'pods') ? answer({ metadata: {}, items: 5 }) : undefined),
    ],
    [
      'an item that is null',
      'list /apis/apps/v1/deployments on b: 200, an item of the list is not an object: it is not an object',
      (request) => (isWebList(request) ? answer({ metadata: {}, items: [null] }) : undefined),
    ],
    [
      'labels that are no texts',
      'list /apis/apps/v1/deployments on b: 200, an item of the list is not an object: metadata.labels is not a map of strings',
      (request) =>
        isWebList(request)
          ? answer({ metadata: {}, items: [{ metadata: { name: 'x', labels: { a: {} } } }] })
          : undefined,
    ],
    [
      'a pod whose containers are a number',
      'list /api/v1/pods on b: 200, Pod x has an unexpected shape',
      (request) =>
        isList(request, 'pods')
          ? answer({
              kind: 'PodList',
              metadata: {},
              items: [{ metadata: { name: 'x' }, spec: { nodeName: 'n', containers: 5 } }],
            })
          : undefined,
    ],
    [
      'a line of a watch that is not JSON',
      'watch /apis/apps/v1/deployments on b: 200, the response is not JSON: \\"<html>',
      (request) => (isWatch(request) ? answer(`${html}\n`) : undefined),
    ],
    [
      'an event without an object',
      'watch /apis/apps/v1/deployments on b: 200, an event without an object: it is not an object',
      (request) => (isWatch(request) ? answer('{"type":"ADDED"}\n') : undefined),
    ],
    [
      'a list where a watch was asked for',
      'watch /apis/apps/v1/deployments on b: 200, the member did not send an event of a watch',
      (request) => (isWatch(request) ? answer('{"kind":"List","metadata":{},"items":[]}\n') : undefined),
    ],
    [
      'kinds that are no list',
      'discover apps/v1 on b: 200, the response is not a list of kinds',
      (request) => (request.path === '/apis/apps/v1' ? answer({ resources: 5 }) : undefined),
    ],
    [
      'null for what was applied',
      'apply Deployment web/web on b: 200, the response is not an object: it is not an object',
      (request) => (request.method === 'PATCH' && request.path.includes('deployments') ? answer(null) : undefined),
    ],
    [
      'a redirect',
      'list /api/v1/pods on b: 302, redirected to \\"https://elsewhere.example\\", which is not followed',
      (request) => (isList(request, 'pods') ? answer('', 302, { location: 'https://elsewhere.example' }) : undefined),
    ],
  ])('%s', async (_what, sentence, attack) => {
    const { fleet, one, relent } = await attacked(attack);
    await othersRun(fleet, 'web:1', 60);
    const output = async (): Promise<string> =>
      [
        ...fleet.logged,
        ...Object.values(await fleet.repo.files('fleet-status')).map((text) => JSON.stringify(text)),
      ].join('\n');
    const plain = (text: string): string => text.replaceAll('\\', '');
    await fleet.until('it is reported', async () => plain(await output()).includes(plain(sentence)), 120);
    fleet.commit(web('web:2'));
    await othersRun(fleet, 'web:2', 60);
    expect(await output()).not.toContain('TypeError');
    relent();
    await settles(fleet, one, 900);
    expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  });
});

it('a status that is no status of its kind fails no plan', () => {
  const status = { conditions: 5, containerStatuses: [null], initContainerStatuses: 7 };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, status };
  expect(availabilityOf(pod, 'v1')).toEqual({ verdict: 'NotAvailableYet', message: 'the pod is not ready yet' });
});

describe('a redirect over HTTP', () => {
  async function serve(reply: Parameters<typeof createServer>[1] & object): Promise<{ server: Server; url: string }> {
    const server = createServer(reply);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => server.close());
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it('is not followed: nobody else sees the request or its credentials', async () => {
    const seen: string[] = [];
    const elsewhere = await serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.end('{}');
    });
    const member = await serve((_, response) => response.writeHead(307, { location: `${elsewhere.url}/steal` }).end());
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'b', server: member.url, skipTLSVerify: true },
      { name: 'gitfleet', token: 't' },
    );
    const client = clientOf({
      transport: httpTransport(config, async () => config),
    });
    await expect(client.json({ method: 'GET', path: '/version' })).rejects.toThrow(
      /^GET \/version on b: 307, redirected to ".*\/steal", which is not followed since credentials would be sent there: let the kubeconfig name/,
    );
    expect(seen).toEqual([]);
  });
});

describe('the large responses of a member', () => {
  it('are read one after the other, and the end of one lets the next go on', async () => {
    const { limits, inFlight } = sharedLimits({ ...memberLimits, smallResponseBytes: 10 });
    const life = new AbortController().signal;
    const responses = responsesInFlight({ all: inFlight, limits, life });
    const log: string[] = [];
    const open = (name: string, bytes: number) => {
      const response = responses.open(name, () => {});
      response.hold(bytes);
      const turn = response.turn();
      if (turn === undefined) log.push(`${name} is read`);
      else void turn.then(() => log.push(`${name} goes on`));
      return response;
    };
    const [first, second, , fourth] = [open('a', 20), open('b', 20), open('c', 10), open('d', 11)];
    second.end();
    await turn();
    expect(log).toEqual(['a is read', 'c is read']);
    first.end();
    await turn();
    expect(log).toEqual(['a is read', 'c is read', 'd goes on']);
    expect(fourth.turn()).toBeUndefined();
  });
});

describe('an error response', () => {
  it.each([
    ['a Status', (message: string) => JSON.stringify({ kind: 'Status', message })],
    ['a text', (message: string) => message],
  ])('is not kept for the beginning of its message: %s', async (_what, bodyOf) => {
    await collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const errors = Array.from(
      { length: 20 },
      (_, at) => new ApiError({ tried: `${at}`, status: 400, body: bodyOf(`${at}${'m'.repeat(4 * mib)}`) }),
    );
    await collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * mib);
    expect(errors.map(({ message }) => message.length > 500)).not.toContain(false);
  });
});

describe('what all members take together', () => {
  it('of answers that are on their way is taken from the member with most of it', async () => {
    const clock = manualClock(begin);
    const shared = sharedLimits({ ...memberLimits, inFlightBytes: 6 * mib });
    const refused: string[] = [];
    const life = new AbortController().signal;
    const stalled = (chunks: number) =>
      (async function* () {
        for (let at = 0; at < chunks; at++) yield piece;
        await new Promise(() => {});
      })();
    const hostile = clientOf({
      transport: async () => stream(stalled(7 * 16)),
      clock,
      life,
      shared,
      refused: ({ message }) => refused.push(message),
    });
    const text = JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'x' }, data: { x: 'x'.repeat(2 * mib) } });
    let halves = 0;
    const good = clientOf({
      name: 'a',
      transport: async () =>
        stream(
          (async function* () {
            yield Buffer.from(text.slice(0, mib));
            halves++;
            while (refused.length === 0) await turn();
            yield Buffer.from(text.slice(mib));
          })(),
        ),
      clock,
      life,
      shared,
      refused: ({ message }) => refused.push(message),
    });
    const kept = good.object({ method: 'GET', path: '/a' });
    while (halves === 0) await turn();
    const attacks = Array.from({ length: 24 }, () =>
      hostile.json({ method: 'GET', path: '/b' }).catch(() => undefined),
    );
    await pass(clock, 60);
    expect((await kept).metadata.name).toBe('x');
    await Promise.all(attacks);
    expect(new Set(refused)).toEqual(
      new Set([expect.stringMatching(/^GET \/b on b: responses of 6 MiB are in flight from all members, most/)]),
    );
  });

  it('of kept objects is taken from the member that keeps most', async () => {
    const clock = manualClock(begin);
    const kept = { a: 10, b: 100, c: 60 };
    const members = fleetMembers({
      clock,
      pace: clock,
      recordAgeMs: 0,
      watchMembers: 10,
      changed: () => {},
      conflict: () => {},
      limits: { ...memberLimits, freeBytes: mib, allKeptBytes: mib },
      connect: async (name) => async (request) => {
        if (request.path === '/apis') return answer({ groups: [] });
        if (request.path === '/api/v1')
          return answer({
            resources: [{ name: 'things', kind: 'Thing', namespaced: false, verbs: ['list', 'watch'] }],
          });
        if (isWatch(request)) return stream(silence());
        if (!isList(request, 'things')) return answer({ metadata: { name: 'x', resourceVersion: '1' }, items: [] });
        return page(
          Array.from({ length: kept[name as keyof typeof kept] }, () => ours({ spec: { filled: filled.repeat(2) } })),
        );
      },
    });
    open.push(() => members.stop());
    await members.follow(
      names.map((name) => ({ metadata: { name }, spec: { heartbeatPeriodSeconds: 60 } }) as never),
      emptyFleet,
    );
    members.assign(new Map());
    void members.sweep(10_000);
    await pass(clock, 5);
    expect([...members.unreachable()]).toEqual([
      [
        'b',
        expect.stringMatching(
          /^keep objects of b: members have more than \d+ MiB of objects that are not in the fleet repo/,
        ),
      ],
    ]);
  });
});

describe('a list of a large cluster is not beyond a limit', () => {
  it('though its pages are: they are asked for again with fewer objects, and later ones so from the start', async () => {
    const sizes: number[] = [];
    const client = clientOf({
      name: 'a',
      transport: async ({ path }) => {
        const query = new URL(path, 'http://a').searchParams;
        const size = Number(query.get('limit'));
        const from = Number(query.get('continue') ?? 0);
        sizes.push(size);
        const items = Array.from({ length: Math.min(size, 1_000 - from) }, (_, at) => ({
          metadata: { name: `n-${from + at}`, annotations: { filled: filled.repeat(3) } },
        }));
        return page(items, from + size < 1_000 ? `${from + size}` : undefined);
      },
    });
    const { items } = await client.list('/api/v1/nodes', {}, { keep: ({ metadata }) => metadata.name });
    expect(items).toEqual(Array.from({ length: 1_000 }, (_, at) => `n-${at}`));
    expect(sizes).toEqual([500, ...Array.from({ length: 17 }, () => 62)]);
    sizes.length = 0;
    await client.list('/api/v1/nodes');
    expect(sizes[0]).toBe(62);
  });

  it.each([
    [{ listBytes: mib }, 'a list of more than 1 MiB'],
    [{ listObjects: 5_000 }, 'a list of more than 5000 objects'],
  ])('unless its pages do not end: %j', async (smaller, cause) => {
    const client = clientOf({
      transport: async ({ path }) => {
        const from = Number(new URL(path, 'http://a').searchParams.get('continue') ?? 0);
        return page(
          Array.from({ length: 500 }, (_, at) => ({ metadata: { name: `n-${from + at}` } })),
          `${from + 500}`,
        );
      },
      shared: sharedLimits({ ...memberLimits, ...smaller }),
    });
    await expect(client.list('/api/v1/nodes')).rejects.toThrow(`list /api/v1/nodes on b: ${cause}`);
  });
});

describe('Retry-After', () => {
  it.each([
    ['5', 5_000],
    ['60', 60_000],
    ['61', 60_000],
    ['1e300', 60_000],
    ['Infinity', 60_000],
    ['-1', 0],
    ['Sun, 22 Nov 2026 12:00:30 GMT', 30_000],
    ['Sun, 22 Nov 2999 12:00:30 GMT', 60_000],
    ['soon', undefined],
  ])('%s is obeyed for a minute at most', (text, expected) => {
    expect(retryAfterMs({ 'retry-after': text, date: 'Sun, 22 Nov 2026 12:00:00 GMT' })).toBe(expected);
  });

  it.each(['too many requests', 'storage is (re)initializing'])(
    'of a year holds a member no longer, whatever comes with it: %s',
    async (message) => {
      let asked = 0;
      const clock = manualClock(begin);
      const client = clientOf({
        transport: async () => {
          asked++;
          return answer({ kind: 'Status', message }, 429, { 'retry-after': '31536000' });
        },
        clock,
      });
      const given = client.json({ method: 'GET', path: '/version' }).catch(({ message }: Error) => message);
      await pass(clock, 200);
      expect([asked, await given]).toEqual([4, `GET /version on b: 429, ${message}`]);
    },
  );
});

describe('the first start', () => {
  it.each<[what: string, attack: Attack]>([
    [
      'asks to be left alone',
      () => answer({ kind: 'Status', message: 'too many requests' }, 429, { 'retry-after': '60' }),
    ],
    [
      'never ends a response',
      () =>
        stream(
          (async function* () {
            await new Promise(() => {});
          })(),
        ),
    ],
  ])('waits ten seconds for a member that %s', async (_what, attack) => {
    const { fleet } = await attacked(attack);
    const began = fleet.clock.now();
    await othersRun(fleet, 'web:1', 120);
    expect((fleet.clock.now() - began) / 1000).toBeLessThan(16);
  });
});
