import { describe, expect, it } from 'vitest';
import { type NodeCommand, nodePlan } from '../../../src/api/nodes/node-plan.ts';
import { nodePage } from '../../../src/cli/kinds/nodes/page.ts';
import { nodePoolPage } from '../../../src/cli/kinds/nodes/pool-page.ts';
import type { Status } from '../../../src/cli/status/open-status.ts';

const command: NodeCommand = {
  id: '1f2e3d4c5b6a',
  method: 'SingleNodeConsolidation',
  reason: 'Underutilized',
  phase: 'Proposed',
  nodes: [
    {
      name: 'n1',
      pool: 'default',
      instanceType: 'D8',
      zone: 'eu-1a',
      capacityType: 'on-demand',
      price: 0.4,
      disruptionCost: 2,
    },
  ],
  replacements: [
    {
      name: 'default-1f2e3d4c',
      pool: 'default',
      instanceType: 'D4',
      zone: 'eu-1a',
      capacityType: 'on-demand',
      price: 0.1,
      options: ['D4', 'E4'],
    },
  ],
  priceBefore: 0.4,
  priceAfter: 0.1,
  pods: [{ namespace: 'shop', name: 'web-1', from: 'n1', to: 'default-1f2e3d4c' }],
};
const limit = { Empty: 2, Drifted: 2, Underutilized: 2147483647 };
const pool = {
  name: 'default',
  profile: 'karpenter-1.14' as const,
  nodes: 10,
  disrupting: 1,
  limit,
  allowed: { ...limit, Empty: 1, Drifted: 1 },
  changesAt: '2026-11-20T17:00:00Z',
};
const plan = nodePlan.parse({
  apiVersion: 'gitfleet.dev/v1alpha1',
  kind: 'NodePlan',
  metadata: { name: 'eu-1' },
  mode: 'plan',
  pools: [pool],
  commands: [command],
  blocked: [
    {
      node: 'n2',
      pool: 'default',
      reason: 'PodDoNotDisrupt',
      message: 'pod shop/batch-1 has karpenter.sh/do-not-disrupt',
      until: '2026-11-20T11:00:00Z',
    },
  ],
  claims: ['n1', 'n2', 'n3'].map((name) => ({ name, node: name, uid: `uid-${name}`, pool: 'default' })),
});
const hold = (subject: object) => ({
  subject,
  reason: 'NodeBudget',
  message: '2 more nodes of NodePool default would be disrupted',
});
const status = {
  holds: [
    hold({ kind: 'NodePool', name: 'default', clusterName: 'eu-1' }),
    hold({ kind: 'NodePool', name: 'default', clusterName: 'eu-2' }),
  ],
} as unknown as Status;

describe('the page of a node', () => {
  const page = (name: string) => nodePage(plan, name, status).join('\n');

  it('shows the command that takes it, what that saves, and where its pods go', () => {
    expect(page('n1')).toContain('State:    Proposed SingleNodeConsolidation');
    expect(page('n1')).toContain('Type:     D8 on-demand eu-1a\nPrice:    0.4 an hour');
    expect(page('n1')).toContain('0.3 an hour, 219 a month');
    expect(page('n1')).toContain('default-1f2e3d4c: D4 on-demand in eu-1a, or E4');
    expect(page('n1')).toMatch(/shop\/web-1 +default-1f2e3d4c/);
  });

  it('shows the node that a replacement became', () => {
    const claims = [...plan.claims, { name: 'default-1f2e3d4c', node: 'vm-7', uid: 'uid-vm-7', pool: 'default' }];
    const text = nodePage({ ...plan, claims }, 'n1', status).join('\n');
    expect(text).toContain('default-1f2e3d4c (node vm-7): D4 on-demand in eu-1a');
    expect(text).toMatch(/shop\/web-1 +default-1f2e3d4c \(node vm-7\)/);
  });

  it('shows its NodeClaim only where there is one: the record names a node without one as its claim', () => {
    expect(page('n1')).not.toContain('Claim');
    const claims = [{ name: 'default-1f2e3d4c', node: 'vm-7', uid: 'uid-vm-7', pool: 'default' }];
    expect(nodePage({ ...plan, claims }, 'vm-7', status).join('\n')).toContain(
      'Claim:    default-1f2e3d4c (uid-vm-7)\n',
    );
  });

  it('shows what blocks it, and until when', () => {
    expect(page('n2')).toContain('State:    PodDoNotDisrupt');
    expect(page('n2')).toContain('Until:    2026-11-20T11:00:00Z');
  });

  it('shows that no pod has to move', () => {
    const empty = { ...plan, commands: [{ ...command, pods: [] }] };
    expect(nodePage(empty, 'n1', status).join('\n')).toContain('Pods:\n  <none>');
  });

  it('shows that nothing takes or blocks it, and what its pool waits for', () => {
    expect(page('n3')).toContain('State:    Idle');
    expect(page('n3').match(/2 more nodes/g)).toHaveLength(1);
  });
});

it('the page of a NodePool shows its budgets, its commands and its blocked nodes', () => {
  const page = nodePoolPage(plan, plan.pools[0]!, status).join('\n');
  expect(page).toMatch(/Empty +2 +1/);
  expect(page).toMatch(/Underutilized +unbounded +unbounded/);
  expect(page).toContain('SingleNodeConsolidation (Underutilized)');
  expect(page).toMatch(/n2 +PodDoNotDisrupt +2026-11-20T11:00:00Z/);
});
