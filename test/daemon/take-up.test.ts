import { afterEach, expect, it } from 'vitest';
import { images, settledFleet, settles, web } from '../support/small-fleet.ts';
import type { VirtualDaemon, VirtualFleet } from '../support/virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

async function settled(): Promise<VirtualDaemon> {
  const world = await settledFleet();
  ({ fleet } = world);
  return world.one;
}

const status = 'refs/heads/fleet-status';

/** What the first plan that a daemon published made of each cluster, and whether it is told to be available. */
function firstTold({ passes }: VirtualDaemon) {
  const first = passes.find((pass) => pass.kind === 'published');
  if (first?.kind !== 'published') throw new Error('nothing was published');
  return first.plan.placements[0]!.bindings.map(({ clusterName, move, conditions }) => [
    clusterName,
    move,
    conditions?.find(({ type }) => type === 'Available')?.status,
  ]);
}

const oneAtATime = [
  ['a', 'update', undefined],
  ['b', 'wait', 'True'],
  ['c', 'wait', 'True'],
];

it('a daemon that found no record, and then reads the one that another wrote, knows what the clusters hold before it plans', async () => {
  const one = await settled();
  one.kill();
  const record = fleet.repo.tip('fleet-status')!;
  fleet.repo.refs.delete(status);
  fleet.commit(web('web:2'));
  let isFirst = true;
  const branches = fleet.repo.branches({
    asked({ kind, ref }) {
      if (kind !== 'push' || ref !== status || !isFirst) return;
      isFirst = false;
      // As another daemon does that remembers what the branch said.
      fleet.repo.refs.set(status, record);
    },
  });
  const two = fleet.start({ branches });
  await settles(fleet, two);
  expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  expect(firstTold(two)).toEqual(oneAtATime);
});

it('a daemon that starts when something may move that could not before takes nothing back of what is known of the clusters', async () => {
  const one = await settled();
  const night = `
apiVersion: gitfleet.dev/v1alpha1
kind: FleetConfig
spec: {freeze: [{name: night, schedule: "0 10 * * *", duration: 10m}]}
`;
  fleet.commit({ 'fleet.yaml': night, ...web('web:2') });
  await fleet.run(60);
  expect(one.plan().placements[0]!.bindings.map(({ move }) => move)).toEqual(['wait', 'wait', 'wait']);
  one.kill();
  await fleet.run(900);
  const two = fleet.start();
  await settles(fleet, two);
  expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  expect(firstTold(two)).toEqual(oneAtATime);
});
