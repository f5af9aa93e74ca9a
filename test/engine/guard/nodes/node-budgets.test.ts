import { describe, expect, it } from 'vitest';
import type { NodePlan } from '../../../../src/api/nodes/node-plan.ts';
import { limitAsWritten } from '../../../../src/engine/guard/nodes/budget-limit.ts';
import { limitOf, readBudgets, unbounded } from '../../../../src/engine/node-pools/budgets.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../../support/node-world.ts';
import { inputOf, later, rulesOf } from './judged.ts';

const allowWindows = 'gitfleet.dev/allow-windows';

function judged(mode = 'plan') {
  const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
  const pool = nodePool('default', { disruption: { budgets: [{ nodes: '2' }] } });
  const observed = observedNodes('eu-1', { nodes, pods: [], extras: [pool, ...nodes.map((of) => claim(of))] });
  return inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', mode) }, [observed]);
}

describe('the budget of a NodePool', () => {
  it('is read from the pool itself, whatever the plan says that it allows', async () => {
    const input = await judged();
    const { plan } = planFleet(input);
    expect(plan.nodes[0]!.commands.map(({ nodes }) => nodes.length)).toEqual([2]);
    expect(rulesOf(plan, input)).toEqual([]);
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
    expect(rulesOf(wrong, input)).toContain('NodeBudgetExceeded');
  });

  it('allows nothing outside of its windows', () => {
    const written = '[{"schedule": "0 22 * * 5", "duration": "6h"}]';
    const pool = { ...nodePool('default'), metadata: { name: 'default', annotations: { [allowWindows]: written } } };
    const limit = (at: string) => limitAsWritten(pool, { reason: 'Empty', total: 10, now: Date.parse(at) });
    expect(limit('2026-11-20T21:59:00Z')).toBe(0);
    expect(limit('2026-11-20T22:00:00Z')).toBe(1);
    expect(limit('2026-11-21T03:59:00Z')).toBe(1);
    expect(limit('2026-11-21T04:00:00Z')).toBe(0);
  });

  it('counts the nodes of commands under way', async () => {
    const first = await judged('execute');
    const begun = planFleet(first).plan;
    const input = later(first, begun, 5);
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    const [command] = planned!.commands;
    expect(command!.phase).toBe('Validating');
    const another = { ...command!, id: 'another', nodes: [{ ...command!.nodes[0]!, name: 'n3' }] };
    const wrong = { ...plan, nodes: [{ ...planned!, commands: [command!, another] }] };
    expect(rulesOf(wrong, input)).toEqual(['NodeBudgetExceeded']);
  });

  it('judges a command again that is proposed again', async () => {
    const first = await judged('execute');
    const input = later(first, planFleet(first).plan, 5);
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    const [command] = planned!.commands;
    const nodes = ['n1', 'n2', 'n3'].map((name) => ({ ...command!.nodes[0]!, name }));
    const wrong = { ...plan, nodes: [{ ...planned!, commands: [{ ...command!, phase: 'Proposed' as const, nodes }] }] };
    expect(rulesOf(wrong, input)).toEqual(['NodeBudgetExceeded']);
  });

  it.each<[string, NonNullable<Parameters<typeof nodePool>[1]> & { readonly annotations?: object }, string[]]>([
    ['v1, by force', { template: { expireAfter: '1h' } }, []],
    [
      'v1beta1, gracefully',
      { disruption: { budgets: [{ nodes: '2' }], expireAfter: '1h' }, template: { expireAfter: undefined } },
      ['NodeBudgetExceeded'],
    ],
    [
      'v1beta1, as it was delivered',
      { template: { expireAfter: '1h' }, annotations: { 'gitfleet.dev/expiry': 'graceful' } },
      ['NodeBudgetExceeded'],
    ],
  ])('limits nodes that expire as the place of expireAfter says: %s', async (_, { annotations, ...of }, rules) => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => node(name));
    const made = nodePool('default', { disruption: { budgets: [{ nodes: '2' }] }, ...of });
    const pool = { ...made, metadata: { ...made.metadata, annotations } };
    const claims = nodes.map((of) => claim(of, { spec: { expireAfter: '1h' } }));
    const observed = observedNodes('eu-1', { nodes, pods: [], extras: [pool, ...claims] });
    const input = await inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') }, [observed]);
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    const [command] = planned!.commands;
    const expired = {
      ...command!,
      method: 'Expiration' as const,
      reason: 'Expired' as const,
      nodes: nodes.map(({ metadata: { name } }) => ({ ...command!.nodes[0]!, name })),
    };
    expect(rulesOf({ ...plan, nodes: [{ ...planned!, commands: [expired] }] }, input)).toEqual(rules);
  });

  it('is kept in one order or another by what starts or ends its validation', async () => {
    const nodes = ['d1', 'e1', 'e2', 'u1', 'stays'].map((name) => node(name));
    const isDrifted = { conditions: [{ type: 'Drifted', status: 'True', reason: 'ImageDrift' }] };
    const first = await inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'execute'), ...smallMarket }, [
      observedNodes('eu-1', {
        nodes,
        pods: [
          pod('a', 'd1'),
          pod('b', 'u1', { cpu: '5' }),
          pod('c', 'stays', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        ],
        extras: [
          nodePool('default', { disruption: { budgets: [{ nodes: '2', reasons: ['Empty'] }, { nodes: '4' }] } }),
          claim(nodes[0]!, { status: { nodeName: 'd1', ...isDrifted } }),
          ...nodes.slice(1).map((of) => claim(of)),
        ],
        launches: [],
      }),
    ]);
    const input = later(first, planFleet(first).plan, 15);
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    expect([...planned!.commands.map(({ reason, phase }) => `${reason} ${phase}`), ...plan.guard!]).toEqual([
      'Drifted Removing',
      'Empty Removing',
      'Underutilized Removing',
    ]);
    const withNodes = (reason: string, names: readonly string[]) => ({
      ...plan,
      nodes: [
        {
          ...planned!,
          commands: planned!.commands.map((command) =>
            command.reason === reason
              ? { ...command, nodes: names.map((name) => ({ ...command.nodes[0]!, name })) }
              : command,
          ),
        },
      ],
    });
    // The drift began after the emptiness, in the same plan; four may go in all.
    expect(rulesOf(withNodes('Empty', ['e1', 'e2', 'stays']), input)).toContain('NodeBudgetExceeded');
    expect(rulesOf(withNodes('Underutilized', ['u1', 'stays']), input)).toContain('NodeBudgetExceeded');
  });

  it('counts nodes that are not ready', async () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => node(name, name === 'n3' ? { ready: false } : {}));
    const pool = nodePool('default', { disruption: { budgets: [{ nodes: '2' }] } });
    const observed = observedNodes('eu-1', { nodes, pods: [], extras: [pool, ...nodes.map((of) => claim(of))] });
    const input = await inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan') }, [observed]);
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    const [command] = planned!.commands;
    expect([command!.nodes.length, rulesOf(plan, input)]).toEqual([1, []]);
    // n3, which is not ready, takes its share of what is left, too.
    for (const names of [
      ['n1', 'n2'],
      ['n1', 'n3'],
    ]) {
      const both = { ...command!, nodes: names.map((name) => ({ ...command!.nodes[0]!, name })) };
      expect(rulesOf({ ...plan, nodes: [{ ...planned!, commands: [both] }] }, input)).toEqual(['NodeBudgetExceeded']);
    }
  });

  it.each([
    ['as was recorded', (plan: NodePlan) => ({ ...plan, commands: [] })],
    ['as a command under way shows', (plan: NodePlan) => ({ ...plan, claims: [] })],
  ])('counts a node without NodeClaim that was ready once, %s', async (_, remembered) => {
    const pool = nodePool('default', { disruption: { budgets: [{ nodes: '1' }] } });
    const files = { 'members/eu-1.yaml': nodeMember('eu-1', 'execute') };
    const at = (isReady: boolean) => {
      const nodes = ['n1', 'n2', 'n3'].map((name) =>
        node(name, { initialized: false, ready: name === 'n3' ? false : isReady || name === 'n2' }),
      );
      return inputOf(files, [observedNodes('eu-1', { nodes, pods: [], extras: [pool] })]);
    };
    const first = await at(true);
    const begun = planFleet(first).plan;
    const { commands, pools } = begun.nodes[0]!;
    // One that starts is not counted yet.
    expect(pools[0]).toMatchObject({ nodes: 2, disrupting: 0 });
    const { record } = later({ ...first, record: (await at(false)).record }, begun, 20);
    const [[name, recorded]] = [...record.nodes] as [[string, NodePlan]];
    const removing = {
      ...recorded,
      commands: recorded.commands.map((one) => ({ ...one, phase: 'Removing' as const })),
    };
    const input = { ...(await at(false)), record: { ...record, nodes: new Map([[name, remembered(removing)]]) } };
    const { plan } = planFleet(input);
    const [planned] = plan.nodes;
    expect(planned!.pools[0]).toMatchObject({ nodes: 2, disrupting: 1 });
    expect(planned!.commands.filter(({ nodes }) => nodes.some((own) => own.name !== 'n1'))).toEqual([]);
    const another = { ...commands[0]!, id: 'another', nodes: [{ ...commands[0]!.nodes[0]!, name: 'n2' }] };
    const wrong = { ...plan, nodes: [{ ...planned!, commands: [...planned!.commands, another] }] };
    expect(rulesOf(wrong, input)).toEqual(['NodeBudgetExceeded']);
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
