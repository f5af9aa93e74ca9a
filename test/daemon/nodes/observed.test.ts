import { afterEach, expect, it } from 'vitest';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { nodeFiles, nodeMemberSpec, published, workload } from './node-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());

const reasons = (daemon: ReturnType<VirtualFleet['start']>) =>
  daemon
    .plan()
    .holds.filter(({ reason }) => reason === 'NodesNotObserved')
    .map(({ message }) => message);

it('the daemon publishes what it would do about the nodes of a member in mode plan, and touches none', async () => {
  fleet = await VirtualFleet.open(nodeFiles('plan'), nodeMemberSpec([{ count: 3 }], [workload('web', 2, '1')]));
  fleet.start();
  await fleet.until('a plan of nodes is published', async () => ((await published(fleet))?.commands.length ?? 0) > 0);
  await fleet.run(60);
  const plan = await published(fleet);
  expect(plan?.mode).toBe('plan');
  expect(plan?.pools).toMatchObject([{ name: 'default', nodes: 3, disrupting: 0 }]);
  expect(plan?.commands.map(({ method, phase }) => [method, phase])).toEqual([
    ['Emptiness', 'Proposed'],
    ['MultiNodeConsolidation', 'Proposed'],
  ]);
  expect(plan?.claims.map(({ name, pool }) => [name, pool])).toEqual([
    ['d8-0', 'default'],
    ['d8-1', 'default'],
    ['d8-2', 'default'],
  ]);
  expect(fleet.requests.filter((line) => /(PATCH|DELETE|POST).*\/(nodes|eviction)/.test(line))).toEqual([]);
  const { 'README.md': page } = await fleet.repo.files('fleet-status');
  expect(page).toContain('eu-1** (plan): 2 commands');
});

it('the plan of a member at rest is not published again', async () => {
  fleet = await VirtualFleet.open(nodeFiles('plan'), nodeMemberSpec([{ count: 3 }], [workload('web', 2, '1')]));
  fleet.start();
  await fleet.run(120);
  const before = fleet.repo.tip('fleet-status');
  await fleet.run(1_200);
  expect(fleet.repo.tip('fleet-status')).toBe(before);
});

it('an event of Karpenter leads to no new plan', async () => {
  fleet = await VirtualFleet.open(nodeFiles('plan'), nodeMemberSpec([{ count: 1 }]));
  const daemon = fleet.start();
  await fleet.run(120);
  const last = () => {
    const pass = daemon.passes.at(-1)!;
    return pass.kind === 'moved' ? undefined : pass.plan;
  };
  const before = last();
  await fleet.ask('eu-1', 'POST', '/api/v1/namespaces/default/events', {
    metadata: { name: 'blocked', namespace: 'default' },
    involvedObject: { kind: 'NodePool', name: 'default' },
    reason: 'DisruptionBlocked',
    message: 'no',
    source: { component: 'karpenter' },
    lastTimestamp: '2026-11-20T10:02:00Z',
  });
  await fleet.run(60);
  expect(fleet.requests.filter((line) => line.includes('source%3Dkarpenter'))).not.toEqual([]);
  expect(before).toBeDefined();
  expect(last()).toBe(before);
});

it('a list that is forbidden holds the member and is named', async () => {
  fleet = await VirtualFleet.open(nodeFiles('plan'), nodeMemberSpec([{ count: 1 }]));
  fleet.fault('eu-1', { type: 'Forbidden', resources: ['poddisruptionbudgets.policy'] });
  const daemon = fleet.start();
  await fleet.run(60);
  expect(reasons(daemon)).toEqual([expect.stringContaining('PodDisruptionBudget: list /apis/policy/v1/')]);
  fleet.fault('eu-1');
  await fleet.until('it is observed', () => reasons(daemon).length === 0);
});

it('nodes of a member without a pool and without the annotation are not listed with their budgets', async () => {
  const files = nodeFiles('plan');
  const { metadata, ...member } = JSON.parse(files['clusters/eu-1.yaml']!);
  const plain = JSON.stringify({ ...member, metadata: { name: metadata.name } });
  fleet = await VirtualFleet.open({ 'clusters/eu-1.yaml': plain }, nodeMemberSpec([{ count: 1 }]));
  const daemon = fleet.start();
  await fleet.run(120);
  expect(daemon.plan().nodes).toEqual([]);
  // A sweep asks each kind for objects of ours.
  const listed = fleet.requests.filter((line) => !line.includes('labelSelector'));
  expect(listed.filter((line) => line.includes('poddisruptionbudgets'))).toEqual([]);
});
