import { expect, it } from 'vitest';
import { configMap } from './objects.ts';
import { type Answer, configMaps, eventually, type Session } from './session.ts';

export function removing(now: () => Session): void {
  const path = (name = 'a') => configMaps(now().namespace, name);
  const make = async (metadata: object = {}) =>
    (await now().apply(configMap(now().namespace, 'a', {}, metadata), 'one')).body.metadata;
  const remove = (options: object): Promise<Answer> =>
    now().send('DELETE', path(), { body: { kind: 'DeleteOptions', apiVersion: 'v1', ...options } });
  const release = () =>
    now().send('PATCH', path(), { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } });
  const finalizers = ['gitfleet.dev/contract'];

  it('of an object in the state that was looked at', async () => {
    const { uid, resourceVersion } = await make();
    const { status } = await remove({ propagationPolicy: 'Background', preconditions: { uid, resourceVersion } });
    expect(status).toBe(200);
    expect((await now().send('GET', path())).status).toBe(404);
  });

  it.each([
    ['another uid', { uid: '00000000-0000-4000-8000-000000000000' }],
    ['another version', { resourceVersion: '1' }],
  ])('is refused with 409 for an object of %s, which stays', async (_, preconditions) => {
    await make();
    const { status, body } = await remove({ preconditions });
    expect([status, body.reason]).toEqual([409, 'Conflict']);
    expect((await now().send('GET', path())).status).toBe(200);
  });

  it('of what is not there is 404', async () => {
    const { status, body } = await remove({});
    expect([status, body.reason]).toEqual([404, 'NotFound']);
  });

  it('waits for finalizers: the object is marked and stays until the last is taken off', async () => {
    await make({ finalizers });
    now().undo(release);
    const { status, body } = await remove({});
    expect([status, body.metadata.finalizers]).toEqual([200, finalizers]);
    expect(body.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    const more = [...finalizers, 'gitfleet.dev/another'];
    const added = await now().send('PATCH', path(), {
      type: 'application/merge-patch+json',
      body: { metadata: { finalizers: more } },
    });
    expect(added.status).toBe(422);
    await release();
    expect((await now().send('GET', path())).status).toBe(404);
  });

  it.each([
    ['Foreground', 'foregroundDeletion'],
    ['Orphan', 'orphan'],
  ])(
    'with propagation %s leaves the rest to the garbage collector by the finalizer %s',
    async (propagationPolicy, finalizer) => {
      await make({ finalizers });
      now().undo(release);
      const { status, body } = await remove({ propagationPolicy });
      expect([status, body.metadata.finalizers]).toEqual([200, expect.arrayContaining([finalizer])]);
      expect(body.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    },
  );

  it('of a namespace lets nothing new in while it ends', async () => {
    const namespace = await now().makeNamespace();
    const inside = configMaps(namespace, 'a');
    await now().apply(configMap(namespace, 'a', {}, { finalizers }), 'one');
    now().undo(() =>
      now().send('PATCH', inside, { type: 'application/merge-patch+json', body: { metadata: { finalizers: null } } }),
    );
    await now().send('DELETE', `/api/v1/namespaces/${namespace}`);
    const { body: ending } = await now().send('GET', `/api/v1/namespaces/${namespace}`);
    expect([ending.status.phase, typeof ending.metadata.deletionTimestamp]).toEqual(['Terminating', 'string']);
    // A server may learn a moment later that it ends; then what was let in stands, and another one is refused.
    let attempt = 0;
    await eventually(async () => {
      const { status, body } = await now().apply(configMap(namespace, `b-${attempt++}`), 'one');
      expect([status, body.reason, body.details.causes[0].reason]).toEqual([403, 'Forbidden', 'NamespaceTerminating']);
      expect(body.message).toContain('is being terminated');
    });
  });
}
