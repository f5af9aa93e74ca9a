import { afterEach, describe, expect, it } from 'vitest';
import { placement } from '../support/paper-fleet.ts';
import { settledFleet, settles, smallFleet } from '../support/small-fleet.ts';
import type { VirtualFleet } from '../support/virtual-fleet.ts';

const open: VirtualFleet[] = [];
afterEach(() => {
  for (const fleet of open.splice(0)) fleet.close();
});

async function settled(files = smallFleet()) {
  const { fleet, one } = await settledFleet({}, files);
  open.push(fleet);
  await fleet.run(150);
  return { fleet, one };
}

/** Nodes join a until it has so many, without a request of ours. */
function nodes(fleet: VirtualFleet, count: number): void {
  const { store } = fleet.members.get('a')!.cluster;
  const [node] = store.list('/nodes');
  for (let at = store.list('/nodes').length; at < count; at++)
    store.put('/nodes', { ...node!, metadata: { ...node!.metadata, name: `more-${at}`, uid: `more-${at}` } });
}

const countOf = async (fleet: VirtualFleet): Promise<string | undefined> =>
  /node-count: *\n? *\{? *value: "(\d+)"/.exec((await fleet.repo.files('fleet-status'))['clusters/a.yaml']!)?.[1];

const listsOfNodes = (fleet: VirtualFleet): number =>
  fleet.requests.filter((line) => line.startsWith('a GET /api/v1/nodes?') && !line.includes('watch=true')).length;
const heartbeats = (fleet: VirtualFleet): number =>
  fleet.requests.filter((line) => line.startsWith('a GET /readyz')).length;

/** How often nodes are listed for each heartbeat, over ten minutes. */
async function perHeartbeat(fleet: VirtualFleet): Promise<number> {
  const before = [listsOfNodes(fleet), heartbeats(fleet)] as const;
  await fleet.run(600);
  return (listsOfNodes(fleet) - before[0]) / (heartbeats(fleet) - before[1]);
}

const roomy = placement(
  'roomy',
  `{placementType: PickN, numberOfClusters: 1, affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [
    {weight: 100, preference: {propertySorter: {name: kubernetes-fleet.io/node-count, sortOrder: Descending}}}]}}}`,
);

describe('properties of members', () => {
  it('are not read with each heartbeat while no placement chooses by them', async () => {
    const { fleet } = await settled();
    expect(await perHeartbeat(fleet)).toBe(0);
  });

  it('are read before the first plan that chooses by them, and then after a change of nodes', async () => {
    const { fleet, one } = await settled();
    nodes(fleet, 9);
    await fleet.run(600);
    expect(await countOf(fleet)).not.toBe('9');
    fleet.commit({ 'placements/roomy.yaml': roomy });
    await settles(fleet, one);
    const decisions = one.plan().placements.find(({ name }) => name === 'roomy')!.decisions;
    expect(decisions.filter(({ selected }) => selected).map(({ clusterName }) => clusterName)).toEqual(['a']);
    await fleet.run(120);
    expect(await perHeartbeat(fleet)).toBe(0);
    nodes(fleet, 12);
    await fleet.run(120);
    expect(await countOf(fleet)).toBe('12');
    fleet.commit({ 'placements/roomy.yaml': undefined });
    await fleet.run(120);
    nodes(fleet, 15);
    expect(await perHeartbeat(fleet)).toBe(0);
  });
});

it('two daemons publish a change of a member once, the one that read it later before the other', async () => {
  const { fleet } = await settled();
  await fleet.run(1800);
  const two = fleet.start();
  await settles(fleet, two);
  const counts: (string | undefined)[] = [];
  let commits = 0;
  const watch = async (seconds: number): Promise<void> => {
    for (let at = 0; at < seconds; at += 5) {
      const tip = fleet.repo.tip('fleet-status');
      await fleet.run(5);
      if (fleet.repo.tip('fleet-status') !== tip) commits++;
      const count = await countOf(fleet);
      if (count !== counts.at(-1)) counts.push(count);
    }
  };
  await watch(60);
  commits = 0;
  // The first daemon reads it again first, after an hour at rest, the other half an hour later.
  nodes(fleet, 9);
  await watch(2 * 3600);
  expect([counts.length, counts.at(-1), commits]).toEqual([2, '9', 1]);
});
