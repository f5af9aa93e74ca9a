import { describe, expect, it } from 'vitest';
import { assignment, configMap, deployment, namespace, openWorld } from '../support/member-world.ts';

describe('a placement on a member', () => {
  it('is applied in waves, and applying it again sends nothing', async () => {
    const world = await openWorld();
    const wanted = assignment('web', [
      deployment('web', 2, 'web:1', 'shop'),
      configMap('a', {}, 'shop'),
      namespace('shop'),
    ]);
    world.member.assign([wanted]);
    await world.pass(1);
    expect(world.observation().placements).toMatchObject([{ done: true, results: [] }]);
    expect(world.sent().filter((line) => line.startsWith('PATCH'))).toEqual([
      'PATCH namespaces/shop',
      'PATCH configmaps/a',
      'PATCH deployments/web',
    ]);
    world.member.assign([{ ...wanted, resourceSnapshotIndex: 1 }]);
    await world.pass(60);
    expect(world.sent()).toEqual([]);
    expect(world.observation()).toMatchObject({
      reachable: true,
      complete: true,
      placements: [{ done: true, resourceSnapshotIndex: 1 }],
    });
    expect(world.reported).toEqual([]);
  });

  it('sends unknown fields unchanged', async () => {
    const world = await openWorld();
    const sent = { ...configMap('a'), 'x-future': { deep: [1, { null: null }] } };
    world.member.assign([assignment('web', [sent])]);
    await world.pass(1);
    const body = world.requests.find(({ method }) => method === 'PATCH')?.body;
    expect(JSON.parse(body ?? '{}')['x-future']).toEqual({ deep: [1, { null: null }] });
  });
});
