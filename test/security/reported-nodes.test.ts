import { describe, expect, it } from 'vitest';
import { planFleet } from '../../src/engine/plan.ts';
import { inputOf, rulesOf } from '../engine/guard/nodes/judged.ts';
import { claim, node, nodeMember, nodePool, observedNodes, smallMarket } from '../support/node-world.ts';

const fleetOf = (members: readonly string[], budget: object): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(members.map((name) => [`members/${name}.yaml`, nodeMember(name, 'execute')])),
  ...smallMarket,
  'fleet.yaml': JSON.stringify({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    metadata: { name: 'fleet' },
    spec: { nodeDisruption: { budgets: [budget] } },
  }),
});

/** A member with this many nodes, of which the first ones are empty and drifted: one command for each. */
function reported(
  name: string,
  { nodes: count, drifted }: { readonly nodes: number; readonly drifted: number },
): string {
  const nodes = Array.from({ length: count }, (_, at) => node(`${name}-${at}`));
  const conditions = ['Initialized', 'Drifted'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    lastTransitionTime: '2026-11-20T08:00:00Z',
  }));
  const claims = nodes.map((of, at) =>
    at < drifted ? claim(of, { status: { conditions, nodeName: of.metadata.name } }) : claim(of),
  );
  const pool = nodePool('default', { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] } });
  return observedNodes(name, { nodes, pods: [], extras: [pool, ...claims], launches: [] });
}

type Member = Parameters<typeof reported>[1];

/** Commands that start on each member, and what keeps the others. */
async function startsOf(members: Readonly<Record<string, Member>>, budget: object) {
  const observed = Object.entries(members).map(([name, member]) => reported(name, member));
  const input = await inputOf(fleetOf(Object.keys(members), budget), observed);
  const { plan } = planFleet(input);
  expect(plan.guard).toEqual([]);
  return {
    starts: Object.fromEntries(
      plan.nodes.map(({ clusterName, commands }) => [
        clusterName,
        commands.filter(({ phase }) => phase !== 'Proposed').length,
      ]),
    ),
    holds: plan.holds.map(({ reason, message }) => `${reason} ${message}`),
  };
}

const honest = { a: { nodes: 10, drifted: 6 }, b: { nodes: 10, drifted: 4 }, c: { nodes: 10, drifted: 4 } };

describe('a fleet budget in percent', () => {
  it('gives others little room where a member reports a thousand nodes', async () => {
    const { starts, holds } = await startsOf({ ...honest, liar: { nodes: 1000, drifted: 0 } }, { nodes: '10%' });
    expect(starts).toEqual({ a: 4, b: 0, c: 0, liar: 0 });
    expect(holds[0]).toBe(
      'FleetNodeBudget a fleet budget allows 4 nodes at a time besides those of liar: 4 are disrupted, and the command has 1',
    );
  });

  it('gives a member that reports a thousand nodes what it reports, and others what they have twice', async () => {
    const { starts } = await startsOf({ a: honest.a, liar: { nodes: 1000, drifted: 20 } }, { nodes: '1%' });
    expect(starts).toEqual({ a: 1, liar: 10 });
  });

  it('is of the nodes of all members where none stands out', async () => {
    expect((await startsOf(honest, { nodes: '10%' })).starts).toEqual({ a: 3, b: 0, c: 0 });
    expect((await startsOf({ a: honest.a }, { nodes: '25%' })).starts).toEqual({ a: 3 });
  });

  it('in numbers is the same whatever members report', async () => {
    const { starts } = await startsOf({ ...honest, liar: { nodes: 1000, drifted: 0 } }, { nodes: '4' });
    expect(starts).toEqual({ a: 4, b: 0, c: 0, liar: 0 });
  });

  it('is judged by the guard in the same way', async () => {
    const members = { ...honest, liar: { nodes: 1000, drifted: 0 } };
    const observed = Object.entries(members).map(([name, member]) => reported(name, member));
    const judged = async (allowed: string, budget: string): Promise<string[]> => {
      const { plan } = planFleet(await inputOf(fleetOf(Object.keys(members), { nodes: allowed }), observed));
      return rulesOf(plan, await inputOf(fleetOf(Object.keys(members), { nodes: budget }), observed));
    };
    expect(await judged('5', '10%')).toEqual(['FleetNodeBudgetExceeded']);
    expect(await judged('4', '10%')).toEqual([]);
  });
});
