import { beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

/**
 * Requests as kubectl 1.32.4 sends them, recorded: method, path and query, headers, body to the byte. For machines without
 * kubectl, and for what kubectl's output does not show.
 */
const table = {
  accept:
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
};
const discovery = {
  accept:
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json',
};
const plain = { accept: 'application/json' };
const applying = { ...plain, 'content-type': 'application/apply-patch+yaml' };
const merging = { ...plain, 'content-type': 'application/merge-patch+json' };
const strategic = { ...plain, 'content-type': 'application/strategic-merge-patch+json' };
const protobuf = {
  accept: 'application/vnd.kubernetes.protobuf,application/json',
  'content-type': 'application/vnd.kubernetes.protobuf',
};
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const web = `${deployments}/web`;
const body = (image: string) =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default"},"spec":{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"image":"${image}","name":"main","ports":[{"containerPort":80}]}]}}}}\n`;
const apply = `${web}?fieldManager=kubectl&fieldValidation=Strict&force=false`;

let world: World;
beforeEach(async () => {
  world = await openWorld({ readySeconds: { Deployment: 1 } });
});
const applied = () => world.request('PATCH', apply, body('app:1'), applying);
/** The events of a watch that are there without waiting. */
async function eventsOf(stream: AsyncIterable<Uint8Array>, count: number) {
  const lines: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    lines.push(...decoder.decode(chunk).split('\n').filter(Boolean));
    if (lines.length >= count) break;
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of any shape.
  return lines.map((line) => JSON.parse(line) as any);
}

describe('the first requests of kubectl', () => {
  it('discovery in the form it likes best, with the parameters of that form in the answer', async () => {
    const { headers, body: answer } = await world.request('GET', '/apis?timeout=32s', undefined, discovery);
    expect(headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    const found = typeof answer === 'string' ? JSON.parse(answer) : answer;
    expect(found.kind).toBe('APIGroupDiscoveryList');
    const apps = found.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'apps');
    expect(apps.versions[0].resources.find((item: { resource: string }) => item.resource === 'deployments')).toEqual({
      resource: 'deployments',
      responseKind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      scope: 'Namespaced',
      singularResource: 'deployment',
      shortNames: ['deploy'],
      categories: ['all'],
      verbs: expect.arrayContaining([
        'get',
        'list',
        'watch',
        'create',
        'update',
        'patch',
        'delete',
        'deletecollection',
      ]),
      subresources: expect.arrayContaining([expect.objectContaining({ subresource: 'scale' })]),
    });
  });

  it('plain discovery, for older clients', async () => {
    expect((await world.request('GET', '/api', undefined, plain)).body).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
    });
    expect((await world.request('GET', '/apis/apps', undefined, plain)).body).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { groupVersion: 'apps/v1' },
    });
    expect(
      (await world.request('GET', '/api/v1', undefined, { accept: 'application/json, */*' })).body.resources,
    ).toContainEqual(expect.objectContaining({ name: 'pods', kind: 'Pod', namespaced: true, shortNames: ['po'] }));
  });

  it('the OpenAPI of a group, by the hash of the index; and not again what it has', async () => {
    const { body: index } = await world.request('GET', '/openapi/v3?timeout=32s', undefined, plain);
    const url: string = index.paths['apis/apps/v1'].serverRelativeURL;
    const { headers, body: document } = await world.request('GET', `${url}&timeout=32s`, undefined, plain);
    expect(url).toBe(`/openapi/v3/apis/apps/v1?hash=${headers['etag']!.slice(1, -1)}`);
    const write = document.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}'].patch;
    expect(write.parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']),
    );
    const again = await world.request('GET', `${url}&timeout=32s`, undefined, {
      ...plain,
      'if-none-match': headers['etag']!,
    });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it.each(['/readyz', '/livez', '/healthz', '/readyz?verbose'])('%s', async (path) => {
    expect(await world.request('GET', path)).toMatchObject({ status: 200, body: 'ok' });
  });
});

describe('kubectl get', () => {
  it('lists as a table', async () => {
    await applied();
    world.seconds(5);
    const { body: answer } = await world.request('GET', `${deployments}?limit=500`, undefined, table);
    expect(answer).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(answer.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
      'Containers',
      'Images',
      'Selector',
    ]);
    expect(answer.rows).toEqual([
      {
        cells: ['web', '3/3', 3, 3, '5s', 'main', 'app:1', 'app=web'],
        object: expect.objectContaining({ kind: 'PartialObjectMetadata' }),
      },
    ]);
  });

  it('watches as tables, one for each event', async () => {
    const { body: before } = await world.request('GET', `${deployments}?limit=500`, undefined, table);
    const { resourceVersion } = before.metadata;
    const { status, body: stream } = await world.request(
      'GET',
      `${deployments}?resourceVersion=${resourceVersion}&watch=true`,
      undefined,
      table,
    );
    expect(status).toBe(200);
    await applied();
    const [event] = await eventsOf(stream, 1);
    expect(event).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Table', rows: [{ cells: ['web', '0/3', 0, 0, '0s', 'main', 'app:1', 'app=web'] }] },
    });
    expect(event.object.columnDefinitions).toHaveLength(8);
  });
});

describe('kubectl apply', () => {
  it('on the server makes the object, and the second time changes nothing', async () => {
    const first = await applied();
    expect(first.status).toBe(201);
    expect(first.body.metadata.managedFields).toEqual([
      expect.objectContaining({
        manager: 'kubectl',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
      }),
    ]);
    const second = await applied();
    expect(second.status).toBe(200);
    expect(second.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it('from the client gets, and patches strategically with what it applied as an annotation', async () => {
    await applied();
    const { body: live } = await world.request('GET', web, undefined, plain);
    expect(live.metadata.managedFields).toHaveLength(1);
    const patch = JSON.stringify({
      metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': body('app:2') } },
      spec: {
        template: {
          spec: { '$setElementOrder/containers': [{ name: 'main' }], containers: [{ image: 'app:2', name: 'main' }] },
        },
      },
    });
    const { status, body: patched } = await world.request(
      'PATCH',
      `${web}?fieldManager=kubectl-client-side-apply&fieldValidation=Strict`,
      patch,
      strategic,
    );
    expect(status).toBe(200);
    expect(patched.spec.template.spec.containers).toEqual([
      expect.objectContaining({ image: 'app:2', name: 'main', ports: [{ containerPort: 80, protocol: 'TCP' }] }),
    ]);
    expect(patched.metadata.generation).toBe(2);
  });

  it('diffs by a dry run, which changes nothing', async () => {
    await applied();
    const { body: live } = await world.request('GET', web, undefined, plain);
    const { body: dry } = await world.request(
      'PATCH',
      `${web}?dryRun=All&fieldManager=kubectl&force=false`,
      body('app:2'),
      applying,
    );
    expect(dry.spec.template.spec.containers[0].image).toBe('app:2');
    expect((await world.request('GET', web, undefined, plain)).body).toEqual(live);
  });

  it('is refused with a conflict that names who has which field', async () => {
    await applied();
    await world.request('PATCH', `${web}?fieldManager=kubectl-edit`, '{"spec":{"replicas":5}}', merging);
    const { status, body: refused } = await applied();
    expect([status, refused]).toEqual([
      409,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message:
          'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1 at 2026-01-01T00:00:00Z: .spec.replicas',
        reason: 'Conflict',
        details: {
          causes: [
            {
              reason: 'FieldManagerConflict',
              message: 'conflict with "kubectl-edit" using apps/v1 at 2026-01-01T00:00:00Z',
              field: '.spec.replicas',
            },
          ],
        },
        code: 409,
      },
    ]);
  });
});

describe('kubectl changes things', () => {
  it('labels by a merge patch', async () => {
    await applied();
    const { body: labelled } = await world.request(
      'PATCH',
      `${web}?fieldManager=kubectl-label`,
      '{"metadata":{"labels":{"a":"b"}}}',
      merging,
    );
    expect(labelled.metadata).toMatchObject({ labels: { a: 'b' }, generation: 1 });
  });

  it('scales by a merge patch of the scale', async () => {
    await applied();
    const { status, body: scale } = await world.request('PATCH', `${web}/scale`, '{"spec":{"replicas":1}}', {
      accept: 'application/json, */*',
      'content-type': 'application/merge-patch+json',
    });
    expect([status, scale]).toEqual([
      200,
      expect.objectContaining({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        spec: { replicas: 1 },
        status: expect.objectContaining({ selector: 'app=web' }),
      }),
    ]);
    expect((await world.request('GET', web, undefined, plain)).body.spec.replicas).toBe(1);
  });

  it('replaces by a PUT of the version it saw, and not of an older one', async () => {
    const { body: first } = await applied();
    const text = body('app:2').replace(
      '"namespace":"default"',
      `"namespace":"default","resourceVersion":"${first.metadata.resourceVersion}"`,
    );
    const put = () =>
      world.request('PUT', `${web}?fieldManager=kubectl-replace&fieldValidation=Strict`, text, {
        ...plain,
        'content-type': 'application/json',
      });
    expect((await put()).status).toBe(200);
    expect(await put()).toMatchObject({
      status: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'web', group: 'apps', kind: 'deployments' },
      },
    });
  });

  it('gets an error for protobuf with the supported types', async () => {
    const recorded = Buffer.from('azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhoKEgoCeDESABoAIgAqADIAOABCABIAGgIKABoAIgA=', 'base64');
    expect(await world.request('POST', '/api/v1/namespaces', recorded.toString(), protobuf)).toMatchObject({
      status: 415,
      body: {
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (simulated members read no protobuf: use kubectl apply, or kubectl create -f)',
      },
    });
  });

  it('checks its rights by protobuf', async () => {
    const recorded = Buffer.from(
      'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPwoQCgASABoAIgAqADIAOABCABIhCh8KB2RlZmF1bHQSBmNyZWF0ZRoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=',
      'base64',
    );
    expect(
      await world.request(
        'POST',
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        recorded.toString(),
        protobuf,
      ),
    ).toMatchObject({
      status: 201,
      body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
    });
  });
});

describe('kubectl waits', () => {
  it('by a list of one object and a watch with bookmarks', async () => {
    await applied();
    const { body: found } = await world.request(
      'GET',
      `${deployments}?fieldSelector=metadata.name%3Dweb&limit=500&resourceVersion=0`,
      undefined,
      plain,
    );
    expect(found).toMatchObject({
      kind: 'DeploymentList',
      apiVersion: 'apps/v1',
      items: [{ metadata: { name: 'web' } }],
    });
    const { body: stream } = await world.request(
      'GET',
      `${deployments}?allowWatchBookmarks=true&fieldSelector=metadata.name%3Dweb&resourceVersion=${found.metadata.resourceVersion}&timeoutSeconds=90&watch=true`,
      undefined,
      plain,
    );
    world.seconds(100);
    const events = await eventsOf(stream, Number.POSITIVE_INFINITY);
    expect(events.at(-1)).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'Deployment', metadata: { resourceVersion: expect.any(String) } },
    });
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['MODIFIED', 'BOOKMARK']));
  });

  it('for the end of what it deleted', async () => {
    await applied();
    const { status, body: gone } = await world.request('DELETE', web, '{"propagationPolicy":"Background"}\n', {
      ...plain,
      'content-type': 'application/json',
    });
    expect([status, gone]).toEqual([
      200,
      expect.objectContaining({
        kind: 'Status',
        status: 'Success',
        details: expect.objectContaining({ name: 'web', group: 'apps', kind: 'deployments' }),
      }),
    ]);
    expect(await world.request('GET', web, undefined, plain)).toMatchObject({
      status: 404,
      body: { reason: 'NotFound', message: 'deployments.apps "web" not found', code: 404 },
    });
  });
});
