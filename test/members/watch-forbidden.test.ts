import { describe, expect, it } from 'vitest';
import { assignment, configMap, openWorld, type World } from '../support/member-world.ts';
import { always } from './faults/holding.ts';

const path = '/api/v1/namespaces/default/configmaps/a';
const forbidden = (...verbs: string[]) => ({
  faults: [{ type: 'Forbidden', verbs, resources: ['configmaps'], ...always }],
});

async function holding(...verbs: string[]): Promise<World> {
  const world = await openWorld(forbidden(...verbs));
  world.member.assign([assignment('web', [configMap('a', { color: 'red' }), configMap('b')])]);
  await world.pass(2);
  return world;
}

const color = async (world: World) => ((await world.user('GET', path)) as { data?: { color: string } }).data?.color;
const reads = (world: World) => world.sent().filter((line) => line === 'GET configmaps/a').length;

describe('a kind that may be read and written but not listed', () => {
  it('is applied, complete, and reported as read only at intervals', async () => {
    const world = await holding('list', 'watch');
    expect(await color(world)).toBe('red');
    expect(world.observation()).toMatchObject({ complete: true, objects: [{}, {}] });
    const message = expect.stringMatching(
      /^list \/api\/v1\/configmaps on eu-1: 403, .*configmaps cannot be watched, gitfleet reads them one by one, at last every 5 minutes$/,
    );
    expect(world.results()).toMatchObject([
      { object: { name: 'a' }, result: 'Applied', message },
      { object: { name: 'b' }, result: 'Applied', message },
    ]);
    expect(world.reported).toEqual([message]);
  });

  it('is read soon after it was applied, then every 5 minutes', async () => {
    const world = await holding('list', 'watch');
    await world.pass(1_200);
    world.sent();
    await world.pass(3_600);
    expect(reads(world)).toBeGreaterThanOrEqual(12);
    expect(reads(world)).toBe(0);
    world.member.assign([assignment('web', [configMap('a', { color: 'blue' }), configMap('b')])]);
    await world.pass(30);
    expect(reads(world)).toBeGreaterThanOrEqual(4);
  }, 60_000);

  it.each<[string, (world: World) => Promise<unknown>]>([
    ['changed', (world) => world.user('PATCH', path, { data: { color: 'blue' } })],
    ['deleted', (world) => world.user('DELETE', path)],
  ])(
    'is repaired within 5 minutes when it is %s',
    async (_, disturb) => {
      const world = await holding('list', 'watch');
      await world.pass(1_200);
      await disturb(world);
      await world.pass(310);
      expect(await color(world)).toBe('red');
      expect(world.reported.at(-1)).toMatch(
        /ConfigMap default\/a was (changed by kubectl-edit and was repaired|deleted and was created again)/,
      );
    },
    60_000,
  );

  it('is removed, and known to be gone', async () => {
    const world = await holding('list', 'watch');
    await world.pass(600);
    world.member.assign([
      {
        ...assignment('web', []),
        prunable: assignment('web', [configMap('a'), configMap('b')]).prunable,
        remove: true,
      },
    ]);
    await world.pass(5);
    expect(await color(world)).toBeUndefined();
    expect(world.observation()).toMatchObject({ complete: true, objects: [] });
  });

  it('is watched once it may be', async () => {
    const world = await holding('list', 'watch');
    world.sim.setFaults([]);
    await world.pass(320);
    expect(world.results()).toEqual([]);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(2);
    expect(await color(world)).toBe('red');
  });
});

describe('a kind that may be listed but not watched', () => {
  it('is listed every minute, which the status reports', async () => {
    const world = await holding('watch');
    expect(world.observation()).toMatchObject({ complete: true });
    expect(world.results()[0]?.message).toMatch(/403.*configmaps are listed every minute instead$/);
    await world.pass(600);
    await world.user('PATCH', path, { data: { color: 'blue' } });
    await world.pass(62);
    expect(await color(world)).toBe('red');
    expect(world.reported).toHaveLength(2);
    world.sim.setFaults([]);
    await world.pass(600);
    expect(world.results()).toEqual([]);
  });
});

it('a kind that may not be read either makes the observation incomplete', async () => {
  const world = await holding('list', 'watch', 'get');
  await world.pass(60);
  expect(world.observation()).toMatchObject({ complete: false });
});

it('an object that may not be read costs one request a retry', async () => {
  const world = await openWorld(forbidden('list', 'watch', 'get'));
  const web = [assignment('web', [configMap('a'), configMap('b')])];
  world.member.assign(web);
  const countOf = (pattern: RegExp) => world.requests.filter(({ path }) => pattern.test(path)).length;
  const costs: number[] = [];
  for (let second = 0; second < 120; second++) {
    const before = { reads: countOf(/configmaps\/a/), lists: countOf(/configmaps\?/) };
    await world.pass(1);
    // The watch reads it after each refused list.
    const cost = countOf(/configmaps\/a/) - before.reads - (countOf(/configmaps\?/) - before.lists);
    if (cost > 0) costs.push(cost);
    // As a daemon does that read the record again: whoever may not see an object may not replace it without that.
    world.member.assign(web);
  }
  expect(costs.length).toBeGreaterThan(3);
  expect(new Set(costs)).toEqual(new Set([1]));
  expect(world.results()).toMatchObject([
    { object: { name: 'a' }, message: expect.stringContaining('403') },
    { object: { name: 'b' }, message: expect.stringContaining('403') },
  ]);
});
