import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/api/meta.ts';
import { clusterObservation } from '../../../src/api/observation.ts';
import { limitOf } from '../../../src/engine/node-pools/budgets.ts';
import { readPool } from '../../../src/engine/node-pools/pool.ts';
import { marketOf } from '../../../src/engine/nodes/launch/market.ts';
import { type ClusterPlan, planCluster } from '../../../src/engine/nodes/plan-cluster.ts';
import { sha256 } from '../../../src/repo/sha256.ts';
import { drawn, patience } from '../../support/law-runs.ts';
import { leastCost } from '../../support/lower-bound.ts';
import { claim, market as marketFiles, node, nodePool, pod } from '../../support/node-world.ts';
import { prefixSaving } from '../../support/prefix-search.ts';

const now = Date.parse('2026-11-20T10:00:00Z');
const zones = ['eu-1a', 'eu-1b'];
const types = [
  { name: 'D2', cpu: 2, price: 0.1, zones },
  { name: 'D4', cpu: 4, price: 0.19, zones },
  { name: 'D8', cpu: 8, price: 0.4, zones },
  { name: 'D16', cpu: 16, price: 0.75, zones },
];
const files = marketFiles(types);
const { market } = marketOf({}, [JSON.parse(files['nodes/prices.yaml']!)], [JSON.parse(files['nodes/catalog.yaml']!)]);

interface DrawnPod {
  readonly node: number;
  readonly cpu: number;
  readonly zone: number;
  readonly kind: 'plain' | 'protected' | 'budgeted' | 'apart' | 'spread' | 'pending';
}
interface DrawnNode {
  readonly type: number;
  readonly zone: number;
  readonly isDrifted: boolean;
  readonly isReady: boolean;
}
interface DrawnCluster {
  readonly nodes: readonly DrawnNode[];
  readonly pods: readonly DrawnPod[];
  readonly budget: string;
  readonly policy: string;
}

const clusters = (budget: fc.Arbitrary<string>): fc.Arbitrary<DrawnCluster> =>
  fc.record({
    nodes: fc.array(
      fc.record({
        type: fc.nat(types.length - 1),
        zone: fc.nat(1),
        isDrifted: fc.nat(9).map((n) => n === 0),
        isReady: fc.nat(11).map((n) => n > 0),
      }),
      { minLength: 1, maxLength: 9 },
    ),
    pods: fc.array(
      fc.record({
        node: fc.nat(8),
        cpu: fc.constantFrom(0.25, 0.5, 1, 1.5, 3),
        zone: fc.nat(5),
        kind: fc.constantFrom(
          ...(['plain', 'plain', 'plain', 'plain', 'protected', 'budgeted', 'apart', 'spread', 'pending'] as const),
        ),
      }),
      { maxLength: 24 },
    ),
    budget,
    policy: fc.constantFrom('WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized', 'WhenEmpty', 'Balanced'),
  });

interface World {
  readonly nodes: readonly ReturnType<typeof node>[];
  readonly claims: readonly object[];
  readonly pods: readonly ReturnType<typeof pod>[];
  readonly pool: Manifest;
}

const budgetObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'held', namespace: 'shop' },
  spec: { minAvailable: 1, selector: { matchLabels: { kind: 'budgeted' } } },
  status: { disruptionsAllowed: 0 },
};
const spread = (whenUnsatisfiable: string) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 2,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable,
      labelSelector: { matchLabels: { kind: 'spread' } },
    },
  ],
});
const unschedulable = {
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
};
const apart = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { kind: 'apart' } } },
      ],
    },
  },
};

/** A drawn pod that its node has no room for is left out, as a scheduler would not have put it there. */
function worldOf({ nodes, pods, budget, policy }: DrawnCluster): World {
  const made = nodes.map(({ type, zone, isReady }, at) =>
    node(`n${at}`, {
      type: types[type]!.name,
      cpu: String(types[type]!.cpu),
      memory: `${types[type]!.cpu * 4}Gi`,
      zone: zones[zone]!,
      ready: isReady,
    }),
  );
  const used = nodes.map(() => 0);
  const placed = pods.flatMap(({ node: wanted, cpu, zone, kind }, at) => {
    if (kind === 'pending') return [pod(`p${at}`, undefined, { cpu: String(cpu), memory: '64Mi', ...unschedulable })];
    const on = wanted % nodes.length;
    const home = nodes[on]!;
    if (used[on]! + cpu > types[home.type]!.cpu) return [];
    used[on]! += cpu;
    const own = { ...(kind === 'apart' ? apart : {}), ...(kind === 'spread' ? spread('DoNotSchedule') : {}) };
    const zoned = zone === 0 ? { nodeSelector: { 'topology.kubernetes.io/zone': zones[home.zone]! } } : {};
    return [
      pod(`p${at}`, `n${on}`, {
        cpu: String(cpu),
        memory: '64Mi',
        labels: { kind },
        ...(kind === 'protected' ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
        spec: { ...own, ...zoned },
      }),
    ];
  });
  return {
    nodes: made,
    claims: made.map((one, at) => claim(one, nodes[at]!.isDrifted ? { status: drifted(one) } : {})),
    pods: placed,
    pool: nodePool('default', {
      disruption: { consolidateAfter: '0s', consolidationPolicy: policy, budgets: [{ nodes: budget }] },
    }) as Manifest,
  };
}

const drifted = (one: ReturnType<typeof node>) => ({
  conditions: [
    { type: 'Initialized', status: 'True', lastTransitionTime: one.metadata.creationTimestamp },
    { type: 'Drifted', status: 'True', reason: 'NodePoolDrifted', lastTransitionTime: one.metadata.creationTimestamp },
  ],
});

const plan = ({ nodes, claims, pods, pool }: World, offered = market): ClusterPlan =>
  planCluster({
    clusterName: 'eu-1',
    mode: 'plan',
    observation: clusterObservation.parse({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterObservation',
      metadata: { name: 'eu-1' },
      nodes,
      pods,
      extras: [...claims, budgetObject],
    }),
    pools: new Map([['default', readPool(pool, undefined)]]),
    market: offered,
    record: undefined,
    launches: true,
    gates: { SpotToSpotConsolidation: false },
    now,
    digest: sha256,
  });

/** The cluster after every proposed command was carried out. */
function carriedOut(world: World, { proposed }: ClusterPlan): World {
  const gone = new Set(proposed.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const moves = new Map(proposed.flatMap(({ pods = [] }) => pods.map((move) => [move.name, move.to] as const)));
  const added = proposed.flatMap(({ replacements }) =>
    replacements.map(({ name, instanceType, zone }) => {
      const { cpu } = types.find((type) => type.name === instanceType)!;
      return node(name, { type: instanceType, cpu: String(cpu), memory: `${cpu * 4}Gi`, zone });
    }),
  );
  return {
    ...world,
    nodes: [...world.nodes.filter(({ metadata }) => !gone.has(metadata.name)), ...added],
    claims: [
      ...world.claims.filter((one) => !gone.has((one as ReturnType<typeof claim>).status.nodeName)),
      ...added.map((one) => claim(one)),
    ],
    pods: world.pods.map((one) => {
      const to = moves.get(one.metadata.name);
      return to === undefined ? one : ({ ...one, spec: { ...one.spec, nodeName: to } } as typeof one);
    }),
  };
}

const isRunning = ({ status }: ReturnType<typeof pod>): boolean => status.phase === 'Running';
const nodeNameOf = (one: ReturnType<typeof pod>): string => (one.spec as { nodeName?: string }).nodeName ?? '';
const cpuOf = (one: ReturnType<typeof pod>): number => Number(one.spec.containers[0]!.resources.requests.cpu);
const requestsOf = (one: ReturnType<typeof pod>) => ({ cpu: cpuOf(one), memory: 1 / 16, pods: 1 });
const sold = types.map(({ cpu, price }) => ({ amounts: { cpu, memory: cpu * 4, pods: 110 }, price }));
const costOf = ({ nodes }: World): number =>
  nodes.reduce((sum, { metadata: { labels } }) => {
    const { price } = types.find(({ name }) => name === labels['node.kubernetes.io/instance-type'])!;
    return sum + price;
  }, 0);
const anyBudget = fc.constantFrom('0', '1', '10%', '34%', '3', '100%');

it('a node that is not ready goes only where its budget leaves something', () => {
  const two = { type: 0, zone: 0, isDrifted: false };
  const world = worldOf({
    nodes: [
      { ...two, isReady: false },
      { ...two, isReady: true },
    ],
    pods: [{ node: 0, cpu: 0.25, zone: 1, kind: 'plain' }],
    budget: '0',
    policy: 'WhenEmptyOrUnderutilized',
  });
  expect(plan(world).proposed).toEqual([]);
});

describe('over drawn clusters', () => {
  it(
    'budgets bear every command, no protected pod moves, every pod has a place with room, and each drifted node is named',
    () => {
      fc.assert(
        fc.property(clusters(anyBudget), (given) => {
          const world = worldOf(given);
          const planned = plan(world);
          const [pool] = planned.poolsWith(new Set());
          let going = pool!.disrupting;
          for (const { nodes, reason } of planned.proposed) {
            going += nodes.filter(({ name }) => given.nodes[Number(name.slice(1))]!.isReady).length;
            const limit = limitOf([...planned.state.pools.values()][0]!.budgets, reason as 'Empty', pool!.nodes, now);
            expect(going).toBeLessThanOrEqual(limit);
          }
          const gone = new Set(planned.proposed.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
          const { overBudget, cluster, driftOf } = planned.state;
          const over = [...overBudget.values()].flatMap((found) => [...found]);
          const named = new Set([...gone, ...planned.blocked.map((one) => one.node)]);
          const due = cluster.nodes.filter((_, at) => driftOf(at) !== undefined && !over.includes(at));
          expect(due.filter(({ name }) => !named.has(name))).toEqual([]);
          const leaving = world.pods.filter((one) => gone.has(nodeNameOf(one)));
          expect(leaving.filter(({ metadata }) => /protected|budgeted/.test(JSON.stringify(metadata.labels)))).toEqual(
            [],
          );
          const after = carriedOut(world, planned);
          const names = new Set(after.nodes.map(({ metadata }) => metadata.name));
          expect(after.pods.filter((one) => isRunning(one) && !names.has(nodeNameOf(one)))).toEqual([]);
          for (const { metadata, status } of after.nodes) {
            const used = after.pods
              .filter((one) => nodeNameOf(one) === metadata.name)
              .reduce((sum, one) => sum + cpuOf(one), 0);
            expect(used).toBeLessThanOrEqual(Number(status.capacity.cpu));
          }
        }),
        drawn(600, 1),
      );
    },
    patience(20_000),
  );

  it(
    'every command of consolidation saves, and together they save at least what a prefix search finds',
    () => {
      fc.assert(
        fc.property(clusters(anyBudget), (given) => {
          // Drifted nodes go first, and would leave the two searches different clusters.
          const world = worldOf({ ...given, nodes: given.nodes.map((one) => ({ ...one, isDrifted: false })) });
          const planned = plan(world);
          const savings = planned.proposed.map(({ priceBefore, priceAfter }) => priceBefore! - priceAfter);
          expect(savings.filter((saving) => saving <= 0)).toEqual([]);
          const total = savings.reduce((sum, saving) => sum + saving, 0);
          expect(total).toBeGreaterThanOrEqual(prefixSaving(planned) - 1e-9);
        }),
        drawn(600, 2),
      );
    },
    patience(20_000),
  );

  it(
    'nodes of unknown price hide no saving of others, which is at least what a prefix search finds',
    () => {
      const prices = JSON.parse(files['nodes/prices.yaml']!);
      prices.spec.prices = prices.spec.prices.filter(
        ({ instanceType }: { instanceType: string }) => instanceType !== 'D8',
      );
      const { market: partly } = marketOf({}, [prices], [JSON.parse(files['nodes/catalog.yaml']!)]);
      fc.assert(
        fc.property(clusters(anyBudget), (given) => {
          const world = worldOf({ ...given, nodes: given.nodes.map((one) => ({ ...one, isDrifted: false })) });
          const planned = plan(world, partly);
          const isMixed = ({ nodes }: (typeof planned.proposed)[number]): boolean =>
            new Set(nodes.map(({ price }) => price === undefined)).size > 1;
          expect(planned.proposed.filter((one) => one.reason !== 'Empty' && isMixed(one))).toEqual([]);
          const total = planned.proposed.reduce(
            (sum, { priceBefore, priceAfter }) => sum + (priceBefore === undefined ? 0 : priceBefore - priceAfter),
            0,
          );
          expect(total).toBeGreaterThanOrEqual(prefixSaving(planned) - 1e-9);
        }),
        drawn(300, 7),
      );
    },
    patience(20_000),
  );

  it(
    'a cluster that nothing more is planned for costs what was saved less, and never less than is proven possible',
    () => {
      fc.assert(
        fc.property(clusters(fc.constant('100%')), (given) => {
          let world = worldOf({ ...given, nodes: given.nodes.map((one) => ({ ...one, isDrifted: false })) });
          const least = leastCost(world.pods.filter(isRunning).map(requestsOf), sold);
          for (let planned = plan(world); planned.proposed.length > 0; planned = plan(world)) {
            const before = costOf(world);
            world = carriedOut(world, planned);
            const saved = planned.proposed.reduce((sum, one) => sum + one.priceBefore! - one.priceAfter, 0);
            expect(costOf(world)).toBeCloseTo(before - saved, 9);
            expect(costOf(world)).toBeGreaterThanOrEqual(least - 1e-9);
          }
        }),
        drawn(400, 4),
      );
    },
    patience(20_000),
  );

  it(
    'after at most ten rounds nothing is left to do, the plan of the same cluster is the same, and no pod is lost',
    () => {
      fc.assert(
        fc.property(clusters(fc.constant('100%')), (given) => {
          let world = worldOf(given);
          let rounds = 0;
          for (let planned = plan(world); planned.proposed.length > 0; planned = plan(world)) {
            expect(plan(world).proposed).toEqual(planned.proposed);
            world = carriedOut(world, planned);
            rounds++;
            expect(rounds).toBeLessThanOrEqual(10);
          }
        }),
        drawn(400, 3),
      );
    },
    patience(20_000),
  );
});
