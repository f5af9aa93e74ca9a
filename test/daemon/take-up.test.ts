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

/** Moves and availability of each cluster in the first published plan of a daemon. */
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

it('a daemon that starts without a record, and then reads that of another daemon, observes the clusters before it plans', async () => {
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
      // As another daemon does that kept the record.
      fleet.repo.refs.set(status, record);
    },
  });
  const two = fleet.start({ branches });
  await settles(fleet, two);
  expect(images(fleet)).toEqual(['web:2', 'web:2', 'web:2']);
  expect(firstTold(two)).toEqual(oneAtATime);
});

it('a daemon that starts while something becomes due keeps the recorded availability', async () => {
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
