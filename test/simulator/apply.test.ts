import { beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../../src/simulator/schema/schema.ts';
import { deployment, deploymentUrl, openWorld, type World } from './world.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const url = `${maps}/c`;
const configMap = (data: Fields | undefined, metadata: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', ...metadata },
  ...(data ? { data } : {}),
});
let world: World;
beforeEach(async () => {
  world = await openWorld();
});
const applyAs = (manager: string, body: unknown, more = '', at = url) =>
  world.apply(at, body, `fieldManager=${manager}${more}`);
const patchAs = (manager: string, body: unknown, at = url) =>
  world.request('PATCH', `${at}?fieldManager=${manager}`, body, { 'content-type': 'application/merge-patch+json' });
const live = async (at = url) => (await world.request('GET', at)).body;
/** `manager operation: fields` for each owner, the fields as `metadata.labels.a data.b`. */
const owners = async (at = url): Promise<string[]> =>
  (await live(at)).metadata.managedFields.map(
    ({ manager, operation, subresource, fieldsV1 }: Record<string, string> & { fieldsV1: Fields }) =>
      `${manager} ${operation}${subresource ? ` ${subresource}` : ''}: ${pathsOf(fieldsV1).sort().join(' ')}`,
  );
function pathsOf(fields: Fields, before = ''): string[] {
  return Object.entries(fields).flatMap(([key, below]) => {
    if (key === '.') return [];
    const path = before === '' ? key.slice(2) : `${before}.${key.slice(2)}`;
    const deeper = pathsOf(below as Fields, path);
    return deeper.length > 0 ? deeper : [path];
  });
}

describe('server-side apply', () => {
  it('makes what is not there: 201, and 200 the next time', async () => {
    expect([
      (await applyAs('a', configMap({ x: '1' }))).status,
      (await applyAs('a', configMap({ x: '2' }))).status,
    ]).toEqual([201, 200]);
  });

  it('that changes nothing keeps the resource version, also later', async () => {
    const first = await applyAs('a', configMap({ x: '1' }));
    world.seconds(60);
    expect((await applyAs('a', configMap({ x: '1' }))).body).toEqual(first.body);
  });

  it('removes the fields that its manager no longer applies', async () => {
    await applyAs('a', configMap({ x: '1', y: '2' }, { labels: { l: '1' } }));
    await applyAs('a', configMap({ x: '1' }));
    expect(await live()).toMatchObject({ data: { x: '1' } });
    expect((await live()).metadata.labels).toBeUndefined();
    expect(await owners()).toEqual(['a Apply: data.x']);
  });

  it('leaves fields of others alone, and shares those on which both agree', async () => {
    await applyAs('a', configMap({ x: '1' }));
    await applyAs('b', configMap({ x: '1', y: '2' }));
    expect(await owners()).toEqual(['a Apply: data.x', 'b Apply: data.x data.y']);
    await applyAs('b', configMap({ y: '2' }));
    expect((await live()).data).toEqual({ x: '1', y: '2' });
    await applyAs('a', configMap(undefined));
    expect((await live()).data).toEqual({ y: '2' });
  });

  it('conflicts where it would change what another manager has; by force it takes it over', async () => {
    await applyAs('a', configMap({ x: '1', y: '1' }));
    const { status, body } = await applyAs('b', configMap({ x: '2', y: '2' }));
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\n- .data.y',
    ]);
    expect(body.details.causes).toEqual(
      ['.data.x', '.data.y'].map((field) => ({ reason: 'FieldManagerConflict', message: 'conflict with "a"', field })),
    );
    expect((await applyAs('b', configMap({ x: '2' }), '&force=true')).status).toBe(200);
    expect(await owners()).toEqual(['a Apply: data.y', 'b Apply: data.x']);
  });

  it('separates apply and update of one manager', async () => {
    await patchAs('a', { data: { x: '1' } }).then(({ status }) => expect(status).toBe(404));
    await world.request('POST', `${maps}?fieldManager=a`, configMap({ x: '1' }));
    expect(await owners()).toEqual(['a Update: data.x']);
    expect((await applyAs('a', configMap({ x: '2' }))).body.message).toMatch(
      /^Apply failed with 1 conflict: conflict with "a" using v1 at 2026-01-01T00:00:00Z: \.data\.x$/,
    );
  });

  it('an update takes over what it changes, and loses what it removes', async () => {
    await applyAs('a', configMap({ x: '1', y: '1' }));
    await patchAs('b', { data: { x: '2', y: null } });
    expect(await owners()).toEqual(['b Update: data.x']);
  });

  it('keeps items of keyed lists apart', async () => {
    const at = `${deploymentUrl}/web`;
    await applyAs('a', deployment('web'), '', at);
    const sidecar = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } },
    };
    expect((await applyAs('b', sidecar, '', at)).status).toBe(200);
    const images = async () =>
      (await live(at)).spec.template.spec.containers.map(
        (item: { name: string; image: string }) => `${item.name}=${item.image}`,
      );
    expect(await images()).toEqual(['main=app:1', 'side=side:1']);
    await applyAs('a', deployment('web', {}, { image: 'app:2' }), '', at);
    expect(await images()).toEqual(['main=app:2', 'side=side:1']);
    expect((await applyAs('b', { ...sidecar, spec: {} }, '', at)).status).toBe(200);
    expect(await images()).toEqual(['main=app:2']);
  });

  it('owns an atomic field as a whole', async () => {
    const at = `${deploymentUrl}/web`;
    await applyAs('a', deployment('web'), '', at);
    const { body } = await applyAs(
      'b',
      { ...deployment('web'), spec: { selector: { matchLabels: { other: 'x' } } } },
      '',
      at,
    );
    expect(body.message).toBe('Apply failed with 1 conflict: conflict with "a": .spec.selector');
  });

  it('of the status is its own', async () => {
    const at = `${deploymentUrl}/web`;
    await applyAs('a', deployment('web'), '', at);
    const body = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: 9 },
      status: { replicas: 7 },
    };
    const { body: told } = await applyAs('s', body, '', `${at}/status`);
    expect([told.spec.replicas, told.status.replicas, told.metadata.generation]).toEqual([3, 7, 1]);
    expect((await owners(at)).find((line) => line.startsWith('s '))).toBe('s Apply status: status.replicas');
  });

  it('as a dry-run returns the result and changes nothing', async () => {
    const dry = await applyAs('a', configMap({ x: '1' }), '&dryRun=All');
    expect([dry.status, dry.body.data]).toEqual([201, { x: '1' }]);
    expect((await world.request('GET', url)).status).toBe(404);
  });

  it('of an object created without managedFields conflicts with its creator', async () => {
    world.cluster.store.put('/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'c',
        namespace: 'default',
        uid: 'u',
        resourceVersion: '',
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      data: { x: '1' },
    });
    expect((await applyAs('a', configMap({ x: '2' }))).body.message).toMatch(
      /conflict with "before-first-apply" using v1/,
    );
  });

  it('drops all owners on request of a client', async () => {
    await applyAs('a', configMap({ x: '1' }));
    await patchAs('b', { metadata: { managedFields: [{}] } });
    expect((await live()).metadata.managedFields).toBeUndefined();
  });

  it.each([
    ['no manager', '', configMap({ x: '1' }), 422, /fieldManager: Required value: is required for apply patch/],
    [
      'managed fields',
      'fieldManager=a',
      configMap({}, { managedFields: [] }),
      400,
      /metadata.managedFields must be nil/,
    ],
    ['another name', 'fieldManager=a', configMap({}, { name: 'd' }), 400, /name/],
    [
      'another version',
      'fieldManager=a',
      { ...configMap({}), apiVersion: 'v2' },
      400,
      /Incorrect version specified in apply patch/,
    ],
    [
      'the uid of an object that is not there',
      'fieldManager=a',
      configMap({}, { resourceVersion: '5', uid: 'u' }),
      409,
      /uid mismatch: the provided object specified uid u, and no existing object was found/,
    ],
    ['an unknown field', 'fieldManager=a', { ...configMap({}), date: {} }, 500, /\.date: field not declared in schema/],
    [
      'an item twice',
      'fieldManager=a',
      configMap({}, { finalizers: ['x/y', 'x/y'] }),
      500,
      /\.metadata\.finalizers: duplicate entries for key \["x\/y"\]/,
    ],
    ['a wrong type', 'fieldManager=a', configMap({ x: 1 }), 500, /\.data\.x: expected string, got/],
    ['no JSON or YAML', 'fieldManager=a', '{"a": [', 400, /error decoding YAML/],
    [
      'a duplicate key',
      'fieldManager=a&fieldValidation=Strict',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"x":"1","x":"2"}}',
      400,
      /key "x" already set in map/,
    ],
  ])('with %s is refused', async (_, query, body, status, message) => {
    const answer = await world.apply(url, body, query);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it('reads YAML', async () => {
    expect((await applyAs('a', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {x: "1"}\n')).status).toBe(
      201,
    );
  });
});
