import { describe, expect, it } from 'vitest';
import { dataOf, holding, path } from './holding.ts';

describe('an object that is changed or deleted again and again', () => {
  it('is repaired less and less often, and the status keeps naming the writer', async () => {
    const world = await holding();
    const repaired: number[] = [];
    for (let second = 0; second < 3600; second++) {
      if ((await dataOf(world)) !== undefined && JSON.stringify(await dataOf(world)) === '{"color":"red"}') {
        repaired.push(second);
        await world.user('PATCH', path, { data: { color: `blue-${second}` } }, 'other-controller');
      }
      await world.pass(1);
    }
    const waits = repaired.slice(1).map((at, index) => at - repaired[index]!);
    expect(waits.slice(3, 8)).toEqual([4, 8, 16, 32, 64]);
    expect(Math.max(...waits)).toBeGreaterThan(290);
    expect(world.results()[0]?.details).toMatchObject([{ path: '/data/color', manager: 'other-controller' }]);
    expect(world.reported.at(-1)).toBe(
      'ConfigMap default/a is changed by other-controller again and again: gitfleet repairs it less often each time, at last every 5 minutes',
    );
  }, 120_000);

  it('is created again less and less often', async () => {
    const world = await holding();
    let removed = 0;
    for (let second = 0; second < 300; second++) {
      const { code } = await world.user('DELETE', path);
      if (code === undefined) removed++;
      await world.pass(1);
    }
    expect(removed).toBeLessThan(12);
  });

  describe('is reported as', () => {
    const ending = 'again and again: gitfleet repairs it less often each time, at last every 5 minutes';
    it.each<[reported: string, what: string, by: readonly string[]]>([
      ['changed by one', 'changed twice by one and once by another', ['one', 'two', 'one']],
      ['changed by one, two', 'changed twice by each of two', ['one', 'two', 'one', 'two']],
      ['changed by one, two, three', 'changed once by each of three', ['one', 'two', 'three']],
      ['changed by one', 'changed twice and deleted once', ['one', 'delete', 'one']],
      ['deleted', 'deleted twice and changed once', ['one', 'delete', 'delete']],
      ['changed or deleted', 'changed twice and deleted twice', ['one', 'delete', 'one', 'delete']],
      ['changed or deleted', 'changed once by each of two, and deleted once', ['one', 'two', 'delete']],
    ])('%s where it was %s', async (reported, _, by) => {
      const world = await holding();
      for (const who of by) {
        if (who === 'delete') await world.user('DELETE', path);
        else await world.user('PATCH', path, { data: { color: 'blue' } }, who);
        await world.pass(10);
      }
      expect(world.reported.at(-1)).toBe(`ConfigMap default/a is ${reported} ${ending}`);
      expect(world.results()[0]?.message).toBe(world.reported.at(-1));
    });
  });

  it('is reported in its present state, with the writer, while it waits for the next repair', async () => {
    const world = await holding();
    const change = (color: string) => world.user('PATCH', path, { data: { color } }, 'other-controller');
    for (const color of ['one', 'two', 'three']) {
      await change(color);
      await world.pass(3);
    }
    await world.user('PATCH', path, { data: { color: 'four' }, metadata: { labels: { 'app.kubernetes.io/x': 'y' } } });
    await world.pass(0.1);
    const reported = (detail: object, more: object = {}) => [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' },
        result: 'Applied',
        message: expect.stringMatching(
          /^ConfigMap default\/a is changed by other-controller again and again: gitfleet repairs it/,
        ),
        details: [{ path: '/data/color', valueInHub: 'red', manager: 'kubectl-edit', ...detail }],
        ...more,
      },
    ];
    expect(await dataOf(world)).toEqual({ color: 'four' });
    expect(world.results()).toEqual(reported({ valueInMember: 'four' }));
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ color: 'red' });
    expect(world.results()).toEqual(
      reported({ valueInMember: 'four', repaired: true }, { repairedAt: '2026-11-20T10:00:11Z' }),
    );
    await change('five');
    await world.pass(0.1);
    expect(world.results()[0]?.details).toMatchObject([{ valueInMember: 'five', manager: 'other-controller' }]);
    // The other controller may also stop.
    await change('red');
    await world.pass(0.1);
    expect(world.results()[0]?.details).toMatchObject([{ valueInMember: 'four', repaired: true }]);
  });
});
