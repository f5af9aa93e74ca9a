import { expect, it } from 'vitest';
import { ApiError } from '../../src/members/api-server/api-error.ts';
import { configMap, container, deployment, job, secret, service } from './objects.ts';
import { configMaps, deployments, eventually, type Session } from './session.ts';

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

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

  it('and an update by one manager are of two owners, also where they have one name', async () => {
    const query = { fieldManager: 'one' };
    await now().send('POST', configMaps(now().namespace), { body: cm({ color: 'red' }), query });
    const { status, body } = await now().apply(cm({ color: 'blue' }), 'one');
    const error = new ApiError({ tried: 'apply', status, body: JSON.stringify(body) });
    expect([status, error.fieldConflicts]).toEqual([409, [{ field: '.data.color', manager: 'one' }]]);
  });

  it('over what kubectl applied in its own way is a conflict with kubectl', async () => {
    await now().send('POST', configMaps(now().namespace), {
      body: configMap(now().namespace, 'a', { color: 'red' }, { annotations: { [lastApplied]: '{}' } }),
      query: { fieldManager: 'kubectl-client-side-apply', fieldValidation: 'Strict' },
    });
    const { status, body } = await now().apply(cm({ color: 'blue' }), 'one');
    const error = new ApiError({ tried: 'apply', status, body: JSON.stringify(body) });
    expect([status, error.fieldConflicts]).toEqual([
      409,
      [{ field: '.data.color', manager: 'kubectl-client-side-apply' }],
    ]);
    const forced = await now().apply(cm({ color: 'blue' }), 'one', { force: 'true' });
    expect([forced.body.data, forced.body.metadata.annotations]).toEqual([{ color: 'blue' }, { [lastApplied]: '{}' }]);
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

  it.each([
    ['with a version makes what is not there', { resourceVersion: '1' }, 201],
    ['with a uid does not', { resourceVersion: '1', uid: '00000000-0000-4000-8000-000000000000' }, 409],
  ])('%s', async (_, seen, expected) => {
    const body = { ...cm({ color: 'red' }), metadata: { ...cm({}).metadata, ...seen } };
    const { status } = await now().apply(body, 'one', { force: 'true' });
    const there = await now().send('GET', configMaps(now().namespace, 'a'));
    expect([status, there.status]).toEqual([expected, expected === 201 ? 200 : 404]);
  });

  it('with a version that no object has is refused where it is', async () => {
    await now().apply(cm({ color: 'red' }), 'one');
    const { metadata } = cm({});
    const made = { ...cm({ color: 'green' }), metadata: { ...metadata, resourceVersion: '1' } };
    expect((await now().apply(made, 'one', { force: 'true' })).status).toBe(409);
    expect((await read()).data).toEqual({ color: 'red' });
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

  it('merges lists by their keys: two may own an item each', async () => {
    // Owners that exist, so that no controller removes the object for want of one.
    const [first, second] = await Promise.all(
      [now().namespace, await now().makeNamespace()].map(async (name) => {
        const { uid } = (await now().send('GET', `/api/v1/namespaces/${name}`)).body.metadata;
        return { apiVersion: 'v1', kind: 'Namespace', name, uid: uid as string };
      }),
    );
    const owned = (owner: object) => {
      const { data: _, ...object } = configMap(now().namespace, 'a', {}, { ownerReferences: [owner] });
      return object;
    };
    await now().apply(owned(first!), 'one');
    const { status, body } = await now().apply(owned(second!), 'two');
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.metadata.ownerReferences).toEqual([first, second]);
    const fields = Object.fromEntries(
      body.metadata.managedFields.map(({ manager, fieldsV1 }: Managed) => [manager, fieldsV1]),
    );
    const item = (uid: string) => ({ 'f:metadata': { 'f:ownerReferences': { [`k:{"uid":"${uid}"}`]: {} } } });
    expect(fields).toEqual({ one: item(first!.uid), two: item(second!.uid) });
  });

  it('counts a generation for every change of the spec, and of a Deployment for its annotations, but not for labels', async () => {
    const { namespace } = now();
    const generations: number[] = [];
    const { metadata } = deployment(namespace, 'web');
    for (const [spec, more] of [
      [{}, {}],
      [{}, {}],
      [{}, { labels: { a: 'b' } }],
      [{ paused: true }, { labels: { a: 'b' } }],
      [{ paused: true }, { labels: { a: 'b' }, annotations: { 'contract/note': 'c' } }],
    ] as const) {
      const object = { ...deployment(namespace, 'web', spec), metadata: { ...metadata, ...more } };
      generations.push((await now().apply(object, 'one')).body.metadata.generation);
    }
    expect(generations).toEqual([1, 1, 1, 2, 3]);
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

  it('moves the texts of a Secret into its data, where later ones replace them', async () => {
    const { namespace } = now();
    for (const [text, data] of [
      ['red', 'cmVk'],
      ['red', 'cmVk'],
      ['blue', 'Ymx1ZQ=='],
    ] as const) {
      const { body } = await now().apply(secret(namespace, 'a', { color: text }), 'one');
      expect([body.data, body.stringData, body.type]).toEqual([{ color: data }, undefined, 'Opaque']);
    }
  });

  it('gives to nobody what it fills in', async () => {
    const { stringData: _, ...empty } = secret(now().namespace, 'a', {});
    const { status, body } = await now().apply({ ...empty, data: { color: 'cmVk' } }, 'one');
    expect([status, body.type]).toEqual([201, 'Opaque']);
    expect(body.metadata.managedFields.map(({ fieldsV1 }: Managed) => fieldsV1)).toEqual([
      { 'f:data': { 'f:color': {} } },
    ]);
  });

  it('who creates an object owns its new maps and lists, too; who applies it does not', async () => {
    const { namespace } = now();
    const metadata = { name: 'a', namespace, labels: { a: '' }, annotations: { b: '' }, finalizers: ['example.com/c'] };
    const object = { ...configMap(namespace, 'a', { color: 'red' }), metadata };
    const query = { fieldManager: 'one' };
    const created = await now().send('POST', configMaps(namespace), { body: object, query });
    expect([created.status, created.body.metadata.managedFields[0].fieldsV1]).toEqual([
      201,
      {
        'f:data': { '.': {}, 'f:color': {} },
        'f:metadata': {
          'f:annotations': { '.': {}, 'f:b': {} },
          'f:finalizers': { '.': {}, 'v:"example.com/c"': {} },
          'f:labels': { '.': {}, 'f:a': {} },
        },
      },
    ]);
    const type = 'application/merge-patch+json';
    const path = configMaps(namespace, 'a');
    await now().send('PATCH', path, { type, body: { metadata: { finalizers: null } } });
    const applied = await now().apply({ ...object, metadata: { ...metadata, finalizers: undefined } }, 'two');
    const { fieldsV1 } = applied.body.metadata.managedFields.find(({ manager }: Managed) => manager === 'two');
    expect(fieldsV1).toEqual({
      'f:data': { 'f:color': {} },
      'f:metadata': { 'f:annotations': { 'f:b': {} }, 'f:labels': { 'f:a': {} } },
    });
  });

  it('who creates a Deployment owns its new lists, except the one of the containers, which a template always has', async () => {
    const { namespace } = now();
    const ports = [{ containerPort: 80 }];
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [container('web', { ports })] } };
    const body = deployment(namespace, 'web', { template });
    const created = await now().send('POST', deployments(namespace), { body, query: { fieldManager: 'one' } });
    expect(created.status).toBe(201);
    const { fieldsV1 } = created.body.metadata.managedFields.find(({ manager }: Managed) => manager === 'one');
    const { 'f:metadata': own, 'f:spec': spec } = fieldsV1['f:spec']['f:template'];
    expect(own['f:labels']).toEqual({ '.': {}, 'f:app': {} });
    expect(Object.keys(spec['f:containers'])).toEqual(['k:{"name":"web"}']);
    const port = { '.': {}, 'f:containerPort': {}, 'f:protocol': {} };
    expect(spec['f:containers']['k:{"name":"web"}']).toMatchObject({
      '.': {},
      'f:image': {},
      'f:ports': { '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': port },
    });
  });

  it('fills in what is left out of a Deployment', async () => {
    const { body } = await now().apply(deployment(now().namespace, 'web'), 'one');
    expect(body.spec).toMatchObject({
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    });
    expect(body.spec.template.spec).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      schedulerName: 'default-scheduler',
      securityContext: {},
      containers: [
        {
          resources: {},
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
    });
  });

  it('of a Job again is no change: what the server put into its template stays', async () => {
    const { namespace } = now();
    const first = await now().apply(job(namespace, 'task'), 'one');
    expect(first.status, JSON.stringify(first.body)).toBe(201);
    const second = await now().apply(job(namespace, 'task'), 'one');
    expect([second.status, second.body.spec]).toEqual([200, first.body.spec]);
    expect(second.body.spec.template.metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-name': 'task' });
  });

  it('of a Service leaves it the address that it was given', async () => {
    const { namespace } = now();
    const first = await eventually(async () => {
      const answer = await now().apply(service(namespace, 'web'), 'one');
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer;
    });
    const second = await now().apply(service(namespace, 'web', { selector: { app: 'other' } }), 'one');
    expect([second.status, second.body.spec.selector]).toEqual([200, { app: 'other' }]);
    expect(first.body.spec.clusterIP).toMatch(/^[\d.]+$|:/);
    expect(second.body.spec.clusterIP).toBe(first.body.spec.clusterIP);
  });

  it('to an object that is going changes it, and does not keep it', async () => {
    const { namespace } = now();
    const a = configMaps(namespace, 'a');
    const release = { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } };
    const finalizers = ['gitfleet.dev/contract'];
    await now().send('POST', configMaps(namespace), { body: configMap(namespace, 'a', {}, { finalizers }) });
    now().undo(() => now().send('PATCH', a, release));
    await now().send('DELETE', a);
    const { status, body } = await now().apply(cm({ color: 'red' }), 'one');
    expect([status, body.data, typeof body.metadata.deletionTimestamp]).toEqual([200, { color: 'red' }, 'string']);
    await now().send('PATCH', a, release);
    expect((await now().send('GET', a)).status).toBe(404);
  });

  it('does not write the status', async () => {
    const { namespace } = now();
    const path = `/api/v1/namespaces/${namespace}`;
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    const { status, body } = await now().send('PATCH', path, {
      body: { ...object, status: { phase: 'Terminating' } },
      type: 'application/apply-patch+yaml',
      query: { fieldManager: 'one' },
    });
    expect([status, body.status.phase]).toEqual([200, 'Active']);
    expect((await now().send('GET', path)).body.status.phase).toBe('Active');
  });
}
