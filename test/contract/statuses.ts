import { expect, it } from 'vitest';
import { deployment } from './objects.ts';
import { type Answer, deployments, type Session } from './session.ts';

interface Managed {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
}

/** Spec and status of one object are written at two places, and generations tell them apart. */
export function statuses(now: () => Session): void {
  const web = () => deployments(now().namespace, 'web');
  const condition = { type: 'Contract', status: 'True' };
  const report = (more: object = {}): Promise<Answer> =>
    now().send('PATCH', `${web()}/status`, {
      type: 'application/merge-patch+json',
      query: { fieldManager: 'reporter' },
      body: { status: { conditions: [condition] }, ...more },
    });

  it('is written through its own path, where nothing else is', async () => {
    await now().apply(deployment(now().namespace, 'web'), 'one');
    const { status, body } = await report({ spec: { replicas: 7 } });
    expect([status, body.spec.replicas, body.metadata.generation]).toEqual([200, 0, 1]);
    expect(body.status.conditions).toMatchObject([condition]);
  });

  it('belongs to whom wrote it, under the name of that path', async () => {
    const path = `/api/v1/namespaces/${now().namespace}`;
    const labelled = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: now().namespace, labels: { a: 'b' } } };
    const apply = () =>
      now().send('PATCH', path, {
        body: labelled,
        type: 'application/apply-patch+yaml',
        query: { fieldManager: 'one' },
      });
    expect((await apply()).status).toBe(200);
    const { body } = await now().send('PATCH', `${path}/status`, {
      type: 'application/merge-patch+json',
      query: { fieldManager: 'reporter' },
      body: { status: { conditions: [condition] } },
    });
    const reporter = body.metadata.managedFields.find(({ manager }: Managed) => manager === 'reporter');
    expect(reporter).toMatchObject({ operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': {} } });
    // And is no hindrance to whom the rest belongs.
    expect((await apply()).status).toBe(200);
  });

  it('the wish to remove an object is a generation of it', async () => {
    const finalizers = ['gitfleet.dev/contract'];
    const object = deployment(now().namespace, 'web');
    await now().apply({ ...object, metadata: { ...object.metadata, finalizers } }, 'one');
    now().undo(() =>
      now().send('PATCH', web(), { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } }),
    );
    const { status, body } = await now().send('DELETE', web());
    expect([status, body.metadata.generation]).toEqual([200, 2]);
  });
}
