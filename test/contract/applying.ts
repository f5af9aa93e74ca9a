import { expect, it } from 'vitest';
import { ApiError } from '../../src/members/api-server/api-error.ts';
import { configMap, container, deployment } from './objects.ts';
import { configMaps, deployments, type Session } from './session.ts';

interface Managed {
  readonly manager: string;
  readonly operation: string;
  readonly apiVersion: string;
  readonly fieldsType: string;
  readonly fieldsV1: object;
}

/** Server-side apply as our applier needs it. */
export function applying(now: () => Session): void {
  const cm = (data: Record<string, string>) => configMap(now().namespace, 'a', data);
  const read = async () => (await now().send('GET', configMaps(now().namespace, 'a'))).body;

  it('creates what is not there, and writes down who owns which fields', async () => {
    const { status, body } = await now().apply(cm({ color: 'red' }), 'one');
    expect(status).toBe(201);
    expect(body.metadata.managedFields.map(({ time: _, ...rest }: Managed & { time: string }) => rest)).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:color': {} } },
      },
    ]);
  });

  it('of the same thing again changes nothing, not even the version', async () => {
    const first = await now().apply(cm({ color: 'red' }), 'one');
    const second = await now().apply(cm({ color: 'red' }), 'one');
    expect([second.status, second.body.metadata.resourceVersion]).toEqual([200, first.body.metadata.resourceVersion]);
  });

  it('removes a field that is not applied any more, and keeps what others own', async () => {
    await now().apply(cm({ color: 'red', size: 'large' }), 'one');
    await now().apply(cm({ shape: 'round' }), 'two');
    await now().apply(cm({ color: 'red' }), 'one');
    expect((await read()).data).toEqual({ color: 'red', shape: 'round' });
  });

  it('shares a field on which two agree, and keeps it until the last lets go', async () => {
    await now().apply(cm({ color: 'red' }), 'one');
    expect((await now().apply(cm({ color: 'red' }), 'two')).status).toBe(200);
    await now().apply(cm({}), 'one');
    expect((await read()).data).toEqual({ color: 'red' });
    await now().apply(cm({}), 'two');
    expect((await read()).data ?? {}).toEqual({});
  });

  it.each([
    ['an applier', async () => now().apply(cm({ color: 'red' }), 'one')],
    [
      'somebody who updates',
      async () =>
        now().send('POST', configMaps(now().namespace), { body: cm({ color: 'red' }), query: { fieldManager: 'one' } }),
    ],
  ])('is a conflict where it changes what %s owns, and names field and owner', async (_, own) => {
    await own();
    const { status, body } = await now().apply(cm({ color: 'blue' }), 'two');
    const error = new ApiError({ tried: 'apply', status, body: JSON.stringify(body) });
    expect({ status, reason: error.reason, conflicts: error.fieldConflicts }).toEqual({
      status: 409,
      reason: 'Conflict',
      conflicts: [{ field: '.data.color', manager: 'one' }],
    });
    expect((await read()).data).toEqual({ color: 'red' });
  });

  it('with force takes the field from its owner', async () => {
    await now().apply(cm({ color: 'red', size: 'large' }), 'one');
    const { status, body } = await now().apply(cm({ color: 'blue' }), 'two', { force: 'true' });
    expect([status, body.data]).toEqual([200, { color: 'blue', size: 'large' }]);
    const owns = (name: string) =>
      body.metadata.managedFields.find(({ manager }: Managed) => manager === name)?.fieldsV1['f:data'];
    expect([owns('one'), owns('two')]).toEqual([{ 'f:size': {} }, { 'f:color': {} }]);
  });

  it('with a version is refused when the object has moved on', async () => {
    const first = await now().apply(cm({ color: 'red' }), 'one');
    await now().apply(cm({ color: 'blue' }), 'one');
    const { resourceVersion } = first.body.metadata;
    const stale = { ...cm({ color: 'green' }), metadata: { ...cm({}).metadata, resourceVersion } };
    const { status, body } = await now().apply(stale, 'one', { force: 'true' });
    const error = new ApiError({ tried: 'apply', status, body: JSON.stringify(body) });
    expect([status, error.reason, error.fieldConflicts]).toEqual([409, 'Conflict', []]);
  });

  it('dry shows what would be, and leaves everything as it is', async () => {
    const dry = { dryRun: 'All', force: 'true' };
    expect((await now().apply(cm({ color: 'red' }), 'one', dry)).body.data).toEqual({ color: 'red' });
    expect((await now().send('GET', configMaps(now().namespace, 'a'))).status).toBe(404);
    const first = await now().apply(cm({ color: 'red' }), 'one');
    const { status, body } = await now().apply(cm({ color: 'blue' }), 'two', dry);
    expect([status, body.data]).toEqual([200, { color: 'blue' }]);
    expect(await read()).toEqual(first.body);
  });

  it('merges lists by their keys: two may own a container each', async () => {
    const { namespace } = now();
    const with_ = (...containers: object[]) =>
      deployment(namespace, 'web', {
        template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
      });
    await now().apply(with_(container('web', { env: [{ name: 'A', value: '1' }] })), 'one');
    const { status, body } = await now().apply(with_(container('sidecar')), 'two');
    expect(status).toBe(200);
    const names = body.spec.template.spec.containers.map(({ name }: { name: string }) => name);
    expect(names.sort()).toEqual(['sidecar', 'web']);
  });

  it('counts a generation for every change of the spec, and for nothing else', async () => {
    const { namespace } = now();
    const generations: number[] = [];
    const labelled = { ...deployment(namespace, 'web').metadata, labels: { a: 'b' } };
    for (const object of [
      deployment(namespace, 'web'),
      deployment(namespace, 'web'),
      { ...deployment(namespace, 'web'), metadata: labelled },
      { ...deployment(namespace, 'web', { paused: true }), metadata: labelled },
    ])
      generations.push((await now().apply(object, 'one')).body.metadata.generation);
    expect(generations).toEqual([1, 1, 1, 2]);
  });

  it('keeps quantities in the way the server writes them', async () => {
    const { namespace } = now();
    const containers = [container('web', { resources: { requests: { cpu: '0.5', memory: '1024Mi' } } })];
    const { body } = await now().apply(
      deployment(namespace, 'web', { template: { metadata: { labels: { app: 'web' } }, spec: { containers } } }),
      'one',
    );
    expect(body.spec.template.spec.containers[0].resources.requests).toEqual({ cpu: '500m', memory: '1Gi' });
  });

  it('does not write the status', async () => {
    const { namespace } = now();
    const { body } = await now().apply({ ...deployment(namespace, 'web'), status: { replicas: 7 } }, 'one');
    expect(body.status?.replicas).not.toBe(7);
    const after = await now().send('GET', deployments(namespace, 'web'));
    expect(after.body.status?.replicas).not.toBe(7);
  });
}
