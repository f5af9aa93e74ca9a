import { describe, expect, it } from 'vitest';
import { assignment, configMap, namespace, openWorld } from '../../../support/member-world.ts';
import { dataOf, holding, path } from './holding.ts';

describe('a deleted object', () => {
  it('is created again at once; the third time in a row is reported as a fight', async () => {
    const world = await holding();
    for (const _ of [1, 2, 3]) {
      await world.user('DELETE', path);
      await world.pass(5);
      expect(await dataOf(world)).toEqual({ color: 'red' });
    }
    expect(world.reported).toEqual([
      'ConfigMap default/a was deleted and was created again',
      'ConfigMap default/a was deleted and was created again',
      'ConfigMap default/a is deleted again and again: gitfleet repairs it less often each time, at last every 5 minutes',
    ]);
  });

  it('is created again, and the status reports it', async () => {
    const world = await holding();
    await world.user('DELETE', path);
    await world.pass(1);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toMatchObject([
      { result: 'Applied', details: [{ path: '/', valueInHub: '(the whole object)' }] },
    ]);
  });

  it('is reported also when its namespace is deleted', async () => {
    const world = await openWorld({});
    world.member.assign([assignment('web', [namespace('shop'), configMap('a', { color: 'red' }, 'shop')])]);
    await world.pass(5);
    await world.user('DELETE', '/api/v1/namespaces/shop');
    await world.pass(60);
    expect(world.reported.toSorted()).toEqual([
      'ConfigMap shop/a was deleted and was created again',
      'Namespace shop was deleted and was created again',
    ]);
    const whole = { path: '/', valueInHub: '(the whole object)', repaired: true };
    expect(world.results()).toMatchObject([
      { object: { kind: 'ConfigMap' }, result: 'Applied', details: [whole] },
      { object: { kind: 'Namespace' }, result: 'Applied', details: [whole] },
    ]);
  });

  it('is created again as soon as its namespace exists, without waiting for another attempt', async () => {
    const world = await openWorld({});
    world.member.assign([assignment('web', [namespace('shop'), configMap('a', { color: 'red' }, 'shop')])]);
    await world.pass(5);
    await world.user('DELETE', '/api/v1/namespaces/shop');
    const at: Record<string, number> = {};
    for (let tenth = 0; tenth < 100; tenth++) {
      const there = await Promise.all(
        ['/api/v1/namespaces/shop', '/api/v1/namespaces/shop/configmaps/a'].map((each) => world.user('GET', each)),
      );
      there.forEach(({ metadata }, index) => {
        const { uid, deletionTimestamp } = (metadata ?? {}) as { uid?: string; deletionTimestamp?: string };
        if (uid !== undefined && deletionTimestamp === undefined) at[`${index} ${uid}`] ??= tenth;
      });
      await world.pass(0.1);
    }
    const backAt = (index: number) => Object.entries(at).findLast(([key]) => key.startsWith(`${index} `))![1];
    expect(backAt(0)).toBeGreaterThan(0);
    expect(backAt(1) - backAt(0)).toBeLessThan(3);
  });

  it('is not reported as deleted by its last writer', async () => {
    const world = await holding();
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(1);
    await world.user('DELETE', path);
    await world.pass(3);
    expect(world.reported).toEqual([
      'ConfigMap default/a was changed by kubectl-edit and was repaired: /data/color',
      'ConfigMap default/a was deleted and was created again',
    ]);
    expect(world.results()[0]?.details).toEqual([{ path: '/', valueInHub: '(the whole object)', repaired: true }]);
  });
});
