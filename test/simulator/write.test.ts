import { beforeEach, describe, expect, it } from 'vitest';
import type { Fields } from '../../src/simulator/schema/schema.ts';
import { deployment, deploymentUrl, openWorld, type World } from './world.ts';

const web = `${deploymentUrl}/web`;
const maps = '/api/v1/namespaces/default/configmaps';
let world: World;
beforeEach(async () => {
  world = await openWorld();
});
const make = (object: unknown = deployment('web'), at = deploymentUrl, query = '') =>
  world.request('POST', `${at}${query}`, object);
const patch = (type: string, body: unknown, at = web) =>
  world.request('PATCH', at, body, { 'content-type': `application/${type}` });
const configMap = (fields: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c' },
  ...fields,
});

describe('what the server writes itself', () => {
  it('is in every new object', async () => {
    const { status, body } = await make();
    expect(status).toBe(201);
    expect(body.metadata).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 1,
    });
    expect(body.spec).toMatchObject({
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
    });
  });

  it('counts a generation for a change of the spec, and for nothing else', async () => {
    await make();
    expect((await patch('merge-patch+json', { metadata: { labels: { a: 'b' } } })).body.metadata.generation).toBe(1);
    expect((await patch('merge-patch+json', { status: { replicas: 5 } })).body.metadata.generation).toBe(1);
    expect((await patch('merge-patch+json', { spec: { replicas: 5 } })).body.metadata.generation).toBe(2);
  });

  it('keeps the status away from the main endpoint, and the spec from that of the status', async () => {
    await make();
    expect((await patch('merge-patch+json', { status: { replicas: 5 } })).body.status?.replicas).toBeUndefined();
    const { body } = await patch(
      'merge-patch+json',
      { spec: { replicas: 9 }, status: { replicas: 5 } },
      `${web}/status`,
    );
    expect([body.spec.replicas, body.status.replicas]).toEqual([3, 5]);
  });

  it('generates names from generateName', async () => {
    const { body } = await make(configMap({ metadata: { generateName: 'c-' } }), maps);
    expect(body.metadata.name).toMatch(/^c-[a-z0-9]{5}$/);
  });
});

describe('a patch', () => {
  it.each([
    ['json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 5 }], 5],
    [
      'json-patch+json',
      [
        { op: 'test', path: '/spec/replicas', value: 3 },
        { op: 'add', path: '/spec/replicas', value: 6 },
      ],
      6,
    ],
    ['merge-patch+json', { spec: { replicas: 7 } }, 7],
    ['strategic-merge-patch+json', { spec: { replicas: 8 } }, 8],
  ])('%s %j', async (type, body, expected) => {
    await make();
    expect((await patch(type, body)).body.spec.replicas).toBe(expected);
  });

  it.each([
    ['json-patch+json', [{ op: 'test', path: '/spec/replicas', value: 4 }], 422],
    ['json-patch+json', [{ op: 'remove', path: '/spec/nope' }], 422],
    ['xml', '<a/>', 415],
    ['merge-patch+json', '{"a":', 400],
    ['merge-patch+json', { spec: { replicas: 'many' } }, 400],
    ['merge-patch+json', { spec: { selector: { matchLabels: { other: 'x' } } } }, 422],
    ['merge-patch+json', { metadata: { resourceVersion: '1' } }, 409],
  ])('%s %j is refused with %i', async (type, body, status) => {
    await make();
    expect((await patch(type, body)).status).toBe(status);
  });

  it('merges lists by their keys where it is strategic, and replaces them where it is not', async () => {
    await make(
      deployment(
        'web',
        {},
        {
          spec: {
            containers: [
              { name: 'main', image: 'app:1' },
              { name: 'side', image: 'side:1' },
            ],
          },
        },
      ),
    );
    const body = { spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } } };
    const images = ({ body: { spec } }: Awaited<ReturnType<typeof patch>>) =>
      spec.template.spec.containers.map(({ image }: { image: string }) => image);
    expect(images(await patch('strategic-merge-patch+json', body))).toEqual(['app:2', 'side:1']);
    const less = { spec: { template: { spec: { containers: [{ name: 'side', $patch: 'delete' }] } } } };
    expect(images(await patch('strategic-merge-patch+json', less))).toEqual(['app:2']);
    expect(images(await patch('merge-patch+json', body))).toEqual(['app:2']);
  });
});

describe('a write is refused', () => {
  it.each([
    ['that exists', maps, configMap(), 409, 'AlreadyExists', 'configmaps "c" already exists'],
    [
      'in a namespace that is not there',
      '/api/v1/namespaces/no/configmaps',
      configMap(),
      404,
      'NotFound',
      'namespaces "no" not found',
    ],
    [
      'of another namespace',
      maps,
      configMap({ metadata: { name: 'd', namespace: 'kube-system' } }),
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'without a name',
      maps,
      configMap({ metadata: {} }),
      422,
      'Invalid',
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    ],
    [
      'with a bad name',
      maps,
      configMap({ metadata: { name: 'C_1' } }),
      422,
      'Invalid',
      expect.stringContaining(
        'ConfigMap "C_1" is invalid: metadata.name: Invalid value: "C_1": a lowercase RFC 1123 subdomain',
      ),
    ],
    [
      'with a bad label',
      maps,
      configMap({ metadata: { name: 'd', labels: { a: 'b c' } } }),
      422,
      'Invalid',
      expect.stringContaining('metadata.labels: Invalid value: "b c"'),
    ],
    ['of another kind', maps, { ...configMap(), kind: 'Secret' }, 400, 'BadRequest', expect.stringContaining('Secret')],
    [
      'with a version',
      maps,
      configMap({ metadata: { name: 'd', resourceVersion: '3' } }),
      500,
      undefined,
      'resourceVersion should not be set on objects to be created',
    ],
    [
      'without what is required',
      deploymentUrl,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, spec: {} },
      422,
      'Invalid',
      expect.stringContaining('spec.selector: Required value'),
    ],
    [
      'whose selector does not select its pods',
      deploymentUrl,
      deployment('x', { selector: { matchLabels: { no: 'x' } } }),
      422,
      'Invalid',
      expect.stringContaining('`selector` does not match template `labels`'),
    ],
    [
      'with a choice that its kind does not have',
      deploymentUrl,
      deployment('x', {}, { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } }),
      422,
      'Invalid',
      'Deployment.apps "x" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
    [
      'with two containers of a name',
      deploymentUrl,
      deployment(
        'x',
        {},
        {
          spec: {
            containers: [
              { name: 'a', image: 'a' },
              { name: 'a', image: 'b' },
            ],
          },
        },
      ),
      422,
      'Invalid',
      expect.stringContaining('spec.template.spec.containers[1].name: Duplicate value: "a"'),
    ],
    ['that is not an object', maps, '[]', 400, 'BadRequest', expect.stringContaining('expected a JSON object')],
  ])('of an object %s', async (_, at, body, status, reason, message) => {
    await make(configMap(), maps);
    const answer = await world.request('POST', at, body);
    expect([answer.status, answer.body.kind, answer.body.reason, answer.body.message]).toEqual([
      status,
      'Status',
      reason,
      message,
    ]);
  });

  it.each([
    ['PUT', '/api/v1/namespaces/default/configmaps/no', 404],
    ['POST', web, 405],
    ['POST', '/api/v1/configmaps', 405],
    ['GET', '/apis/nope/v1/things', 404],
    ['GET', '/api/v1/namespaces/default/nodes', 404],
    ['PUT', `${web}/nope`, 404],
  ])('%s %s with %i', async (method, at, status) => {
    await make();
    expect(
      (await world.request(method, at, method === 'GET' ? undefined : configMap({ metadata: { name: 'no' } }))).status,
    ).toBe(status);
  });
});

describe('fieldValidation', () => {
  const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","label":{}},"data":{"x":"1","x":"2"}}';
  it.each([
    ['Strict', 400, undefined],
    ['Warn', 201, '299 - "unknown field \\"metadata.label\\"", 299 - "duplicate field \\"data.x\\""'],
    ['', 201, '299 - "unknown field \\"metadata.label\\"", 299 - "duplicate field \\"data.x\\""'],
    ['Ignore', 201, undefined],
    ['Maybe', 422, undefined],
  ])('%s', async (how, status, warning) => {
    const answer = await make(text, maps, how === '' ? '' : `?fieldValidation=${how}`);
    expect([answer.status, answer.headers['warning']]).toEqual([status, warning]);
    if (how === 'Strict')
      expect(answer.body.message).toBe(
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.label", duplicate field "data.x"',
      );
    if (status === 201) expect(answer.body.data).toEqual({ x: '2' });
  });
});
