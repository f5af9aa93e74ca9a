import { beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../../src/simulator/schema/schema.ts';
import { openWorld, type World } from './world.ts';

const secrets = '/api/v1/namespaces/shop/secrets';
let world: World;
const make = (name: string, labels: Fields = {}) =>
  world.request('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels }, data: { x: 'MQ==' } });
const label = (name: string, value: string | null) =>
  world.request(
    'PATCH',
    `${secrets}/${name}`,
    { metadata: { labels: { app: value } } },
    { 'content-type': 'application/merge-patch+json' },
  );
const list = async (query = '') => (await world.request('GET', `${secrets}?${query}`)).body;
const names = async (query = ''): Promise<string[]> =>
  (await list(query)).items.map((item: { metadata: { name: string } }) => item.metadata.name);

beforeEach(async () => {
  world = await openWorld();
  await world.request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop' },
  });
  for (const [name, app] of Object.entries({ a: 'web', b: 'web', c: 'db', d: '' }))
    await make(name, app ? { app } : {});
});

describe('a list', () => {
  it.each([
    ['labelSelector=app=web', ['a', 'b']],
    ['labelSelector=app!=web', ['c', 'd']],
    ['labelSelector=app', ['a', 'b', 'c']],
    ['labelSelector=!app', ['d']],
    ['labelSelector=app in (web,db)', ['a', 'b', 'c']],
    ['labelSelector=app notin (web),app', ['c']],
    ['fieldSelector=metadata.name=c', ['c']],
    ['fieldSelector=metadata.name!=c', ['a', 'b', 'd']],
    ['fieldSelector=metadata.namespace=other', []],
  ])('by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it.each([
    ['labelSelector=a b', 400],
    ['labelSelector=app in web', 400],
    ['fieldSelector=data.x=1', 400],
    ['fieldSelector=nothing', 400],
    ['continue=nonsense', 400],
    ['resourceVersion=x', 400],
    ['resourceVersion=99999', 504],
    ['resourceVersionMatch=Exact', 422],
  ])('by %s is refused with %i', async (query, status) => {
    expect((await world.request('GET', `${secrets}?${query}`)).status).toBe(status);
  });

  it('in pages is of one version, whatever changes between them', async () => {
    const first = await list('limit=3');
    expect([first.items.length, first.metadata.remainingItemCount]).toEqual([3, 1]);
    await make('e');
    await world.request('DELETE', `${secrets}/d`);
    const second = await list(`limit=3&continue=${first.metadata.continue}`);
    expect(second.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['d']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  it('that continues after a compaction gets 410', async () => {
    const { metadata } = await list('limit=3');
    await make('e');
    world.cluster.store.compact();
    expect(await world.request('GET', `${secrets}?limit=3&continue=${metadata.continue}`)).toMatchObject({
      status: 410,
      body: { reason: 'Expired', code: 410 },
    });
  });

  it('of exactly a version is of that moment', async () => {
    const { metadata } = await list();
    await make('e');
    expect(await names(`resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
    expect(await names(`resourceVersion=${metadata.resourceVersion}`)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await names('resourceVersion=0')).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('can have the metadata alone', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const { body } = await world.request('GET', `${secrets}?labelSelector=app=db`, undefined, { accept });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'c' } }],
    });
    expect(body.items[0].data).toBeUndefined();
  });

  it('that is large is compressed for who wants that', async () => {
    for (let index = 0; index < 40; index++)
      await world.request('POST', secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `big-${index}` },
        stringData: { x: 'x'.repeat(5000) },
      });
    const { headers } = await world.member.request({
      method: 'GET',
      path: secrets,
      query: new URLSearchParams(),
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect((await world.request('GET', secrets)).headers['content-encoding']).toBeUndefined();
  });
});

describe('a watch', () => {
  async function watch(query: string) {
    const { status, body } = await world.request('GET', `${secrets}?watch=true&timeoutSeconds=10&${query}`);
    const decoder = new TextDecoder();
    return {
      status,
      body,
      /** All events until its time is over. */
      async events(): Promise<string[]> {
        world.seconds(11);
        const lines: string[] = [];
        for await (const chunk of body) lines.push(...decoder.decode(chunk).split('\n').filter(Boolean));
        return lines.map((line) => {
          const { type, object } = JSON.parse(line);
          return `${type} ${object.metadata?.name ?? object.message ?? ''}`.trim();
        });
      },
    };
  }
  const now = async (): Promise<string> => (await list()).metadata.resourceVersion;

  it('from a version has past and new events', async () => {
    const version = await now();
    await make('e');
    const { events } = await watch(`resourceVersion=${version}`);
    await label('a', 'db');
    await world.request('DELETE', `${secrets}/b`);
    expect(await events()).toEqual(['ADDED e', 'MODIFIED a', 'DELETED b']);
  });

  it('without a version starts with the existing objects', async () => {
    expect(await (await watch('labelSelector=app=web')).events()).toEqual(['ADDED a', 'ADDED b']);
  });

  it('with a selector shows objects that start to match as added, and those that no longer match as deleted', async () => {
    const { events } = await watch(`labelSelector=app=web&resourceVersion=${await now()}`);
    await label('c', 'web');
    await label('a', null);
    await label('b', 'web');
    await world.request('DELETE', `${secrets}/d`);
    expect(await events()).toEqual(['ADDED c', 'DELETED a']);
  });

  it('gets bookmarks if it requests them', async () => {
    const { events } = await watch(`resourceVersion=${await now()}&allowWatchBookmarks=true`);
    expect(await events()).toEqual(['BOOKMARK']);
  });

  it('from an expired version reports that in its only event', async () => {
    const version = await now();
    await make('e');
    world.cluster.store.compact();
    const { status, events } = await watch(`resourceVersion=${version}`);
    const reported = expect.stringMatching(/^ERROR too old resource version: \d+ \(\d+\)$/);
    expect([status, await events()]).toEqual([200, [reported]]);
  });

  it('from a future version has only later events, and is not refused', async () => {
    const { status, events } = await watch(`resourceVersion=${Number(await now()) + 1}&allowWatchBookmarks=true`);
    await make('e');
    await make('f');
    expect([status, await events()]).toEqual([200, ['ADDED f', 'BOOKMARK']]);
    const ahead = await watch(`resourceVersion=${Number(await now()) + 1}&allowWatchBookmarks=true`);
    expect(await ahead.events()).toEqual([]);
  });

  it('that requests initial events gets an error', async () => {
    expect((await watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).status).toBe(422);
  });
});
