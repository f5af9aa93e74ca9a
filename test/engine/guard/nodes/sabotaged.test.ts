import { describe, expect, it } from 'vitest';
import type { NodeCommand } from '../../../../src/api/nodes/node-plan.ts';
import { planFleet } from '../../../../src/engine/plan.ts';
import { claim, node, nodeMember, nodePool, observedNodes, pod, smallMarket } from '../../../support/node-world.ts';
import { inputOf, rulesOf } from './judged.ts';

const budget = (name: string, app: string, spec: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop' },
  spec: { minAvailable: 1, selector: { matchLabels: { app } }, ...spec },
  status: { disruptionsAllowed: 0 },
});
const started = { status: { startTime: '2026-11-20T09:50:00Z' } };
const marked = (value: string) => ({ annotations: { 'karpenter.sh/do-not-disrupt': value }, ...started });

/** A plan that replaces two half-empty nodes by a smaller one, what the guard is given, and nodes with pods that must stay. */
async function sound() {
  const nodes = ['n1', 'n2', 'kept', 'until', 'over', 'held', 'unready'].map((name) => node(name));
  const foreign = { ...node('foreign'), metadata: { ...node('foreign').metadata, labels: {} } };
  const big = { cpu: '7' };
  const pods = [
    pod('a', 'n1'),
    pod('b', 'n2'),
    pod('kept', 'kept', { ...big, ...marked('true') }),
    pod('until', 'until', { ...big, ...marked('20m') }),
    pod('over', 'over', { ...big, ...marked('5m') }),
    pod('held', 'held', { ...big, labels: { app: 'held' } }),
    pod('unready', 'unready', {
      ...big,
      labels: { app: 'unready' },
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    }),
  ];
  const extras = [
    nodePool('default', { disruption: { budgets: [{ nodes: '3' }] } }),
    ...nodes.map((of) => claim(of)),
    budget('held', 'held'),
    budget('unready', 'unready', { unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
  ];
  const input = await inputOf({ 'members/eu-1.yaml': nodeMember('eu-1', 'plan'), ...smallMarket }, [
    observedNodes('eu-1', { nodes: [...nodes, foreign], pods, extras }),
  ]);
  const { plan } = planFleet(input);
  const command = plan.nodes[0]!.commands.find(({ reason }) => reason === 'Underutilized')!;
  const found = (changed: NodeCommand): string[] =>
    rulesOf({ ...plan, nodes: [{ ...plan.nodes[0]!, commands: [changed] }] }, input);
  return { command, found };
}

const other = (command: NodeCommand, ...names: string[]): NodeCommand => ({
  ...command,
  nodes: names.map((name) => ({ ...command.nodes[0]!, name })),
  pods: [],
});

describe('a plan of nodes', () => {
  it('is accepted as it is made', async () => {
    const { command, found } = await sound();
    expect(command.nodes.length).toBeGreaterThan(0);
    expect(found(command)).toEqual([]);
  });

  it.each<[string, string[], (command: NodeCommand) => NodeCommand]>([
    ['takes more nodes than budgets allow', ['NodeBudgetExceeded'], (it) => other(it, 'n1', 'n2', 'over', 'unready')],
    ['takes a node with a protected pod', ['BlockedNodeDisrupted'], (it) => other(it, 'kept')],
    ['takes a node with a pod that is protected for 20 minutes', ['BlockedNodeDisrupted'], (it) => other(it, 'until')],
    ['takes a node with a pod that was protected for 5 minutes', [], (it) => other(it, 'over')],
    ['takes a node with a pod that a budget keeps', ['BlockedNodeDisrupted'], (it) => other(it, 'held')],
    ['takes a node with a pod that is not ready, which the budget lets go', [], (it) => other(it, 'unready')],
    ['takes a node that is of no pool', ['NotOurNode'], (it) => other(it, 'foreign')],
    ['takes a node that is not there', ['NotOurNode'], (it) => other(it, 'gone')],
    [
      'moves a pod to a node that goes as well',
      ['PodHasNoPlace'],
      (it) => ({ ...it, pods: it.pods!.map((move) => ({ ...move, to: it.nodes[0]!.name })) }),
    ],
    [
      'replaces nodes by dearer ones',
      ['NoSaving'],
      (it) => ({
        ...it,
        replacements: [
          {
            name: 'new',
            pool: 'default',
            instanceType: 'D8',
            zone: 'eu-1a',
            capacityType: 'on-demand',
            options: ['D8'],
          },
        ],
        pods: [],
        priceAfter: it.priceBefore!,
      }),
    ],
  ])('that %s is judged %j', async (_, rules, sabotage) => {
    const { command, found } = await sound();
    expect(found(sabotage(command))).toEqual(rules);
  });
});
