import { afterEach, expect, it } from 'vitest';
import { images, settledFleet, settles, web } from './small-fleet.ts';
import type { VirtualFleet } from './virtual-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const status = 'refs/heads/fleet-status';

it('a daemon that found no record, and then reads the one that another wrote, knows what the clusters hold before it plans', async () => {
  const world = await settledFleet();
  ({ fleet } = world);
  world.one.kill();
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
  const first = two.passes.find((pass) => pass.kind === 'published');
  if (first?.kind !== 'published') throw new Error('nothing was published');
  const available = first.plan.placements[0]!.bindings.map(({ clusterName, move, conditions }) => [
    clusterName,
    move,
    conditions?.find(({ type }) => type === 'Available')?.status,
  ]);
  expect(available).toEqual([
    ['a', 'update', undefined],
    ['b', 'wait', 'True'],
    ['c', 'wait', 'True'],
  ]);
});
