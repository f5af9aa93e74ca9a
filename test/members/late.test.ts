import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import type { Assignment } from '../../src/members/assignment.ts';
import { assignment, configMap, openWorld, simulated, type World } from '../support/member-world.ts';

const a = '/api/v1/namespaces/default/configmaps/a';
const always = { fromSeconds: 0, probability: 1 } as const;
const version = (index: number): Assignment =>
  assignment('web', [configMap('a', { version: String(index) })], { resourceSnapshotIndex: index });
const none = (): Assignment => {
  const { digest: _d, resourceSnapshotIndex: _i, ...rest } = version(1);
  return { ...rest, remove: true, manifests: [] };
};

/** Another daemon, which knows a newer plan, puts a version on the member. */
async function putByAnother(world: World, index: number): Promise<void> {
  await world.user('POST', '/api/v1/namespaces/default/configmaps', version(index).manifests[0]!.manifest, 'gitfleet');
}

const dataOf = async (world: World): Promise<unknown> => (await world.user('GET', a))['data'];

describe('a member that can be looked at only long after it was decided what it should hold', () => {
  const down: readonly (readonly [string, SimulatedFault])[] = [
    ['does not know us', { type: 'Unauthorized', ...always }],
    ['cannot be reached', { type: 'Unreachable', ...always }],
  ];

  it.each(down)(
    'and before that %s: another version that it holds by then stays until it is confirmed to be old',
    async (_, fault) => {
      const world = await openWorld({ faults: [fault] });
      world.member.assign([version(1)]);
      await world.pass(60);
      await putByAnother(world, 2);
      world.sim.setFaults([]);
      await world.pass(60);
      expect(await dataOf(world)).toEqual({ version: '2' });
      expect(world.conflict()).toBe(1);
      expect(world.observation().placements).toEqual([]);
      for (const _pass of ['may have read the record before', 'has not']) world.member.assign([version(1)]);
      await world.pass(5);
      expect(await dataOf(world)).toEqual({ version: '1' });
    },
  );

  it('loses what it holds by then only when that is confirmed not to be wanted', async () => {
    const world = await openWorld({ faults: [{ type: 'Unauthorized', ...always }] });
    world.member.assign([none()]);
    await world.pass(60);
    await putByAnother(world, 2);
    world.sim.setFaults([]);
    await world.pass(60);
    expect(await dataOf(world)).toEqual({ version: '2' });
    expect(world.conflict()).toBe(1);
    for (const _pass of ['may have read the record before', 'has not']) world.member.assign([none()]);
    await world.pass(5);
    expect(await dataOf(world)).toBeUndefined();
  });

  it('and does not let us list what it holds gets nothing before that is confirmed to be wanted', async () => {
    const world = await openWorld({ faults: [{ type: 'Unauthorized', ...always }] });
    world.member.assign([version(1)]);
    await world.pass(60);
    await putByAnother(world, 2);
    world.sim.setFaults([{ type: 'Forbidden', verbs: ['list'], resources: ['configmaps'], ...always }]);
    await world.pass(60);
    expect(await dataOf(world)).toEqual({ version: '2' });
    for (const _pass of ['may have read the record before', 'has not']) world.member.assign([version(1)]);
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ version: '1' });
  });
});

it.each<SimulatedFault>([
  { type: 'Forbidden', resources: ['configmaps'], ...always },
  { type: 'Unauthorized', ...always },
])(
  'what a member showed before its watch was lost is not taken for what it holds when it takes an apply again: $type',
  async (fault) => {
    const world = await openWorld();
    world.member.assign([version(1)]);
    await world.pass(5);
    // Long enough for the server to end the watch that is open.
    world.sim.setFaults([fault]);
    await world.pass(1_000);
    world.member.assign([version(2)]);
    await world.pass(60);
    await world.user('PUT', a, version(3).manifests[0]!.manifest, 'gitfleet');
    world.sim.setFaults([{ type: 'Forbidden', verbs: ['list', 'watch'], resources: ['configmaps'], ...always }]);
    await world.pass(400);
    expect(await dataOf(world)).toEqual({ version: '3' });
    expect(world.conflict()).toBe(1);
    for (const _pass of ['may have read the record before', 'has not']) world.member.assign([version(2)]);
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ version: '2' });
  },
);

it('what an older version that was still on its way came to says nothing about the present one', async () => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(1);
  world.sim.setFaults([{ type: 'Latency', seconds: 10, verbs: ['patch'], ...always }]);
  world.member.assign([version(2)]);
  await world.pass(1);
  world.member.assign([version(3)]);
  await world.pass(14);
  expect(await dataOf(world)).toEqual({ version: '2' });
  expect(world.observation().placements).toMatchObject([{ resourceSnapshotIndex: 3, done: false }]);
  for (let passes = 0; passes < 3; passes++) {
    world.member.assign([version(3)]);
    await world.pass(5);
  }
  expect(await dataOf(world)).toEqual({ version: '3' });
  expect(world.observation().placements).toMatchObject([{ resourceSnapshotIndex: 3, done: true }]);
});

it.each<[string, SimulatedFault['type'], readonly ('get' | 'patch')[]]>([
  ['an apply that is long on its way', 'Latency', ['patch']],
  ['an apply of what had to be looked for', 'Latency', ['get']],
])('%s does not replace what another daemon has put there meanwhile', async (_, type, verbs) => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(1);
  // What has lost our label is not shown, and has to be looked for.
  if (verbs.includes('get')) await world.user('PATCH', a, { metadata: { labels: { 'gitfleet.dev/placement': null } } });
  world.sim.setFaults([{ type, seconds: 10, verbs: [...verbs], ...always } as SimulatedFault]);
  world.member.assign([version(2)]);
  await world.pass(5);
  await world.user('PUT', a, version(3).manifests[0]!.manifest, 'gitfleet');
  await world.pass(20);
  expect(await dataOf(world)).toEqual({ version: '3' });
  expect(world.conflict()).toBeGreaterThan(0);
  world.sim.setFaults([]);
  for (const _pass of ['may have read the record before', 'has not']) world.member.assign([version(2)]);
  await world.pass(5);
  expect(await dataOf(world)).toEqual({ version: '2' });
});

it('an object that is long on its way to a member does not replace what another daemon has made there meanwhile', async () => {
  const world = await openWorld({ faults: [{ type: 'Latency', seconds: 10, verbs: ['patch'], ...always }] });
  world.member.assign([version(1)]);
  await world.pass(5);
  await putByAnother(world, 2);
  await world.pass(20);
  expect(await dataOf(world)).toEqual({ version: '2' });
  expect(world.conflict()).toBeGreaterThan(0);
});

it('a version that is long on its way is not made anew where another daemon has removed the object meanwhile', async () => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(1);
  world.sim.setFaults([{ type: 'Latency', seconds: 10, verbs: ['patch'], ...always }]);
  world.member.assign([version(2)]);
  await world.pass(5);
  await world.user('DELETE', a);
  world.member.assign([none()]);
  await world.pass(20);
  expect(await dataOf(world)).toBeUndefined();
  expect(world.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
});

it.each([404, 409])('what has gone since it was seen is made anew where the server answers %i', async (status) => {
  let isGone = false;
  const world = await openWorld(
    {},
    {
      intercept: ({ method, body }) =>
        isGone && method === 'PATCH' && body?.includes('"uid"')
          ? { status, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'moved on', code: status } }
          : undefined,
    },
  );
  world.member.assign([version(1)]);
  await world.pass(5);
  world.sim.setFaults([{ type: 'SilentWatch', ...always }]);
  await world.pass(1_000);
  await world.user('DELETE', a);
  isGone = true;
  world.member.assign([version(2)]);
  await world.pass(2);
  expect(await dataOf(world)).toEqual({ version: '2' });
});

it('a version that is held back, since another daemon has a newer one, does not come to a cluster that takes the place of that one', async () => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(5);
  await world.user('PUT', a, version(2).manifests[0]!.manifest, 'gitfleet');
  await world.pass(2);
  world.sim = await simulated({ name: 'successor' }, world.clock);
  await world.pass(200);
  expect(await dataOf(world)).toBeUndefined();
  for (const _pass of ['may have read the record before', 'has not']) world.member.assign([version(1)]);
  await world.pass(5);
  expect(await dataOf(world)).toEqual({ version: '1' });
});

it('what was confirmed to be old is confirmed once: a version that comes later is not', async () => {
  const world = await openWorld();
  world.member.assign([{ ...version(1), adopted: true }]);
  await putByAnother(world, 2);
  await world.pass(5);
  for (let passes = 0; passes < 2; passes++) world.member.assign([version(1)]);
  await world.pass(5);
  expect(await dataOf(world)).toEqual({ version: '1' });
  await world.user('PUT', a, version(3).manifests[0]!.manifest, 'gitfleet');
  await world.pass(60);
  expect(await dataOf(world)).toEqual({ version: '3' });
});

it('what is missing when a daemon starts is put back only when it is confirmed to be wanted: a later plan may have removed it', async () => {
  const world = await openWorld();
  world.member.assign([{ ...version(1), adopted: true }]);
  await world.pass(60);
  expect(await dataOf(world)).toBeUndefined();
  expect(world.conflict()).toBe(1);
  expect(world.observation().placements).toEqual([]);
  world.member.assign([version(1)]);
  await world.pass(5);
  expect(await dataOf(world)).toBeUndefined();
  world.member.assign([version(1)]);
  await world.pass(5);
  expect(await dataOf(world)).toEqual({ version: '1' });
});

it('a member is not known to hold nothing of a placement while an apply from before its removal is on its way', async () => {
  const world = await openWorld({ faults: [{ type: 'Latency', seconds: 20, verbs: ['patch'], ...always }] });
  world.member.assign([version(1)]);
  await world.pass(5);
  expect(world.observation()).toMatchObject({ complete: false, objects: [] });
  world.member.assign([none()]);
  await world.pass(5);
  expect(world.observation()).toMatchObject({ complete: false, objects: [] });
  await world.pass(30);
  expect(world.observation()).toMatchObject({ complete: true, objects: [] });
  expect(await dataOf(world)).toBeUndefined();
});

it('what waits for a pause that the member asked for is not sent when something else is wanted by then', async () => {
  const world = await openWorld({
    faults: [
      {
        type: 'TooManyRequests',
        retryAfterSeconds: 20,
        verbs: ['patch'],
        fromSeconds: 0,
        untilSeconds: 5,
        probability: 1,
      },
    ],
  });
  const stored: unknown[] = [];
  world.sim.cluster.store.observe(({ object }) => {
    if (object.kind === 'ConfigMap') stored.push((object as { data?: unknown }).data);
  });
  world.member.assign([version(1)]);
  await world.pass(2);
  world.member.assign([version(2)]);
  await world.pass(60);
  expect(stored).toEqual([{ version: '2' }]);
  expect(world.observation().placements).toMatchObject([{ resourceSnapshotIndex: 2, done: true, results: [] }]);
});

it('a removal that waits for such a pause is not sent when the object is wanted again by then', async () => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(5);
  const uid = async () => ((await world.user('GET', a))['metadata'] as { uid?: string } | undefined)?.uid;
  const before = await uid();
  world.sim.setFaults([{ type: 'TooManyRequests', retryAfterSeconds: 20, verbs: ['delete'], ...always }]);
  world.member.assign([none()]);
  await world.pass(2);
  world.sim.setFaults([]);
  world.member.assign([version(1)]);
  await world.pass(60);
  expect(await uid()).toBe(before);
  expect(world.observation().placements).toMatchObject([{ resourceSnapshotIndex: 1, done: true, results: [] }]);
  expect(world.said).toEqual([]);
});
