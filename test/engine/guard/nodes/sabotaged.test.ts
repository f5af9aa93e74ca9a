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
  const nodes = [
    ...['n1', 'n2', 'kept', 'until', 'over', 'held', 'unready', 'twice', 'forced', 'leaving', 'wanted'].map((name) =>
      node(name),
    ),
    ...['ready', 'fresh', 'graced'].map((name) => node(name)),
    node('annotated', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    node('unknown', { pool: 'gone' }),
    node('starting', { initialized: false }),
  ];
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
    pod('ready', 'ready', { ...big, labels: { app: 'unready' } }),
    pod('fresh', 'fresh', { ...big, labels: { app: 'fresh' } }),
    pod('graced', 'graced', big),
    pod('unknown', 'unknown', big),
    pod('annotated', 'annotated', big),
    pod('twice', 'twice', { ...big, labels: { app: 'twice' } }),
    pod('forced', 'forced', { ...big, ...marked('true') }),
    pod('leaving', 'leaving', big),
    pod('wanted', 'wanted', big),
    pod('coming', undefined, { status: { phase: 'Pending', nominatedNodeName: 'wanted' } }),
  ];
  const claimOf = (of: ReturnType<typeof node>) => {
    const { name } = of.metadata;
    if (name === 'held') return claim(of, { spec: { expireAfter: '467h' } });
    if (name === 'forced' || name === 'graced') return claim(of, { spec: { terminationGracePeriod: '1h' } });
    return claim(of, name === 'leaving' ? { metadata: { deletionTimestamp: '2026-11-20T09:59:00Z' } } : {});
  };
  const extras = [
    nodePool('default', { disruption: { budgets: [{ nodes: '4' }] } }),
    ...[...nodes, node('unseen')].map(claimOf),
    budget('held', 'held'),
    { ...budget('one', 'twice'), status: { disruptionsAllowed: 1 } },
    { ...budget('two', 'twice'), status: { disruptionsAllowed: 1 } },
    { ...budget('fresh', 'fresh'), status: undefined },
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

const drift = (command: NodeCommand, ...names: string[]): NodeCommand => ({
  ...other(command, ...names),
  method: 'Drift',
  reason: 'Drifted',
});

const expire = (command: NodeCommand, ...names: string[]): NodeCommand => ({
  ...other(command, ...names),
  method: 'Expiration',
  reason: 'Expired',
});

const replacement = {
  name: 'new',
  pool: 'default',
  instanceType: 'D8',
  zone: 'eu-1a',
  capacityType: 'on-demand' as const,
  options: ['D8'],
};

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
    ['takes a node with a pod that is ready, of the same budget', ['BlockedNodeDisrupted'], (it) => other(it, 'ready')],
    ['takes a node with a pod of a budget without status', ['BlockedNodeDisrupted'], (it) => other(it, 'fresh')],
    ['takes a node with karpenter.sh/do-not-disrupt', ['BlockedNodeDisrupted'], (it) => other(it, 'annotated')],
    ['takes a node of a NodePool that is not known', ['BlockedNodeDisrupted'], (it) => other(it, 'unknown')],
    ['takes a node with a pod of two budgets', ['BlockedNodeDisrupted'], (it) => other(it, 'twice')],
    ['takes a node that is being deleted', ['BlockedNodeDisrupted'], (it) => other(it, 'leaving')],
    ['takes a node that a pending pod is nominated for', ['BlockedNodeDisrupted'], (it) => other(it, 'wanted')],
    ['takes a node that is not initialized', ['BlockedNodeDisrupted'], (it) => other(it, 'starting')],
    // It is 466 hours old.
    ['takes a node before it expires', ['BlockedNodeDisrupted'], (it) => expire(it, 'held')],
    ['takes a node that never expires', ['BlockedNodeDisrupted'], (it) => expire(it, 'n1')],
    ['takes a drifted node with a protected pod', ['BlockedNodeDisrupted'], (it) => drift(it, 'kept')],
    ['takes a drifted node with a protected pod, whose drain ends by force', [], (it) => drift(it, 'forced')],
    ['takes an empty node of which the same is true', ['BlockedNodeDisrupted'], (it) => other(it, 'forced')],
    [
      'moves a pod of a drifted node nowhere',
      ['PodHasNoPlace'],
      (it) => ({ ...drift(it, 'n1'), pods: [{ namespace: 'shop', name: 'a', from: 'n1' }] }),
    ],
    [
      'moves a pod of an underutilized node nowhere, whose drain would end by force',
      ['PodHasNoPlace'],
      (it) => ({ ...other(it, 'graced'), pods: [{ namespace: 'shop', name: 'graced', from: 'graced' }] }),
    ],
    [
      'replaces nodes whose price is not known',
      ['NoSaving'],
      ({ priceBefore: _, ...it }) => ({ ...it, pods: [], replacements: [replacement] }),
    ],
    ['takes a node that is of no pool', ['NotOurNode'], (it) => other(it, 'foreign')],
    ['takes a node that is not there', ['NotOurNode'], (it) => other(it, 'gone')],
    ['takes a claim that has no node', ['NotOurNode'], (it) => other(it, 'unseen')],
    [
      'moves a pod to a node that goes as well',
      ['PodHasNoPlace'],
      (it) => ({ ...it, pods: it.pods!.map((move) => ({ ...move, to: it.nodes[0]!.name })) }),
    ],
    [
      'moves a pod to a node that is not there',
      ['PodHasNoPlace'],
      (it) => ({ ...it, pods: it.pods!.map((move) => ({ ...move, to: 'gone' })) }),
    ],
    [
      'replaces nodes by dearer ones',
      ['NoSaving'],
      (it) => ({
        ...it,
        replacements: [replacement],
        pods: [],
        priceAfter: it.priceBefore!,
      }),
    ],
  ])('that %s is judged %j', async (_, rules, sabotage) => {
    const { command, found } = await sound();
    expect(found(sabotage(command))).toEqual(rules);
  });
});
