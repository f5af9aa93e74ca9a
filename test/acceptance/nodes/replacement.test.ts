import { describe, expect, it } from 'vitest';
import { market, node, nodePool, pod, type TypeSpec } from '../../support/node-world.ts';
import { line, planned, unlimited, type World } from '../../support/planned-nodes.ts';

const flow = (value: unknown): string => JSON.stringify(value);
const gateOn = {
  'fleet.yaml': flow({
    apiVersion: 'gitfleet.dev/v1alpha1',
    kind: 'FleetConfig',
    metadata: { name: 'fleet' },
    spec: { nodeDisruption: { featureGates: { SpotToSpotConsolidation: true } } },
  }),
};
const small: TypeSpec = { name: 'D2', cpu: 2, price: 0.1 };
const large: TypeSpec = { name: 'D8', cpu: 8, price: 0.4 };
const onSpot = (name: string) => node(name, { capacityType: 'spot' });
const commands = async (world: World, types: readonly TypeSpec[], more: Readonly<Record<string, string>> = {}) =>
  (await planned(world, { files: { ...market(types), ...more } })).nodes.commands;
const lines = async (...of: Parameters<typeof commands>) => (await commands(...of)).map(line);
const pool = (requirements: readonly object[], disruption: object = {}) =>
  nodePool('default', { requirements, disruption: { ...unlimited, ...disruption } });
const needs = (capacityType: string) => ({ spec: { nodeSelector: { 'karpenter.sh/capacity-type': capacityType } } });

describe('a replacement', () => {
  const one: World = { nodes: [node('n1')], pods: [pod('a', 'n1')] };

  it('is strictly cheaper', async () => {
    expect(await lines(one, [small, large])).toEqual(['SingleNodeConsolidation Proposed n1 -> D2']);
    expect(await lines(one, [{ ...small, price: 0.4 }, large])).toEqual([]);
  });

  it('may be any type that holds the pods, the cheapest first', async () => {
    const types = [{ ...small, name: 'E2', price: 0.2 }, small, { ...small, name: 'F2', price: 0.4 }, large];
    expect((await commands(one, types))[0]!.replacements).toMatchObject([
      { instanceType: 'D2', options: ['D2', 'E2'] },
    ]);
  });

  it('is judged by its dearest zone, since the launch may end up there', async () => {
    const zones = ['eu-1a', 'eu-1b'];
    const files = market([{ ...small, zones }, large]);
    const prices = JSON.parse(files['nodes/prices.yaml']!);
    prices.spec.prices.push({ instanceType: 'D2', zone: 'eu-1b', capacityType: 'on-demand', perHour: 0.5 });
    expect(await lines(one, [{ ...small, zones }, large], { 'nodes/prices.yaml': flow(prices) })).toEqual([]);
    const pinned = {
      ...one,
      pods: [pod('a', 'n1', { spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'eu-1a' } } })],
    };
    expect(await lines(pinned, [{ ...small, zones }, large], { 'nodes/prices.yaml': flow(prices) })).toEqual([
      'SingleNodeConsolidation Proposed n1 -> D2',
    ]);
  });

  it('needs known prices: a node of unknown price may only go without one', async () => {
    const unknown: World = { nodes: [node('n1', { type: 'X8' })], pods: [pod('a', 'n1')] };
    const files = market([small, large, { name: 'X8', cpu: 8, price: 0.4 }]);
    const prices = JSON.parse(files['nodes/prices.yaml']!);
    prices.spec.prices = prices.spec.prices.filter(
      ({ instanceType }: { instanceType: string }) => instanceType !== 'X8',
    );
    const more = { 'nodes/prices.yaml': flow(prices) };
    const types = [small, large, { name: 'X8', cpu: 8, price: 0.4 }];
    expect(await lines(unknown, types, more)).toEqual([]);
    const stays = node('n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const other = { nodes: [...unknown.nodes, stays], pods: [pod('a', 'n1'), pod('b', 'n2', { cpu: '6' })] };
    expect(await lines(other, types, more)).toEqual(['SingleNodeConsolidation Proposed n1']);
  });

  it('known prices of nodes that go with one of unknown price are saved all the same', async () => {
    const types = [large, { name: 'X8', cpu: 8, price: 0.5 }, { name: 'D16', cpu: 16, price: 0.8 }];
    const prices = JSON.parse(market(types)['nodes/prices.yaml']!);
    prices.spec.prices = prices.spec.prices.filter(
      ({ instanceType }: { instanceType: string }) => instanceType !== 'X8',
    );
    const world: World = {
      nodes: [
        node('n0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
        node('n1'),
        node('n2', { type: 'X8' }),
        node('n3', { type: 'D16', cpu: '16', memory: '64Gi' }),
      ],
      pods: [pod('a', 'n1'), pod('b', 'n2'), pod('c', 'n3', { cpu: '4' })],
    };
    const found = await commands(world, types, { 'nodes/prices.yaml': flow(prices) });
    expect(found.map((one) => [line(one), one.priceBefore, one.pods?.map(({ to }) => to)])).toEqual([
      ['MultiNodeConsolidation Proposed n3,n1', 1.2, ['n0', 'n0']],
      ['SingleNodeConsolidation Proposed n2', undefined, ['n0']],
    ]);
  });

  it('of a pod that is spread is in a zone with minValues types, where its constraint allows several', async () => {
    const spread = (maxSkew: number) => ({
      labels: { app: 'web' },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      },
    });
    const types = [
      { ...large, zones: ['eu-1a', 'eu-1b'] },
      { ...large, name: 'E8', zones: ['eu-1b'] },
    ];
    const other = node('n2', { zone: 'eu-1b', cpu: '2', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const world = (maxSkew: number, minValues: number): World => ({
      nodes: [node('n1', { type: 'X8' }), other],
      pods: [pod('a', 'n1', { ...spread(maxSkew), cpu: '6' }), pod('b', 'n2', spread(maxSkew))],
      pool: pool([{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['D8', 'E8'], minValues }]),
    });
    const zones = async (...of: Parameters<typeof world>) =>
      (await commands(world(...of), types)).flatMap(({ replacements }) => replacements.map(({ zone }) => zone));
    expect(await zones(2, 1)).toEqual(['eu-1a']);
    expect(await zones(2, 2)).toEqual(['eu-1b']);
    expect(await zones(1, 2)).toEqual([]);
  });

  it('leaves minValues types to choose from', async () => {
    const typed = (least: number) =>
      pool([{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['D2', 'E2', 'D8'], minValues: least }]);
    const types = [small, { ...small, name: 'E2' }, large];
    expect(await lines({ ...one, pool: typed(2) }, types)).toEqual(['SingleNodeConsolidation Proposed n1 -> D2']);
    expect(await lines({ ...one, pool: typed(3) }, types)).toEqual([]);
    const racks = (more: object) => pool([{ key: 'example.com/rack', operator: 'In', values: ['r1', 'r2'], ...more }]);
    expect(await lines({ ...one, pool: racks({}) }, types)).toEqual(['Drift Proposed n1 -> D2']);
    // No type says which values it has (core `SatisfiesMinValues`).
    for (const minValues of [1, 2]) expect(await lines({ ...one, pool: racks({ minValues }) }, types)).toEqual([]);
  });
});

describe('spot', () => {
  const one: World = { nodes: [onSpot('n1')], pods: [pod('a', 'n1')] };
  const many = (count: number): TypeSpec[] => [
    { ...large, spot: 0.2 },
    ...Array.from({ length: count }, (_, at) => ({
      name: `S${String(at).padStart(2, '0')}`,
      cpu: 2,
      price: 0.3,
      spot: 0.05 + at / 1000,
    })),
  ];

  it('replaces spot behind the gate only, and where 15 cheaper types are left', async () => {
    expect(await lines(one, many(15))).toEqual([]);
    expect(await lines(one, many(14), gateOn)).toEqual([]);
    expect(await lines(one, many(15), gateOn)).toEqual(['SingleNodeConsolidation Proposed n1 -> S00']);
  });

  it('is offered as many of the cheapest types as minValues needs', async () => {
    const types = many(20).map((type) => (type.name < 'S16' ? type : { ...type, zones: ['eu-1b'] }));
    const zones = pool([{ key: 'topology.kubernetes.io/zone', operator: 'Exists', minValues: 2 }]);
    const [command] = await commands({ ...one, pool: zones }, types, gateOn);
    // S00 to S15 in the zone of S00, and S16.
    expect(command!.replacements[0]!.options).toHaveLength(16);
  });

  it('is offered the 15 cheapest types, so that there is no endless hopping', async () => {
    const [command] = await commands(one, many(20), gateOn);
    expect(command!.replacements[0]!.options).toEqual(
      many(15)
        .slice(1)
        .map(({ name }) => name),
    );
  });

  it('replaces several spot nodes whatever the number of types', async () => {
    const two: World = {
      nodes: [onSpot('n1'), onSpot('n2')],
      pods: [pod('a', 'n1', { cpu: '5' }), pod('b', 'n2', { cpu: '5' })],
    };
    const types = [
      { ...large, spot: 0.2 },
      { name: 'D12', cpu: 12, price: 0.6, spot: 0.3 },
    ];
    expect(await lines(two, types)).toEqual([]);
    expect(await lines(two, types, gateOn)).toEqual(['MultiNodeConsolidation Proposed n1,n2 -> D12']);
  });

  it('replaces on-demand where the pool admits both: a shortage must not end in a dearer node', async () => {
    const types = [
      { ...small, spot: 0.05 },
      { ...large, spot: 0.2 },
    ];
    const onDemand: World = { nodes: [node('n1')], pods: [pod('a', 'n1')] };
    expect((await commands(onDemand, types))[0]!.replacements[0]).toMatchObject({ capacityType: 'spot', price: 0.05 });
  });

  it('is not what pods get that need on-demand', async () => {
    const types = [
      { ...small, spot: 0.05 },
      { ...large, spot: 0.2 },
    ];
    const pinned: World = { nodes: [node('n1')], pods: [pod('a', 'n1', needs('on-demand'))] };
    expect((await commands(pinned, types))[0]!.replacements[0]).toMatchObject({
      instanceType: 'D2',
      capacityType: 'on-demand',
    });
  });

  it('is not what a pool gets that asks for on-demand: spot nodes of it are replaced by such', async () => {
    const types = [
      { ...small, spot: 0.05 },
      { ...large, spot: 0.2 },
    ];
    const onDemand = pool([{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }], {});
    const found = await commands({ ...one, pool: onDemand }, types);
    // The node drifts too: its label no longer fits the pool.
    expect(found.map(({ method, replacements }) => [method, replacements[0]!.capacityType])).toEqual([
      ['Drift', 'on-demand'],
    ]);
  });
});

describe('consolidationPolicy', () => {
  const world = (policy: string): World => ({
    nodes: [node('n1'), node('n2')],
    pods: [pod('a', 'n1', { cpu: '3' })],
    pool: pool([], { consolidationPolicy: policy }),
  });

  it('WhenEmpty takes empty nodes only', async () => {
    expect(await lines(world('WhenEmpty'), [small, { name: 'D4', cpu: 4, price: 0.2 }, large])).toEqual([
      'Emptiness Proposed n2',
    ]);
  });

  it('Balanced weighs the share of the saving against the share of the disruption', async () => {
    // n1 has three of four pods: half of the price of n1 is too little for three quarters of the disruption.
    const balanced = (pods: number): World => ({
      nodes: [node('n1'), node('n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      pods: [
        ...Array.from({ length: pods }, (_, at) => pod(`a${at}`, 'n1', { cpu: '0.5', memory: '64Mi' })),
        pod('b', 'n2', { cpu: '8', memory: '64Mi' }),
      ],
      pool: pool([], { consolidationPolicy: 'Balanced' }),
    });
    const types = [{ name: 'D7', cpu: 7, price: 0.3 }, large];
    // Saving 0.1 of 0.8 = 0.125; disruption (1+3) of (4+2) = 0.67: score 0.19.
    expect(await lines(balanced(3), types)).toEqual([]);
    // Saving 0.3 of 0.8 = 0.375: score 0.56.
    expect(await lines(balanced(3), [small, large])).toEqual(['SingleNodeConsolidation Proposed n1 -> D2']);
  });
});
