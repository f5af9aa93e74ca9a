import { execFileSync } from 'node:child_process';
import { memberCluster } from '../../src/api/member-cluster.ts';
import { clusterResourcePlacement, type Placement } from '../../src/api/placement.ts';
import { compileFleet } from '../../src/engine/placement/compiled/compile-fleet.ts';
import { surveyMembers } from '../../src/engine/placement/members.ts';
import { schedule } from '../../src/engine/placement/schedule.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import { naiveSchedule } from '../engine/placement/oracle.ts';
import { type Limit, limits } from './limits.ts';
import { type Figure, report } from './report.ts';

const now = '2026-11-20T10:00:00Z';

interface Case {
  readonly name: string;
  readonly limit: Limit;
  readonly policy: (at: number) => object;
}

const picks = 100;

const properties = [
  'cost',
  'cpu-cost',
  'memory-cost',
  'latency',
  'quota',
  'score',
  'carbon',
  'kubernetes-fleet.io/node-count',
];

const cases: readonly Case[] = [
  {
    name: 'selective label filter',
    limit: limits.placement.labels,
    policy: (at) => ({
      placementType: 'PickN',
      numberOfClusters: picks,
      affinity: {
        clusterAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            clusterSelectorTerms: [
              {
                labelSelector: { matchLabels: { region: `region-${at % 10}`, tier: `tier-${at % 7}` } },
                propertySelector: {
                  matchExpressions: [{ name: properties[at % 8], operator: 'Ge', values: [`${at % 50}`] }],
                },
              },
            ],
          },
          preferredDuringSchedulingIgnoredDuringExecution: preferred(at),
        },
      },
    }),
  },
  {
    name: 'unfiltered, preferred only, PickN 100',
    limit: limits.placement.unfiltered,
    policy: (at) => ({
      placementType: 'PickN',
      numberOfClusters: picks,
      affinity: { clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred(at) } },
    }),
  },
  {
    name: 'PickN 100, two spread constraints',
    limit: limits.placement.spread,
    policy: (at) => ({
      placementType: 'PickN',
      numberOfClusters: picks,
      affinity: { clusterAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred(at) } },
      topologySpreadConstraints: [
        { topologyKey: 'region', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
        { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    }),
  },
];

const preferred = (at: number): object[] => [
  { weight: 10 + (at % 90), preference: { propertySorter: { name: properties[at % 8], sortOrder: 'Descending' } } },
  { weight: 50, preference: { propertySorter: { name: properties[(at + 3) % 8], sortOrder: 'Ascending' } } },
];

/**
 * Figures of the scheduler alone, on one core; `gitfleet plan` adds reading and writing. Every measurement is a process of its
 * own, so that its peak memory is its own too.
 */
export function run(): void {
  for (const [at, entry] of cases.entries()) {
    const base = measureApart(at, 10_000, 1000);
    report(
      {
        what: `${entry.name}: 10,000 clusters × 1,000 placements`,
        value: base.ms,
        unit: 'ms',
        limit: entry.limit,
        baseline: naiveEstimate(entry, 10_000, 1000),
      },
      { what: '  planned again from the result', value: base.replanMs, unit: 'ms' },
      { what: '  peak RSS', value: base.peakRssMb, unit: 'MB', limit: limits.placement.memory },
      growth('twice the clusters', measureApart(at, 20_000, 1000), base),
      growth('twice the placements', measureApart(at, 10_000, 2000), base),
    );
  }
}

/** In processor time: what else a machine does between two measurements must not look like growth. */
const growth = (what: string, more: Measurement, base: Measurement): Figure => ({
  what: `  ${what}, in processor time`,
  value: more.processorMs / base.processorMs,
  unit: '×',
  limit: limits.placement.growth,
});

interface Measurement {
  readonly ms: number;
  /** Of the first plan, of all threads: collecting garbage counts. */
  readonly processorMs: number;
  readonly replanMs: number;
  /** After the first plan, with all decisions of all placements kept. */
  readonly peakRssMb: number;
}

function measureApart(at: number, clusters: number, placements: number): Measurement {
  const self = JSON.stringify(import.meta.url);
  const program = `import(${self}).then(({ measure }) => console.log(JSON.stringify(measure(${at}, ${clusters}, ${placements}))))`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

export function measure(at: number, clusters: number, count: number): Measurement {
  plan(cases[at]!, fleetOf(1000), 100); // warms the compiler up
  return plan(cases[at]!, fleetOf(clusters), count);
}

const membersChanged = () => false;

function plan({ policy }: Case, members: readonly ReturnType<typeof memberOf>[], count: number): Measurement {
  const placements = Array.from({ length: count }, (_, at) => placementOf(at, policy(at)));
  const input = { now, observations: undefined, fleet: { members }, record: { clusters: new Map() } };
  const before = process.cpuUsage();
  const start = performance.now();
  const index = compileFleet(surveyMembers(input));
  const kept = placements.map((placement) =>
    schedule({ placement, state: { policySnapshots: [], bindings: [] }, index, now, digest: sha256, membersChanged }),
  );
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  const again = performance.now();
  const next = compileFleet(surveyMembers(input));
  placements.forEach((placement, at) => {
    schedule({ placement, state: kept[at]!, index: next, now, digest: sha256, membersChanged });
  });
  return { ms, processorMs: (user + system) / 1000, replanMs: performance.now() - again, peakRssMb };
}

/**
 * The oracle of the tests does what KubeFleet does, cycle by cycle, and would take hours here: timed on a small fleet, and scaled by
 * clusters × picks × placements, which is how its cycles grow.
 */
function naiveEstimate(entry: Case, clusters: number, placements: number): Figure['baseline'] {
  const small = { clusters: 200, picks: 10 };
  const members = surveyMembers({
    now,
    observations: undefined,
    fleet: { members: fleetOf(small.clusters) },
    record: { clusters: new Map() },
  });
  const placement = placementOf(0, { ...entry.policy(0), numberOfClusters: small.picks });
  const began = performance.now();
  naiveSchedule({ placement, policySnapshots: [], bindings: [], members });
  const once = performance.now() - began;
  return {
    what: 'a naive scheduler, extrapolated',
    value: once * (clusters / small.clusters) * (picks / small.picks) * placements,
  };
}

const fleets = new Map<number, ReturnType<typeof memberOf>[]>();
function fleetOf(size: number): ReturnType<typeof memberOf>[] {
  const known = fleets.get(size) ?? Array.from({ length: size }, (_, at) => memberOf(at));
  fleets.set(size, known);
  return known;
}

// A linear congruential generator would do as well: all that matters is that two runs measure the same fleet.
const spreadOut = (at: number, salt: number): number =>
  (Math.imul(at + 1, 2_654_435_761) ^ Math.imul(salt + 1, 40_503)) >>> 0;

const memberOf = (at: number) =>
  memberCluster.parse({
    apiVersion: 'cluster.kubernetes-fleet.io/v1',
    kind: 'MemberCluster',
    metadata: {
      name: `cluster-${String(at).padStart(6, '0')}`,
      labels: {
        region: `region-${at % 10}`,
        zone: `zone-${at % 30}`,
        tier: `tier-${spreadOut(at, 1) % 7}`,
        env: at % 3 ? 'prod' : 'dev',
      },
    },
    spec: { taints: at % 20 === 0 ? [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] : [] },
    status: {
      properties: Object.fromEntries(
        properties.map((name, salt) => [name, { value: `${(spreadOut(at, salt) % 10_000) / 100}` }]),
      ),
    },
  });

const placementOf = (at: number, policy: object): Placement =>
  clusterResourcePlacement.parse({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: 'ClusterResourcePlacement',
    metadata: { name: `placement-${at}` },
    spec: { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'web' }], policy },
  });
