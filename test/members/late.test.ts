import { describe, expect, it } from 'vitest';
import type { SimulatedFault } from '../../src/api/simulated-fleet.ts';
import type { PlacementAssignment } from '../../src/members/assignment.ts';
import { assignment, configMap, openWorld, simulated, type World } from '../support/member-world.ts';

const a = '/api/v1/namespaces/default/configmaps/a';
const always = { fromSeconds: 0, probability: 1 } as const;
const version = (index: number): PlacementAssignment =>
  assignment('web', [configMap('a', { version: String(index) })], { resourceSnapshotIndex: index });
const none = (): PlacementAssignment => {
  const { digest: _d, resourceSnapshotIndex: _i, ...rest } = version(1);
  return { ...rest, remove: true, manifests: [] };
};

/** Another daemon, which knows a newer plan, puts a version on the member. */
async function putByAnother(world: World, index: number): Promise<void> {
  await world.user('POST', '/api/v1/namespaces/default/configmaps', version(index).manifests[0]!.manifest, 'gitfleet');
}

const dataOf = async (world: World): Promise<unknown> => (await world.user('GET', a))['data'];

describe('a member that is observed long after its assignment was made', () => {
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

  it('removes objects found then only after the record confirmed their removal', async () => {
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

  it('and does not allow lists gets nothing before the assignment is confirmed', async () => {
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

describe('a plan that another daemon recorded', () => {
  const recorded = (index: number): PlacementAssignment => ({ ...version(index), pushed: false });

  it('does not replace what a still newer plan brought while the record was read', async () => {
    const world = await openWorld();
    world.member.assign([version(1)]);
    await world.pass(5);
    await world.user('PUT', a, version(3).manifests[0]!.manifest, 'gitfleet');
    await world.pass(1);
    world.member.assign([recorded(2)]);
    await world.pass(60);
    expect(await dataOf(world)).toEqual({ version: '3' });
    for (const _pass of ['may have read the record before', 'has not']) world.member.assign([recorded(2)]);
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ version: '2' });
  });

  it('replaces at once what was there before the record was read', async () => {
    const world = await openWorld();
    world.member.assign([version(1)]);
    await world.pass(5);
    world.member.assign([recorded(2)]);
    await world.pass(5);
    expect(await dataOf(world)).toEqual({ version: '2' });
    expect(world.conflict()).toBe(0);
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

it('the result of an attempt at an older version does not count for the present one', async () => {
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
  ['a delayed apply', 'Latency', ['patch']],
  ['an apply after a read', 'Latency', ['get']],
])('%s does not replace what another daemon applied meanwhile', async (_, type, verbs) => {
  const world = await openWorld();
  world.member.assign([version(1)]);
  await world.pass(1);
  // The watch does not show an object that lost our label, so it is read.
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

it('a delayed create does not replace what another daemon created meanwhile', async () => {
  const world = await openWorld({ faults: [{ type: 'Latency', seconds: 10, verbs: ['patch'], ...always }] });
  world.member.assign([version(1)]);
  await world.pass(5);
  await putByAnother(world, 2);
  await world.pass(20);
  expect(await dataOf(world)).toEqual({ version: '2' });
  expect(world.conflict()).toBeGreaterThan(0);
});

it('a delayed apply does not create an object again that another daemon removed meanwhile', async () => {
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

it.each([404, 409])(
  'an object deleted since it was seen is created again when the server returns %i',
  async (status) => {
    let isGone = false;
    const world = await openWorld(
      {},
      {
        intercept: ({ method, body }) =>
          isGone && method === 'PATCH' && body?.includes('"uid"')
            ? {
                status,
                body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'moved on', code: status },
              }
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
  },
);

it('an unconfirmed version is not applied to a cluster that replaces the member', async () => {
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

it('a confirmation that an object is out of date counts once: later versions need their own', async () => {
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

it('an object missing at the start of a daemon is created only after confirmation: a later plan may have removed it', async () => {
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

it('a placement does not count as removed while an earlier apply is in flight', async () => {
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

it('a request that waits for Retry-After is not sent when the assignment changed meanwhile', async () => {
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

it('a removal that waits for Retry-After is not sent when the object is wanted again', async () => {
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
  expect(world.reported).toEqual([]);
});
