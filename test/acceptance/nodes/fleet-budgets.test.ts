import { expect, it } from 'vitest';
import { folder } from '../../support/folders.ts';
import { claim, node, nodeMember, nodePool, observedNodes, smallMarket } from '../../support/node-world.ts';
import { cli } from '../../support/run-cli.ts';

const names = ['n1', 'n2', 'n3', 'n4'] as const;

/** Four empty nodes on a member in a mode, under budgets of the fleet. */
async function shown(
  argv: readonly string[],
  {
    mode = 'execute',
    budgets,
    own = [{ nodes: '100%' }],
  }: { mode?: string; budgets: readonly object[]; own?: readonly object[] },
) {
  const config = {
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    metadata: { name: 'fleet' },
    spec: { nodeDisruption: { budgets } },
  };
  const pool = nodePool('default', { disruption: { budgets: own } });
  const nodes = names.map((name) => node(name));
  const extras = [pool, ...nodes.map((of) => claim(of))];
  const { out, err } = await cli(
    ...argv,
    ...[
      '--repo',
      folder({ 'eu-1.yaml': nodeMember('eu-1', mode), 'fleet.yaml': JSON.stringify(config), ...smallMarket }),
    ],
    ...['--observed', folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes, pods: [], extras }) })],
    ...['--recorded', 'none', '--now', '2026-11-20T10:00:00Z'],
  );
  return { out: argv.includes('json') ? out : out.replaceAll(/ {2,}/g, ' | '), err };
}

const one = { nodes: '1' };
const noneAtNight = { nodes: '0', schedule: '0 22 * * *', duration: '6h', reasons: ['Drifted'] };
const elsewhere = { nodes: '0', clusterSelector: { matchLabels: { region: 'us' } } };
const binding = 'budget 0 of the fleet allows 1 node of the cluster, fewer than those of the pool';

it.each([
  ['budgets', ['budgets', 'eu-1']],
  ['describe nodepool', ['describe', 'nodepool', 'default', '--cluster', 'eu-1']],
])('%s shows each budget of the fleet that limits the cluster, and which one binds', async (_, argv) => {
  const { out } = await shown(argv, { budgets: [one, noneAtNight, elsewhere] });
  expect(out).toContain(
    'BUDGET | CLUSTERS | NODES | REASONS | SCHEDULE | DURATION | TIME-ZONE | ACTIVE | NEXT-CHANGE | ALLOWS',
  );
  expect(out).toContain('0 | <none> | 1 | all | always | <none> | <none> | yes | <none> | 1\n');
  expect(out).toContain('1 | <none> | 0 | Drifted | 0 22 * * * | 6h | <none> | no | 2026-11-20T22:00:00Z | <none>\n');
  expect(out).not.toMatch(/^[| ]*2 \| <none> \| 0/m);
  expect(out).toContain(`Empty, Drifted, Underutilized: ${binding}\n`);
});

it('budgets shows what a budget of the fleet allows at another instant', async () => {
  const { out } = await shown(['budgets', 'eu-1', '--at', '2026-11-20T23:00:00Z'], { budgets: [one, noneAtNight] });
  expect(out).toContain('1 | <none> | 0 | Drifted | 0 22 * * * | 6h | <none> | yes | 2026-11-21T04:00:00Z | 0\n');
  expect(out).toContain(`default: Empty, Underutilized: ${binding}\n`);
  expect(out).toContain(
    'default: Drifted: budget 1 of the fleet allows 0 nodes of the cluster, fewer than those of the pool',
  );
});

it('get nodepools and describe node name a budget of the fleet that binds', async () => {
  const { err } = await shown(['get', 'nodepools'], { budgets: [one] });
  expect(err).toBe(`note: eu-1/default: Empty, Drifted, Underutilized: ${binding}\n`);
  const { out } = await shown(['describe', 'node', 'n4', '--cluster', 'eu-1'], { budgets: [one] });
  expect(out).toContain(`Budgets of the fleet:\n | Empty, Drifted, Underutilized: ${binding}\n`);
});

it('a budget of the fleet that lets all nodes go does not bind a pool without active budgets', async () => {
  const { err } = await shown(['get', 'nodepools'], { budgets: [{ nodes: '9' }], own: [] });
  expect(err).toBe('');
});

it.each([
  ['a budget that leaves as many nodes', { budgets: [{ nodes: '4' }] }],
  ['a budget for other clusters', { budgets: [elsewhere] }],
  ['a mode that it does not bind', { mode: 'plan', budgets: [one] }],
])('none is named with %s', async (_, of) => {
  const { out, err } = await shown(['get', 'nodepools'], of);
  expect([out.includes('default | 4 | 0 | 4 | 4 | 4'), err]).toEqual([true, '']);
});

it('as JSON, the budgets of the fleet stand beside the pools', async () => {
  const { out } = await shown(['budgets', 'eu-1', '-o', 'json'], { budgets: [{ clusters: '1' }, noneAtNight] });
  expect(JSON.parse(out).fleetBudgets).toEqual([
    { index: 0, clusters: '1', allows: 4 },
    { index: 1, ...noneAtNight, changesAt: '2026-11-20T22:00:00Z' },
  ]);
});
