import { describe, expect, it } from 'vitest';
import { clusterObservation } from '../../../../src/api/observation.ts';
import { guard } from '../../../../src/engine/guard/guard.ts';
import { limitAsWritten } from '../../../../src/engine/guard/nodes/budget-limit.ts';
import { limitOf, readBudgets, unbounded } from '../../../../src/engine/node-pools/budgets.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { loadFleet } from '../../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../../src/repo/record/read.ts';
import { sha256 } from '../../../../src/repo/sha256.ts';
import { claim, node, nodeMember, nodePool, observedNodes } from '../../../support/node-world.ts';
import { treeOf } from '../../../support/paper-fleet.ts';
import { noPools } from '../world.ts';

async function judged() {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const pool = nodePool('default', { disruption: { budgets: [{ nodes: '2' }] } });
  const observation = clusterObservation.parse(
    JSON.parse(observedNodes('eu-1', { nodes, pods: [], extras: [pool, ...nodes.map((of) => claim(of))] })),
  );
  const { record } = readRecord(new Map());
  const input = {
    now: '2026-11-20T10:00:00Z',
    commit: 'c'.repeat(40),
    fleet: await loadFleet(treeOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') })),
    record,
    observations: new Map([['eu-1', observation]]),
    digest: sha256,
  };
  return { input, plan: planFleet(input).plan, recovered: { record, lost: false } };
}

describe('the budget of a NodePool', () => {
  it('is read from the pool itself, whatever the plan says that it allows', async () => {
    const { input, plan, recovered } = await judged();
    expect(plan.nodes[0]!.commands.map(({ nodes }) => nodes.length)).toEqual([2]);
    expect(guard({ input, plan, recovered, pools: noPools }).findings).toEqual([]);
    const [planned] = plan.nodes;
    const [command] = planned!.commands;
    const wrong = {
      ...plan,
      nodes: [
        {
          ...planned!,
          pools: planned!.pools.map((pool) => ({ ...pool, allowed: { ...pool.allowed, Empty: unbounded } })),
          commands: [{ ...command!, nodes: ['n1', 'n2', 'n3'].map((name) => ({ ...command!.nodes[0]!, name })) }],
        },
      ],
    };
    expect(guard({ input, plan: wrong, recovered, pools: noPools }).findings.map(({ rule }) => rule)).toContain(
      'NodeBudgetExceeded',
    );
  });

  it.each([
    [[{ nodes: '20%' }, { nodes: '5' }, { nodes: '0', schedule: '@daily', duration: '10m' }]],
    [[{ nodes: '10%' }, { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Drifted'] }]],
    [[{ nodes: '1', schedule: '*/20 2,4-6 */3 1-11/2 0', duration: '1h5m' }]],
    [[{ nodes: '3', schedule: '5/15 * 1,20 NOV ?', duration: '7m' }]],
    [undefined],
  ])('is the limit that the planner finds: %j', (budgets) => {
    const pool = nodePool('default', { disruption: budgets ? { budgets } : {} });
    for (let at = Date.parse('2026-10-30T00:00:00Z'); at < Date.parse('2026-11-23T00:00:00Z'); at += 601_000)
      for (const total of [0, 1, 26]) {
        const limit = limitAsWritten(pool, { reason: 'Drifted', total, now: at });
        const planned = limitOf(readBudgets(budgets), 'Drifted', total, at);
        expect([at, limit === Number.POSITIVE_INFINITY ? unbounded : limit]).toEqual([at, planned]);
      }
  });
});
