import { describe, expect, it } from 'vitest';
import { planFleet } from '../../../../src/engine/plan.ts';
import type { Plan } from '../../../../src/engine/plan-document.ts';
import { claim, node, nodeMember, nodePool, observedNodes } from '../../../support/node-world.ts';
import { inputOf, rulesOf } from './judged.ts';

const json = (value: unknown): string => JSON.stringify(value);
const group = 'placement.kubernetes-fleet.io/v1';
const pool = nodePool('default', { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '3' }] } });
const files = (overrides: readonly object[] = [], manifest: object = pool, selected: object = {}) => ({
  'members/eu-1.yaml': nodeMember('eu-1', 'plan', { env: 'prod', most: '2' }),
  'placements/pools.yaml': json({
    apiVersion: group,
    kind: 'ClusterResourcePlacement',
    metadata: { name: 'pools' },
    spec: {
      resourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default', ...selected }],
      policy: { placementType: 'PickAll' },
    },
  }),
  'resources/pool.yaml': json(manifest),
  ...Object.fromEntries(overrides.map((override, at) => [`overrides/${at}.yaml`, json(override)])),
});

const rule = (value: object, env = 'prod') => ({
  clusterSelector: { clusterSelectorTerms: [{ labelSelector: { matchLabels: { env } } }] },
  ...value,
});
const override = (name: string, overrideRules: readonly object[]) => ({
  apiVersion: group,
  kind: 'ClusterResourceOverride',
  metadata: { name },
  spec: {
    clusterResourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
    policy: { overrideRules },
  },
});
const most = (nodes: string, env?: string) =>
  rule({ jsonPatchOverrides: [{ op: 'replace', path: '/spec/disruption/budgets/0/nodes', value: nodes }] }, env);

/** Four empty nodes; what the cluster itself shows of the pool allows none. */
const observed = (template: object = {}) => {
  const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => node(name));
  const live = nodePool('default', { disruption: { budgets: [{ nodes: '0' }] }, template });
  return [observedNodes('eu-1', { nodes, pods: [], extras: [live, ...nodes.map((of) => claim(of))] })];
};

/** The plan, with so many nodes in its command. */
const taking = (count: number, plan: Plan): Plan => ({
  ...plan,
  nodes: plan.nodes.map((planned) => ({
    ...planned,
    commands: planned.commands.map((command) => ({
      ...command,
      nodes: Array.from({ length: count }, (_, at) => ({ ...command.nodes[0]!, name: `n${at + 1}` })),
    })),
  })),
});

describe('the budgets of a NodePool that a placement delivers', () => {
  it.each<[string, number, Readonly<Record<string, string>>]>([
    ['as its file writes them', 3, files()],
    ['as an override for the cluster writes them', 1, files([override('few', [most('1')])])],
    ['not as one for other clusters does', 3, files([override('few', [most('1', 'dev')])])],
    ['as the later rule of two does', 2, files([override('few', [most('1'), most('2')])])],
    ['as the later override of two by name does', 2, files([override('b', [most('2')]), override('a', [most('1')])])],
    [
      'with a label of the cluster as its value',
      2,
      files([override('few', [most('${MEMBER-CLUSTER-LABEL-KEY-most}')])]),
    ],
    [
      'in an envelope',
      3,
      files(
        [],
        {
          apiVersion: `${group}beta1`,
          kind: 'ClusterResourceEnvelope',
          metadata: { name: 'wrapped' },
          data: { 'pool.yaml': pool },
        },
        {
          group: 'placement.kubernetes-fleet.io',
          version: 'v1beta1',
          kind: 'ClusterResourceEnvelope',
          name: 'wrapped',
        },
      ),
    ],
  ])('are read %s: %i', async (_, allowed, written) => {
    const input = await inputOf(written, observed());
    const { plan } = planFleet(input);
    expect(plan.nodes[0]!.commands.map(({ nodes }) => nodes.length)).toEqual([allowed]);
    expect(plan.guard).toEqual([]);
    expect(rulesOf(taking(allowed, plan), input)).toEqual([]);
    expect(rulesOf(taking(allowed + 1, plan), input)).toEqual(['NodeBudgetExceeded']);
  });

  it('are those that the cluster shows where an override deletes it', async () => {
    const input = await inputOf(files([override('none', [rule({ overrideType: 'Delete' })])]), observed());
    const { plan } = planFleet(await inputOf(files(), observed()));
    const deleting = planFleet(input).plan;
    const wrong = { ...deleting, nodes: taking(1, plan).nodes };
    expect(rulesOf(wrong, input)).toEqual(['NodeBudgetExceeded']);
  });

  it.each([
    ['another kind of node class', { nodeClassRef: { group: 'karpenter.azure.com', kind: 'Other', name: 'default' } }],
    ['another group', { nodeClassRef: { group: 'example.com', kind: 'AKSNodeClass', name: 'default' } }],
  ])('are those that the cluster shows where it has %s, and so refuses the change', async (_, template) => {
    const input = await inputOf(files(), observed(template));
    const { plan } = planFleet(input);
    expect(plan.nodes[0]!.commands).toEqual([]);
    expect(plan.guard).toEqual([]);
    const other = planFleet(await inputOf(files(), observed())).plan;
    expect(rulesOf({ ...plan, nodes: taking(1, other).nodes }, input)).toEqual(['NodeBudgetExceeded']);
  });

  const bare = async (...overrides: readonly object[]) => {
    const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => node(name));
    const extras = nodes.map((of) => claim(of));
    return inputOf(files(overrides), [observedNodes('eu-1', { nodes, pods: [], extras })]);
  };
  const patch = (path: string, value: unknown) =>
    override('wrong', [rule({ jsonPatchOverrides: [{ op: 'add', path, value }] })]);

  it.each<[string, object, number, number]>([
    ['another field', patch('/spec/weight', 500), 3, 3],
    ['a budget', patch('/spec/disruption/budgets/-', { nodes: 'abc' }), 0, 0],
  ])('are read as far as they can be where an override makes %s invalid', async (_, wrong, limit, taken) => {
    const input = await bare(wrong);
    const { plan } = planFleet(input);
    const { pools, commands, blocked } = plan.nodes[0]!;
    expect(pools.map((of) => [of.name, of.limit.Empty])).toEqual([['default', limit]]);
    expect(commands.flatMap(({ method, nodes }) => [method, nodes.length])).toEqual(taken ? ['Emptiness', taken] : []);
    expect(blocked.map(({ reason }) => reason)).not.toContain('UnknownNodePool');
    expect(plan.problems.map(({ code }) => code)).toEqual(['failing-override']);
    expect(plan.guard).toEqual([]);
    const sound = planFleet(await bare()).plan;
    expect(rulesOf({ ...plan, nodes: taking(4, sound).nodes }, input)).toEqual(['NodeBudgetExceeded']);
  });
});
