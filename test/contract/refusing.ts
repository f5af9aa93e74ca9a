import { expect, it } from 'vitest';
import { configMap, container, deployment, job, service } from './objects.ts';
import { configMaps, deployments, eventually, type Session } from './session.ts';

/** Answers that our applier explains to people, or reacts to. */
export function refusing(now: () => Session): void {
  it('an unknown field, when it is asked to be strict, with the field in the message', async () => {
    const { namespace } = now();
    const wrong = deployment(namespace, 'web', { replicsa: 1 });
    const query = { fieldValidation: 'Strict' };
    const created = await now().send('POST', deployments(namespace), { body: wrong, query });
    expect([created.status, created.body.reason]).toEqual([400, 'BadRequest']);
    expect(created.body.message).toContain('strict decoding error: unknown field "spec.replicsa"');
    // Of server-side apply some versions say 500 without a reason.
    const applied = await now().apply(wrong, 'one', query);
    expect(applied.status).toBeGreaterThanOrEqual(400);
    expect(applied.body.message).toContain('replicsa');
    expect((await now().send('GET', deployments(namespace, 'web'))).status).toBe(404);
  });

  it('an apply of a list that has one key twice, with the key in the message', async () => {
    const { namespace } = now();
    const containers = [container('web'), container('web', { image: 'registry.k8s.io/other' })];
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
    const { status, body } = await now().apply(deployment(namespace, 'web', { template }), 'one', { force: 'true' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.message).toContain('.spec.template.spec.containers: duplicate entries for key [name="web"]');
    expect((await now().send('GET', deployments(namespace, 'web'))).status).toBe(404);
  });

  it('an invalid value, with its field as a cause', async () => {
    const other = deployment(now().namespace, 'web', { selector: { matchLabels: { app: 'other' } } });
    const { status, body } = await now().apply(other, 'one');
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.details.causes.map(({ field }: { field: string }) => field)).toContain('spec.template.metadata.labels');
  });

  it('a number of replicas below none, also of a scale', async () => {
    const { namespace } = now();
    const negative = await now().apply(deployment(namespace, 'web', { replicas: -1 }), 'one');
    expect([negative.status, negative.body.reason]).toEqual([422, 'Invalid']);
    expect(negative.body.details.causes.map(({ field }: { field: string }) => field)).toEqual(['spec.replicas']);
    await now().apply(deployment(namespace, 'web'), 'one');
    const scaled = await now().send('PATCH', `${deployments(namespace, 'web')}/scale`, {
      type: 'application/merge-patch+json',
      body: { spec: { replicas: -1 } },
    });
    expect([scaled.status, scaled.body.reason]).toEqual([422, 'Invalid']);
    expect(scaled.body.message).toContain('must be greater than or equal to 0');
  });

  it('an autoscaler without a replica', async () => {
    const { namespace } = now();
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const metadata = { name: 'web', namespace };
    const spec = { scaleTargetRef, maxReplicas: 0 };
    const { status, body } = await now().send(
      'POST',
      `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
      { body: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec } },
    );
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.message).toContain('spec.maxReplicas: Invalid value: 0: must be greater than 0');
  });

  it('a change of an immutable field, also by force', async () => {
    const { namespace } = now();
    await now().apply(deployment(namespace, 'web'), 'one');
    const labels = { app: 'other' };
    const other = deployment(namespace, 'web', {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container('web')] } },
    });
    const { status, body } = await now().apply(other, 'one', { force: 'true' });
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.message).toContain('field is immutable');
  });

  it('another template of a Job, also by force', async () => {
    const { namespace } = now();
    await now().apply(job(namespace, 'task'), 'one');
    const { status, body } = await now().apply(job(namespace, 'task', 'registry.k8s.io/other'), 'one', {
      force: 'true',
    });
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.details.causes.map(({ field }: { field: string }) => field)).toContain('spec.template');
    expect(body.message).toContain('field is immutable');
  });

  it('another address of a Service, also by force', async () => {
    const { namespace } = now();
    await eventually(async () =>
      expect((await now().apply(service(namespace, 'web'), 'one')).status).toBeLessThan(300),
    );
    const headless = service(namespace, 'web', { clusterIP: 'None' });
    const { status, body } = await now().apply(headless, 'one', { force: 'true' });
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.message).toContain('spec.clusterIP');
  });

  it('an apply without a field manager', async () => {
    const { namespace } = now();
    const { status } = await now().send('PATCH', configMaps(namespace, 'a'), {
      body: configMap(namespace, 'a'),
      type: 'application/apply-patch+yaml',
    });
    expect([400, 422]).toContain(status);
  });

  it('an apply of one name to another', async () => {
    const { namespace } = now();
    const { status } = await now().send('PATCH', configMaps(namespace, 'b'), {
      body: configMap(namespace, 'a'),
      type: 'application/apply-patch+yaml',
      query: { fieldManager: 'one' },
    });
    expect([400, 422]).toContain(status);
    expect((await now().send('GET', configMaps(namespace, 'b'))).status).toBe(404);
  });

  it('an object in a namespace that is not there', async () => {
    const { status, body } = await now().apply(configMap(`${now().namespace}-not`, 'a'), 'one');
    expect([status, body.reason, body.details.kind]).toEqual([404, 'NotFound', 'namespaces']);
    const dry = await now().apply(configMap(`${now().namespace}-not`, 'a'), 'one', { dryRun: 'All', force: 'true' });
    expect([dry.status, dry.body.details.kind]).toEqual([404, 'namespaces']);
  });

  it('an update of an older version', async () => {
    const { namespace } = now();
    const first = (await now().apply(configMap(namespace, 'a', { color: 'red' }), 'one')).body;
    await now().apply(configMap(namespace, 'a', { color: 'blue' }), 'one');
    const { status, body } = await now().send('PUT', configMaps(namespace, 'a'), { body: first });
    expect([status, body.reason]).toEqual([409, 'Conflict']);
    const { resourceVersion } = first.metadata;
    const patched = await now().send('PATCH', configMaps(namespace, 'a'), {
      type: 'application/merge-patch+json',
      body: { metadata: { resourceVersion, labels: { a: 'b' } } },
    });
    expect([patched.status, patched.body.reason]).toEqual([409, 'Conflict']);
  });

  it('a second object of a name', async () => {
    const { namespace } = now();
    await now().apply(configMap(namespace, 'a'), 'one');
    const { status, body } = await now().send('POST', configMaps(namespace), { body: configMap(namespace, 'a') });
    expect([status, body.reason]).toEqual([409, 'AlreadyExists']);
  });

  it('what a budget forbids, with 429: too many at once', async () => {
    const { namespace } = now();
    const labels = { app: 'guarded' };
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    // Where service accounts are made by a controller, the one of a new namespace takes a moment.
    await eventually(async () => {
      const { status, body } = await now().send('POST', pods, {
        body: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'guarded', labels },
          // No node has this label, so that nothing is started and nobody reports the pod's state but us.
          spec: { containers: [container('web')], nodeSelector: { 'gitfleet.dev/contract': 'nowhere' } },
        },
      });
      expect(status, JSON.stringify(body)).toBe(201);
    });
    const budget = await now().send('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
      body: {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'guard' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      },
    });
    expect(budget.status, JSON.stringify(budget.body)).toBe(201);
    const reported = await now().send('PATCH', `${pods}/guarded/status`, {
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
    });
    expect(reported.status, JSON.stringify(reported.body)).toBe(200);
    const refused = await eventually(async () => {
      const answer = await now().send('POST', `${pods}/guarded/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'guarded', namespace } },
      });
      expect([answer.status, answer.body.reason]).toEqual([429, 'TooManyRequests']);
      return answer;
    });
    // Where the budget's controller has not looked yet, the server says when to come back.
    const wait = refused.headers['retry-after'];
    expect(wait).toBe(refused.body.details?.retryAfterSeconds?.toString());
    await now().send('DELETE', `${pods}/guarded`, { query: { gracePeriodSeconds: '0' } });
  });
}
