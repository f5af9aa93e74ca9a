import { afterAll, afterEach, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { observedNodes } from '../../support/node-world.ts';
import { cli } from '../../support/run-cli.ts';
import { SimulatedKarpenter } from '../../support/simulated-karpenter.ts';
import { VirtualFleet } from '../../support/virtual-fleet.ts';
import { nodeFiles, nodeMemberSpec, nodeNames, podsOf, published, workload } from './node-fleet.ts';

let fleet: VirtualFleet;
afterEach(() => fleet.close());
afterAll(removeFolders);

const open = async (files: Record<string, string>, ...spec: Parameters<typeof nodeMemberSpec>) => {
  const [nodes, objects = []] = spec;
  fleet = await VirtualFleet.open(files, nodeMemberSpec(nodes, [SimulatedKarpenter.definition, ...objects]));
  fleet.start();
  await fleet.until(
    'the pool is placed',
    () => fleet.stored('eu-1', 'karpenter.sh/nodepools', '', 'default') !== undefined,
  );
  return new SimulatedKarpenter(fleet, 'eu-1');
};
const predicted = async () =>
  (await published(fleet))?.commands.flatMap(({ reason, phase, nodes }) =>
    nodes.map(({ name }) => `${name} ${reason} ${phase}`),
  );
/** What gitfleet itself changed about nodes. */
const ours = () =>
  fleet.requests.filter((line) => /(PATCH|DELETE|POST|PUT) .*\/(nodes|nodeclaims|eviction)/.test(line));

const events = async (): Promise<string[]> =>
  (await fleet.ask('eu-1', 'GET', '/api/v1/events')).body.items.map(
    ({ reason, message }: { readonly reason: string; readonly message: string }) => `${reason}: ${message}`,
  );

/** A page of `describe` for what the member has now. */
async function described(...args: string[]): Promise<string> {
  const items = async (path: string) => (await fleet.ask('eu-1', 'GET', path)).body.items as object[];
  const ofKind = (kind: string, apiVersion: string) => (one: object) => ({ apiVersion, kind, ...one });
  const extras = [
    ...(await items('/apis/karpenter.sh/v1/nodeclaims')),
    ...(await items('/apis/karpenter.sh/v1/nodepools')),
    ...(await items('/api/v1/events')).map(ofKind('Event', 'v1')),
  ];
  const nodes = (await items('/api/v1/nodes')).map(ofKind('Node', 'v1'));
  const pods = (await items('/api/v1/pods')).map(ofKind('Pod', 'v1'));
  const observed = folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes, pods, extras }) });
  const flags = ['--repo', folder(fleet.files), '--observed', observed, '--recorded', 'none'];
  const { out } = await cli('describe', ...args, '--cluster', 'eu-1', ...flags);
  return out;
}

it('in mode delegate Karpenter removes the empty nodes that were predicted, and gitfleet touches none', async () => {
  const web = workload('web', 1, '6', { nodeSelector: { 'kubernetes.io/hostname': 'used-0' } });
  const nodes = [
    { count: 1, prefix: 'used' },
    { count: 2, prefix: 'idle' },
  ];
  const karpenter = await open(nodeFiles('delegate'), nodes, [web]);
  await fleet.until('it is predicted', async () => ((await predicted())?.length ?? 0) > 0);
  expect(await predicted()).toEqual(['idle-0 Empty Proposed', 'idle-1 Empty Proposed']);
  await karpenter.run(180);
  expect(karpenter.disrupted).toEqual(['idle-0 Empty', 'idle-1 Empty']);
  expect(nodeNames(fleet)).toEqual(['used-0']);
  await fleet.until('nothing is left to go', async () => (await predicted())?.length === 0);
  expect(ours()).toEqual([]);
  expect(await events()).toContain('DisruptionTerminating: Disrupting Node: Empty');
  expect(await described('node', 'used-0')).toMatch(/Unconsolidatable +NodeClaim used-0-claim/);
});

it('in mode delegate a drifted node is reported with the condition and the events of Karpenter, which replaces it', async () => {
  const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] };
  const files = nodeFiles('delegate', { disruption });
  const protectedBy = { 'karpenter.sh/do-not-disrupt': 'true' };
  const karpenter = await open(
    files,
    [{ count: 2 }],
    [
      workload('web', 1, '6', { nodeSelector: { 'kubernetes.io/hostname': 'd8-0' } }, protectedBy),
      workload('api', 1, '6'),
    ],
  );
  await karpenter.run(60);
  expect(await predicted()).toEqual([]);
  const pool = JSON.parse(files['resources/pool.yaml']!);
  pool.spec.template.metadata = { labels: { generation: 'two' } };
  fleet.commit({ 'resources/pool.yaml': JSON.stringify(pool) });
  await fleet.until('it is predicted', async () => ((await predicted())?.length ?? 0) > 0);
  expect(await predicted()).toEqual(['d8-1 Drifted Proposed']);
  await karpenter.run(20);
  await fleet.until(
    'its mark is seen',
    async () =>
      (await published(fleet))?.blocked.some(({ node, reason }) => node === 'd8-1' && reason === 'Marked') === true,
  );
  expect((await published(fleet))?.pools).toMatchObject([{ disrupting: 1, allowed: { Drifted: 0 } }]);
  expect(await described('node', 'd8-1')).toMatch(/Drifted +True +NodePoolDrifted/);
  await karpenter.run(180);
  expect(karpenter.disrupted).toEqual(['d8-1 Drifted']);
  expect(nodeNames(fleet)).toEqual(['d8-0', 'default-1']);
  await fleet.until('its pod runs again', () => podsOf(fleet).every((line) => line.endsWith('Running')));
  await fleet.run(60);
  expect((await published(fleet))?.blocked).toMatchObject([{ node: 'd8-0', reason: 'PodDoNotDisrupt' }]);
  expect(await described('node', 'd8-0')).toMatch(/DisruptionBlocked +Node d8-0 .*do-not-disrupt/);
  expect(await described('nodepool', 'default')).toMatch(/NodePoolDrifted/);
  expect((await events()).filter((line) => line.includes('Drifted') || line.includes('Waiting'))).toEqual([
    'DisruptionLaunching: Launching NodeClaim: Drifted',
    'DisruptionWaitingReadiness: Waiting on readiness to continue disruption',
    'DisruptionTerminating: Disrupting NodeClaim: Drifted',
    'DisruptionTerminating: Disrupting Node: Drifted',
  ]);
  expect(ours()).toEqual([]);
});
