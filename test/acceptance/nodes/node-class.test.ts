import { describe, expect, it } from 'vitest';
import { claim, node, nodeMember, nodePool, observedNodes } from '../../support/node-world.ts';
import { carriedOut, plan } from '../../support/plan-command.ts';

const subnet = (name: string) =>
  `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/${name}`;
const nodeClass = (spec: object, more: object = {}) => ({
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec,
  ...more,
});
const placement = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: pools}
spec:
  resourceSelectors:
  - {group: karpenter.sh, version: v1, kind: NodePool, name: default}
  - {group: karpenter.azure.com, version: v1beta1, kind: AKSNodeClass, name: default}
  policy: {placementType: PickAll}
  strategy: {type: RollingUpdate, rollingUpdate: {unavailablePeriodSeconds: 0}}
`;
const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] };
const of = node('n1');

const files = (spec: object, pool: object = nodePool('default', { disruption })) => ({
  'members/eu-1.yaml': nodeMember('eu-1', 'plan'),
  'placements/pools.yaml': placement,
  'resources/pool.yaml': JSON.stringify(pool),
  'resources/class.yaml': JSON.stringify(nodeClass(spec)),
});

/** The second of two plans: the first delivers `before`, and records the claim. */
const changed = async (before: object, after: object, extras: readonly object[] = []) => {
  const shown = { nodes: [of], pods: [], extras: [claim(of), ...extras] };
  const first = await plan({ repo: files(before), observed: [observedNodes('eu-1', shown)] });
  const [delivered] = carriedOut(first, ['eu-1']);
  const { plan: second } = await plan({
    repo: files(after),
    observed: [JSON.stringify({ ...JSON.parse(delivered!), ...shown })],
    recorded: first.recorded,
    now: '2026-11-20T10:05:00Z',
  });
  return second.problems.map(({ rule, severity, file }) => `${severity} ${rule} ${file}`);
};

/** First the cluster has a class of its own, then the fleet delivers one of that name. */
const takenOver = async (live: object, delivered: object) => {
  const pool = nodePool('default', { disruption });
  const observed = [observedNodes('eu-1', { nodes: [of], pods: [], extras: [pool, claim(of), nodeClass(live)] })];
  const { recorded } = await plan({ repo: { 'members/eu-1.yaml': nodeMember('eu-1', 'plan') }, observed });
  const { plan: second } = await plan({ repo: files(delivered), observed, recorded });
  return second.nodes[0]!.commands.map(({ nodes }) => nodes[0]!.drift);
};

describe('a node class that the fleet delivers', () => {
  it('makes nodes drift before it is applied, but for tags and written defaults', async () => {
    expect(await takenOver({}, { imageFamily: 'AzureLinux' })).toEqual(['NodeClassDrift']);
    expect(await takenOver({ imageFamily: 'Ubuntu', osDiskSizeGB: 128 }, { tags: { a: 'b' } })).toEqual([]);
  });
});

describe('SubnetMove', () => {
  const [a, b] = [{ vnetSubnetID: subnet('a') }, { vnetSubnetID: subnet('b') }];

  it('warns of a move between two subnets, by the record or by what the cluster shows', async () => {
    expect(await changed(a, b)).toEqual(['warning SubnetMove resources/class.yaml']);
    expect(await changed(b, b, [nodeClass(a)])).toEqual(['warning SubnetMove resources/class.yaml']);
  });

  it('does not warn of the same subnet, and of a repair', async () => {
    expect(await changed(a, { vnetSubnetID: subnet('A') })).toEqual([]);
    const broken = nodeClass(a, { status: { conditions: [{ type: 'SubnetsReady', status: 'False' }] } });
    expect(await changed(b, b, [broken])).toEqual([]);
    expect(await changed(b, b, [nodeClass({ vnetSubnetID: 'nonsense' })])).toEqual([]);
  });
});

describe('changes of a NodePool that Karpenter refuses', () => {
  const pool = (of: Parameters<typeof nodePool>[1] = {}) => nodePool('default', { disruption, ...of });
  const ref = (more: object) => ({
    nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default', ...more },
  });
  const found = async (before: object, after: object, live: readonly object[] = []) => {
    const shown = { nodes: [of], pods: [], extras: [claim(of), ...live] };
    const first = await plan({ repo: files({}, before), observed: [observedNodes('eu-1', shown)] });
    const { plan: second } = await plan({
      repo: files({}, after),
      observed: [observedNodes('eu-1', shown)],
      recorded: first.recorded,
    });
    return second.problems.filter(({ code }) => code === 'immutable-field').map(({ path, file }) => `${path} ${file}`);
  };

  it.each<[string, object, object, string[]]>([
    [
      'another kind of node class',
      pool(),
      pool({ template: ref({ kind: 'Other' }) }),
      ['spec.template.spec.nodeClassRef.kind'],
    ],
    ['another group', pool(), pool({ template: ref({ group: 'g' }) }), ['spec.template.spec.nodeClassRef.group']],
    ['another node class of that kind', pool(), pool({ template: ref({ name: 'other' }) }), []],
    ['a pool that becomes static', pool(), pool({ more: { replicas: 2 } }), ['spec.replicas']],
    ['a pool that is static no more', pool({ more: { replicas: 2 } }), pool(), ['spec.replicas']],
    ['another number of replicas', pool({ more: { replicas: 2 } }), pool({ more: { replicas: 3 } }), []],
  ])('%s', async (_, before, after, paths) => {
    const expected = paths.map((path) => `${path} resources/pool.yaml`);
    expect(await found(before, after)).toEqual(expected);
    expect(await found(after, after, [before])).toEqual(expected);
  });

  it('are neither delivered nor planned with: the last good version stays until the file is valid', async () => {
    const empty = (nodes: string, template: object = {}) =>
      nodePool('default', { disruption: { budgets: [{ nodes }] }, template });
    const shown = { nodes: [of], pods: [], extras: [claim(of)] };
    const step = async (minute: string, pool: object, before?: Awaited<ReturnType<typeof plan>>) => {
      const [placed] = before ? carriedOut(before, ['eu-1']) : ['{}'];
      const next = await plan({
        repo: files({}, pool),
        observed: [JSON.stringify({ ...JSON.parse(observedNodes('eu-1', shown)), ...JSON.parse(placed!), ...shown })],
        ...(before ? { recorded: before.recorded } : {}),
        now: `2026-11-20T10:${minute}:00Z`,
      });
      const { nodes, holds, targets } = next.plan;
      return {
        next,
        limit: nodes[0]!.pools[0]!.limit.Empty,
        snapshot: targets[0]!.resourceSnapshotIndex,
        holds: holds.map(({ subject, reason }) => `${subject.kind} ${subject.name} ${reason}`),
      };
    };
    const first = await step('00', empty('7'));
    expect(first).toMatchObject({ limit: 7, snapshot: 0, holds: [] });
    const refused = await step('05', empty('5', ref({ kind: 'Other' })), first.next);
    expect(refused).toMatchObject({ limit: 7, snapshot: 0, holds: ['NodePool default LastGoodVersion'] });
    expect(refused.next.code).toBe(2);
    expect(await step('10', empty('5'), refused.next)).toMatchObject({ limit: 5, snapshot: 1, holds: [] });
  });

  it('is no such change where a new cluster gets a pool that an override makes static', async () => {
    const override = {
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'ClusterResourceOverride',
      metadata: { name: 'static' },
      spec: {
        clusterResourceSelectors: [{ group: 'karpenter.sh', version: 'v1', kind: 'NodePool', name: 'default' }],
        policy: { overrideRules: [{ jsonPatchOverrides: [{ op: 'add', path: '/spec/replicas', value: 2 }] }] },
      },
    };
    const repo = { ...files({}), 'overrides/static.yaml': JSON.stringify(override) };
    const observed = [observedNodes('eu-1', { nodes: [of], pods: [], extras: [claim(of)] })];
    const first = await plan({ repo, observed });
    const { plan: second } = await plan({ repo, observed, recorded: first.recorded });
    expect(second.problems.filter(({ code }) => code === 'immutable-field')).toEqual([]);
  });
});
