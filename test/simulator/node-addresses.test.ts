import { expect, it } from 'vitest';
import type { NodePool } from '../../src/api/simulated-fleet.ts';
import { launchedNode, nodesOf } from '../../src/simulator/nodes.ts';

it('every node of a member has an address of its own, in all pools', () => {
  const pool = {
    instanceType: 'simulated',
    capacityType: 'on-demand' as const,
    zones: [],
    cpu: '4',
    memory: '16Gi',
    pods: 110,
    labels: {},
    taints: [],
    used: { cpu: '0', memory: '0' },
  } satisfies Omit<NodePool, 'count'>;
  const nodes: NodePool[] = [
    { ...pool, count: 300 },
    { ...pool, count: 2 },
  ];
  const made = nodesOf({ nodes, region: 'eu' }, { version: 'v1.32.4', timestamp: '2026-11-20T10:00:00Z' });
  const addresses = made.map(
    ({ node }) => (node['status'] as { addresses: { address: string }[] }).addresses[0]!.address,
  );
  expect(new Set(addresses).size).toBe(302);
  expect([addresses[0], addresses[255], addresses[301]]).toEqual(['10.0.0.1', '10.0.1.0', '10.0.1.46']);
});

it('a launched node is in the region of its member', () => {
  const wanted = { name: 'new', labels: { ring: '1' }, annotations: {}, taints: [], capacity: {}, allocatable: {} };
  const about = { version: 'v1.32.4', region: 'eu', timestamp: '2026-11-20T10:00:00Z' };
  expect(launchedNode(wanted, about)['metadata']).toMatchObject({
    labels: { 'topology.kubernetes.io/region': 'eu', ring: '1' },
  });
});
