import { createHash } from 'node:crypto';
import { clusterObservation } from '../../src/api/observation.ts';
import { readPool } from '../../src/engine/node-pools/pool.ts';
import { marketOf } from '../../src/engine/nodes/launch/market.ts';
import { type ClusterPlan, type ClusterPlanInput, planCluster } from '../../src/engine/nodes/plan-cluster.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { previewAssumptions } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import { claim, market as marketFiles, node, nodeMember, nodePool, pod } from '../support/node-world.ts';
import { treeOf } from '../support/paper-fleet.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { prefixSaving } from '../support/prefix-search.ts';
import { limits } from './limits.ts';
import { peakRss, report } from './report.ts';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const now = Date.parse('2026-11-20T10:00:00Z');
const zones = ['eu-1a', 'eu-1b', 'eu-1c'];
/** Fifty types of 2 to 64 cores, whose price for a core differs. */
const types = Array.from({ length: 50 }, (_, at) => {
  const cpu = 2 * 2 ** (at % 6);
  return { name: `T${at}`, cpu, price: Number((cpu * (0.04 + (at % 9) * 0.002)).toFixed(4)), zones };
});
const files = marketFiles(types);
const { market } = marketOf({}, [JSON.parse(files['nodes/prices.yaml']!)], [JSON.parse(files['nodes/catalog.yaml']!)]);

/** Plans of one large cluster from what was observed: everything that could be consolidated, and everything that drifted. */
export async function run(): Promise<void> {
  const full = measure({ nodes: 1_000, podsOfNode: 20 });
  report(
    {
      what: 'complete consolidation plan, 1,000 nodes, 20,000 pods, 50 types',
      value: full.ms,
      unit: 'ms',
      limit: limits.nodes.consolidation,
    },
    {
      what: '  saved per hour',
      value: savingOf(full.plan),
      unit: 'EUR',
      baseline: { what: "the next command of Karpenter's prefix search", value: prefixSaving(full.plan) },
    },
    { what: '  nodes that go', value: full.plan.proposed.flatMap(({ nodes }) => nodes).length, unit: 'nodes' },
  );
  const half = measure({ nodes: 500, podsOfNode: 20 });
  report({ what: '  twice the nodes', value: full.ms / half.ms, unit: '×', limit: limits.nodes.growth });
  const drifted = measure({ nodes: 5_000, podsOfNode: 4, isDrifted: true });
  report(
    {
      what: `drift plan, 5,000 nodes, ${drifted.plan.proposed.length} of them within their budget`,
      value: drifted.ms,
      unit: 'ms',
      limit: limits.nodes.drift,
    },
    peakRss(limits.nodes.memory),
  );
  await forecasting();
}

/** A day of twenty clusters, whose budgets open in the evening, one after the other within a quarter of an hour. */
async function forecasting(): Promise<void> {
  const clusters = Array.from({ length: 20 }, (_, at) => `eu-${at}`);
  const fleet = await loadFleet(
    treeOf({ ...files, ...Object.fromEntries(clusters.map((name) => [`${name}.yaml`, nodeMember(name, 'delegate')])) }),
  );
  const observations = clusters.map((name, at) => {
    const budgets = [{ nodes: '0', schedule: `${at % 15} 6 * * *`, duration: '12h' }, { nodes: '20%' }];
    const pool = nodePool('default', { disruption: { consolidateAfter: '5m', budgets } });
    const { observation } = inputOf({ nodes: 20, podsOfNode: 5 });
    return clusterObservation.parse({ ...observation, metadata: { name }, extras: [...observation.extras, pool] });
  });
  const input = {
    now: '2026-11-20T10:00:00Z',
    commit: 'c'.repeat(40),
    fleet,
    ...planDefaults,
    record: readRecord(new Map()).record,
    observations: new Map(observations.map((one) => [one.metadata.name, one])),
    digest,
  };
  const began = process.threadCpuUsage();
  const { nodes } = forecast(input, { ...previewAssumptions(), untilMs: 86_400_000 });
  const { user, system } = process.threadCpuUsage(began);
  const commands = nodes.flatMap((of) => of.commands);
  if (nodes.some((of) => of.commands.length === 0)) throw new Error('a cluster without commands');
  report({
    what: `forecast of a day, 20 clusters of 20 nodes and 100 pods, ${commands.length} commands`,
    value: (user + system) / 1000,
    unit: 'ms',
    limit: limits.nodes.forecast,
  });
}

const savingOf = ({ proposed }: ClusterPlan): number =>
  proposed.reduce((sum, { priceBefore = 0, priceAfter }) => sum + priceBefore - priceAfter, 0);

function measure(of: { readonly nodes: number; readonly podsOfNode: number; readonly isDrifted?: boolean }): {
  readonly plan: ClusterPlan;
  /** Of processor time. */
  readonly ms: number;
} {
  const input = inputOf(of);
  const began = process.threadCpuUsage();
  const plan = planCluster(input);
  const { user, system } = process.threadCpuUsage(began);
  return { plan, ms: (user + system) / 1000 };
}

function inputOf({
  nodes: count,
  podsOfNode,
  isDrifted = false,
}: {
  readonly nodes: number;
  readonly podsOfNode: number;
  readonly isDrifted?: boolean;
}): ClusterPlanInput {
  const nodes = Array.from({ length: count }, (_, at) => {
    const { name, cpu } = types.filter((type) => type.cpu >= 8 && type.cpu <= 32)[at % 20]!;
    return node(`n${at}`, { type: name, cpu: String(cpu), memory: `${cpu * 4}Gi`, zone: zones[at % 3]! });
  });
  // Forty Deployments; nodes are between a fifth and four fifths full.
  const pods = nodes.flatMap((one, at) => {
    const share = (Number(one.status.capacity.cpu) * (0.2 + (at % 7) * 0.1)) / podsOfNode;
    return Array.from({ length: podsOfNode }, (_, index) => {
      const app = `app${(at + index) % 40}`;
      return pod(`p${at}-${index}`, one.metadata.name, {
        cpu: `${Math.ceil(share * 4) * 250 - 100}m`,
        memory: '256Mi',
        labels: { app },
        ...(index === 0 && at % 50 === 0 ? { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } : {}),
      });
    });
  });
  const status = (one: ReturnType<typeof node>) => ({
    conditions: ['Initialized', ...(isDrifted ? ['Drifted'] : [])].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: one.metadata.creationTimestamp,
    })),
  });
  const pool = nodePool('default', {
    disruption: { consolidateAfter: '0s', budgets: [{ nodes: isDrifted ? '5%' : '100%' }] },
  });
  return {
    clusterName: 'eu-1',
    mode: 'plan',
    observation: clusterObservation.parse({
      apiVersion: 'gitfleet.dev/v1alpha1',
      kind: 'ClusterObservation',
      metadata: { name: 'eu-1' },
      nodes,
      pods,
      extras: nodes.map((one) => claim(one, { status: { ...status(one), nodeName: one.metadata.name } })),
    }),
    pools: new Map([['default', readPool(pool as never, undefined)]]),
    market,
    record: undefined,
    launches: true,
    gates: { SpotToSpotConsolidation: false },
    now,
    digest,
  };
}
