import { expect, it, type TestContext } from 'vitest';
import { leaveOut } from './left-out.ts';
import { configMap, deployment } from './objects.ts';
import { configMaps, deployments, eventually, type Session } from './session.ts';

/** What the controllers of a cluster do, which an API server alone does not. */
export function controlled(now: () => Session): void {
  const needed = (test: TestContext): void => {
    if (!now().server.controllers) leaveOut(test, 'no controller manager runs beside this API server');
  };
  const path = (name: string) => configMaps(now().namespace, name);
  const read = async (name: string) => now().send('GET', path(name));

  async function owned(): Promise<void> {
    const { uid } = (await now().apply(configMap(now().namespace, 'owner'), 'one')).body.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    const { status } = await now().apply(configMap(now().namespace, 'owned', {}, { ownerReferences }), 'one');
    expect(status).toBe(201);
  }

  const remove = (propagationPolicy: string) =>
    now().send('DELETE', path('owner'), { body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy } });

  it.for(['Background', 'Foreground'])('removes with propagation %s what an object owns', async (policy, test) => {
    needed(test);
    await owned();
    expect((await remove(policy)).status).toBe(200);
    await eventually(async () => {
      expect([(await read('owner')).status, (await read('owned')).status]).toEqual([404, 404]);
    });
  });

  it('leaves with propagation Orphan what an object owns, without an owner', async (test) => {
    needed(test);
    await owned();
    expect((await remove('Orphan')).status).toBe(200);
    await eventually(async () => expect((await read('owner')).status).toBe(404));
    const { status, body } = await read('owned');
    expect([status, body.metadata.ownerReferences]).toEqual([200, undefined]);
  });

  it('looks at every generation of a Deployment and says whether it is available', async (test) => {
    needed(test);
    const { namespace } = now();
    for (const paused of [false, true]) {
      const { generation } = (await now().apply(deployment(namespace, 'web', { paused }), 'one')).body.metadata;
      await eventually(async () => {
        const { status } = (await now().send('GET', deployments(namespace, 'web'))).body;
        expect(status.observedGeneration).toBe(generation);
        expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Available', status: 'True' }));
      });
    }
  });
}
