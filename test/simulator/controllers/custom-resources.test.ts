import { beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../../../src/simulator/schema/schema.ts';
import { openWorld, type World } from '../world.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        color: { type: 'string', default: 'red', enum: ['red', 'blue'] },
        code: { type: 'string', pattern: '^[a-z]+$', maxLength: 4 },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        parts: {
          type: 'array',
          maxItems: 2,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
          },
        },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' } } },
  },
};
const version = (name: string, storage: boolean, more: Fields = {}) => ({
  name,
  served: true,
  storage,
  subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
  schema: { openAPIV3Schema: schema },
  ...more,
});
const definition = (versions: unknown[] = [version('v1', true)]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions },
});
const widget = (spec: Fields, more: Fields = {}) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
  spec,
  ...more,
});
let world: World;
const post = (spec: Fields, more: Fields = {}) =>
  world.request('POST', `${widgets}?fieldValidation=Strict`, widget(spec, more));
const merge = { 'content-type': 'application/merge-patch+json' };

/** The events of a watch that has ended. */
async function lines(body: AsyncIterable<Uint8Array>) {
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } });
}

beforeEach(async () => {
  world = await openWorld({ readySeconds: { CustomResourceDefinition: 2 } });
  await world.request('POST', crds, definition());
  world.seconds(3);
});

describe('a CustomResourceDefinition', () => {
  it('is established after the delay of its member, and is not served before', async () => {
    world = await openWorld({ readySeconds: { CustomResourceDefinition: 2 } });
    await world.request('POST', crds, definition());
    world.seconds(1);
    expect((await world.request('GET', widgets)).status).toBe(404);
    world.seconds(2);
    const { body } = await world.request('GET', `${crds}/widgets.example.com`);
    expect(body.status.conditions.map(({ type, status }: Record<string, string>) => `${type} ${status}`)).toEqual([
      'NamesAccepted True',
      'Established True',
    ]);
    expect(body.status.acceptedNames).toMatchObject({ plural: 'widgets', singular: 'widget', listKind: 'WidgetList' });
    expect((await world.request('GET', `${widgets}?limit=500`)).body).toMatchObject({
      kind: 'WidgetList',
      apiVersion: 'example.com/v1',
      items: [],
    });
  });

  it('of a member that has it from the start is served at once, also to what follows it there', async () => {
    world = await openWorld({ objects: [definition(), widget({ size: 1 })] });
    expect((await world.request('GET', '/apis/example.com/v1')).status).toBe(200);
    world.seconds(60);
    expect((await world.request('GET', '/apis/example.com/v1/widgets')).body.items).toHaveLength(1);
    const { body } = await world.request('GET', `${crds}/widgets.example.com`);
    expect(body.status.conditions.map(({ type, status }: Record<string, string>) => `${type} ${status}`)).toEqual([
      'Established True',
      'NamesAccepted True',
    ]);
  });

  it('shows in discovery and in the OpenAPI', async () => {
    expect(
      (await world.request('GET', '/apis/example.com/v1')).body.resources.map(({ name }: Fields) => name).sort(),
    ).toEqual(['widgets', 'widgets/scale', 'widgets/status']);
    const { body } = await world.request('GET', '/openapi/v3/apis/example.com/v1');
    expect(body.components.schemas['com.example.v1.Widget'].properties.spec.properties.size).toMatchObject({
      type: 'integer',
      minimum: 1,
    });
  });

  it('with two versions gives every object in both', async () => {
    await post({ size: 1 });
    await world.request('PUT', `${crds}/widgets.example.com`, {
      ...definition([version('v1', true), version('v2', false)]),
      metadata: (await world.request('GET', `${crds}/widgets.example.com`)).body.metadata,
    });
    world.seconds(3);
    expect((await world.request('GET', '/apis/example.com/v2/namespaces/default/widgets/w')).body).toMatchObject({
      apiVersion: 'example.com/v2',
      spec: { size: 1 },
    });
  });

  it('is deleted with its objects', async () => {
    await post({ size: 1 });
    await world.request('DELETE', `${crds}/widgets.example.com`);
    world.seconds(3);
    expect((await world.request('GET', `${widgets}/w`)).status).toBe(404);
    await world.request('POST', crds, definition());
    world.seconds(3);
    expect((await world.request('GET', `${widgets}?limit=500`)).body.items).toEqual([]);
  });

  it.each(['?labelSelector=a%3Db&limit=500', '?fieldSelector=metadata.name%3Dw&limit=500', '', '?watch=true'])(
    'has its kind read with %s only when the server has filled its cache, and 429 until then',
    async (query) => {
      const refused = await world.request('GET', `${widgets}${query}`);
      expect([refused.status, refused.body.message, refused.headers['retry-after']]).toEqual([
        429,
        'storage is (re)initializing',
        '1',
      ]);
      expect((await world.request('GET', `${widgets}?limit=500`)).status).toBe(200);
      expect((await post({ size: 1 })).status).toBe(201);
      world.seconds(1);
      expect((await world.request('GET', `${widgets}${query}`)).status).toBe(200);
    },
  );

  it('that changes ends the watches of its kind, whose history starts again', async () => {
    const { resourceVersion } = (await post({ size: 1 })).body.metadata;
    world.seconds(1);
    const watch = `${widgets}?watch=true&resourceVersion=${resourceVersion}`;
    const { body: before } = await world.request('GET', watch);
    await world.request('PATCH', `${crds}/widgets.example.com`, { metadata: { labels: { a: 'b' } } }, merge);
    await post({ size: 1 }, { metadata: { name: 'v' } });
    const names = { ...definition().spec.names, shortNames: ['wd'] };
    await world.request('PATCH', `${crds}/widgets.example.com`, { spec: { names } }, merge);
    expect((await lines(before)).map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual(['ADDED v']);
    expect((await world.request('GET', watch)).status).toBe(429);
    world.seconds(1);
    expect(await lines((await world.request('GET', watch)).body)).toMatchObject([
      { type: 'ERROR', object: { code: 410, reason: 'Expired' } },
    ]);
  });

  it.each([
    ['another name', { ...definition(), metadata: { name: 'x.example.com' } }, 'metadata.name'],
    ['no storage version', definition([version('v1', false)]), 'spec.versions'],
    ['no schema', definition([{ name: 'v1', served: true, storage: true }]), 'openAPIV3Schema'],
  ])('with %s is refused', async (_, body, field) => {
    world = await openWorld();
    const answer = await world.request('POST', crds, body);
    expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(field)]);
  });
});

describe('a custom resource', () => {
  it('gets its defaults, also inside lists', async () => {
    expect((await post({ size: 1, parts: [{ name: 'a' }] })).body.spec).toEqual({
      size: 1,
      color: 'red',
      parts: [{ name: 'a', count: 1 }],
    });
  });

  it('loses what its schema does not know, but where it keeps that', async () => {
    const body = widget({ size: 1, unknown: 1, free: { any: [1, { x: null }] } });
    const { body: made } = await world.request('POST', `${widgets}?fieldValidation=Ignore`, body);
    expect(made.spec).toEqual({ size: 1, color: 'red', free: { any: [1, { x: null }] } });
  });

  it.each([
    [{}, 'spec.size: Required value'],
    [{ size: 0 }, 'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1'],
    [{ size: 10 }, 'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9'],
    [{ size: 1, color: 'green' }, 'spec.color: Unsupported value: "green": supported values: "red", "blue"'],
    [{ size: 1, code: 'A' }, 'spec.code: Invalid value: "A": spec.code in body should match \'^[a-z]+$\''],
    [{ size: 1, code: 'abcde' }, 'spec.code: Too long: may not be more than 4 bytes'],
    [
      { size: 1, parts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
      'spec.parts: Too many: 3: must have at most 2 items',
    ],
    [{ size: 1, parts: [{ name: 'a' }, { name: 'a' }] }, 'spec.parts[1]: Duplicate value: {"name":"a"}'],
    [{ size: 'x' }, 'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
    [
      { size: 1, tags: { a: 1 } },
      'spec.tags.a: Invalid value: "integer": spec.tags.a in body must be of type string: "integer"',
    ],
  ])('%j is refused', async (spec, message) => {
    const { status, body } = await post(spec);
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
  });

  it('keeps its status apart, and counts generations', async () => {
    const made = await post({ size: 1 }, { status: { ready: true } });
    expect([made.body.status, made.body.metadata.generation]).toEqual([undefined, 1]);
    const { body } = await world.request(
      'PATCH',
      `${widgets}/w/status`,
      { status: { ready: true }, spec: { size: 5 } },
      merge,
    );
    expect([body.spec.size, body.status, body.metadata.generation]).toEqual([1, { ready: true }, 1]);
  });

  it('scales', async () => {
    await post({ size: 1 });
    const { body } = await world.request('PATCH', `${widgets}/w/scale`, { spec: { replicas: 4 } }, merge);
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 0 } });
    expect((await world.request('GET', `${widgets}/w`)).body.spec.size).toBe(4);
  });

  it('has keyed lists, in which two managers can have an item each', async () => {
    for (const name of ['a', 'b'])
      await world.apply(
        `${widgets}/w`,
        widget({ ...(name === 'a' ? { size: 1 } : {}), parts: [{ name }] }),
        `fieldManager=${name}`,
      );
    expect((await world.request('GET', `${widgets}/w`)).body.spec.parts.map(({ name }: Fields) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  it('is never overwritten blindly, nor patched strategically', async () => {
    await post({ size: 1 });
    expect((await world.request('PUT', `${widgets}/w`, widget({ size: 2 }))).body.message).toBe(
      'Widget.example.com "w" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
    );
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await world.request('PATCH', `${widgets}/w`, { spec: { size: 2 } }, strategic)).status).toBe(415);
  });
});
