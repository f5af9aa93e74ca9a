import { afterAll, describe, expect, it } from 'vitest';
import { folder, removeFolders } from '../../support/folders.ts';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../support/node-world.ts';
import { cli } from '../../support/run-cli.ts';

afterAll(removeFolders);

/** Two empty nodes, two half-empty ones and a protected one; at day one node may go. */
const seen = (disruption: object) => {
  const nodes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => node(name));
  const pods = [
    pod('a', 'n3', { cpu: '2' }),
    pod('b', 'n4'),
    pod('c', 'n5', { cpu: '7', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
  ];
  const extras = [nodePool('default', { disruption }), ...nodes.map((of) => claim(of))];
  return folder({ 'eu-1.yaml': observedNodes('eu-1', { nodes, pods, extras }) });
};
const office = { budgets: [{ nodes: '0', schedule: '0 9 * * 1-5', duration: '8h' }, { nodes: '100%' }] };

const forecast = (mode: string, ...flags: string[]) =>
  cli(
    'forecast',
    '--repo',
    folder({ 'members/eu-1.yaml': nodeMember('eu-1', mode), ...smallMarket }),
    '--observed',
    seen(office),
    '--recorded',
    'none',
    '--now',
    '2026-11-20T10:00:00Z',
    ...flags,
  );

describe('a forecast of nodes', () => {
  it('shows which go when, what keeps them until then, what that saves and which stay', async () => {
    const { out } = await forecast('delegate');
    expect(`\n${out}`).toMatchInlineSnapshot(`
      "
      No placement changes any cluster. 4 nodes of eu-1 may go, which saves 1095 EUR a month.

      Nodes of eu-1 (delegate, if Karpenter decides as predicted): 4 nodes may go, which saves 1095 EUR a month
        POOL      METHOD                   NODES   START                  END                    TIMELINE
        default   Emptiness                2/2     2026-11-20 17:00 UTC   2026-11-20 17:01 UTC   ·······································█
        default   MultiNodeConsolidation   2/2     2026-11-20 17:00 UTC   2026-11-20 17:03 UTC   ·······································█
        - 2026-11-20 10:00 UTC to 2026-11-20 17:00 UTC: 4 more nodes of NodePool default would be disrupted than its budgets allow now
        - at the end PodDoNotDisrupt keeps n5

      START                  END                    METHOD                   CLUSTER   POOL      NODES    REPLACED BY
      2026-11-20 17:00 UTC   2026-11-20 17:01 UTC   Emptiness                eu-1      default   n1, n2   <none>
      2026-11-20 17:00 UTC   2026-11-20 17:03 UTC   MultiNodeConsolidation   eu-1      default   n3, n4   D2 on-demand in eu-1a

      █ changes, ░ soaks, ? waits for approval, ▒ soaks and waits for approval, · frozen or no window open, ▶ beyond the end

      Supposed: clusters are ready after 1m30s, nodes are launched or drained in 1m30s each, pods of expired nodes get a node like theirs, and approvals are given after 1h0m0s.
      "
    `);
  });
  it('stands in Markdown and JSON too', async () => {
    const { out } = await forecast('execute', '-o', 'markdown');
    expect(out).toContain('**Nodes of eu-1 (execute): 3 nodes go, which saves 876 EUR a month**');
    expect(out).toMatch(/\n~~~text\nPOOL +METHOD +NODES +START +END +TIMELINE\n/);
    expect(out).toContain('- from 2026-11-20 17:01 UTC on: SingleNodeConsolidation of n4 starts once a provider');
    const json = JSON.parse((await forecast('plan', '-o', 'json')).out);
    expect(json.nodes).toMatchObject([
      { clusterName: 'eu-1', mode: 'plan', currency: 'EUR', commands: [{ method: 'Emptiness' }, {}], isObserved: true },
    ]);
  });
  it('says where nodes were not observed', async () => {
    const { out } = await cli('forecast', '--repo', folder({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') }));
    expect(out).toContain('Nodes of eu-1 were not observed, and are not forecast (use --observed).');
  });
});
