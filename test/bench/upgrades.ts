import { createHash } from 'node:crypto';
import type { ClusterName } from '../../src/api/meta.ts';
import type { ClusterObservation } from '../../src/api/observation.ts';
import { statusFiles } from '../../src/daemon/record/publication.ts';
import type { FleetRecord, PlanInput } from '../../src/engine/input.ts';
import { formatInstant, parseInstant } from '../../src/engine/kernel/instant.ts';
import { type PlanResult, planFleet } from '../../src/engine/plan.ts';
import type { UpgradeTarget } from '../../src/engine/plan-document.ts';
import { memoOf, type PlanMemo } from '../../src/engine/reuse/memo.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { memoryCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import type { StatusText } from '../../src/repo/record/status-text.ts';
import { upgradeMember, upgradeRun, upgradeStrategy } from '../support/cluster-upgrades.ts';
import { treeOf } from '../support/paper-fleet.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { healthyMember } from './healthy-member.ts';
import { limits } from './limits.ts';
import { median, p95, peakRss, report } from './report.ts';

/** More would bring all members of the first stage to the end whose window is open. */
const rounds = 11;
const start = parseInstant('2026-11-20T10:00:00Z')!;
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
/** AKS Fleet has at most 50 groups in a stage. */
const [stages, groups] = [4, 50];
const image = (day: number): string => `AKSUbuntu-2204gen2containerd-202601.${day}.0`;

/** A cluster update run over 10,000 members: 200 groups in 4 stages, 20 windows, 5 regions. Each time 50 members have ended. */
export async function run(): Promise<void> {
  const { times, planned, whole } = await measure(50);
  report(
    {
      what: 'operations of 50 members end → plan and status, 10,000 members in 200 groups',
      value: median(times),
      unit: 'ms',
      p95: p95(times),
      limit: limits.upgrades.pass,
      baseline: { what: 'the same plan without what was planned before', value: whole },
    },
    { what: '  of which planning', value: median(planned), unit: 'ms' },
    peakRss(limits.upgrades.memory),
  );
  const half = await measure(25);
  report({
    what: '  twice the members',
    value: median(times) / median(half.times),
    unit: '×',
    limit: limits.upgrades.growth,
  });
  report({
    what: 'forecast of seven days, 1,000 members in 200 groups',
    value: await forecasting(5),
    unit: 'ms',
    limit: limits.upgrades.forecast,
  });
}

/** Processor time of a forecast of the run from its start to its end. */
async function forecasting(membersInGroup: number): Promise<number> {
  const fleet = await loadFleet(treeOf(files(membersInGroup)), memoryCache());
  const input: PlanInput = {
    now: formatInstant(start),
    commit: 'c'.repeat(40),
    fleet,
    observations: new Map(fleet.members.map(({ metadata: { name } }) => [name, seen(name)])),
    ...planDefaults,
    record: readRecord(new Map()).record,
    digest,
  };
  const began = process.threadCpuUsage();
  const { upgrades } = forecast(input, {
    untilMs: 7 * 86_400_000,
    readyAfterMs: 90_000,
    upgradedAfterMs: 1_800_000,
    approveAfterMs: 3_600_000,
  });
  const took = sinceMs(began);
  if (upgrades[0]?.status.state !== 'Completed') throw new Error(JSON.stringify(upgrades[0]?.status));
  return took;
}

async function measure(membersInGroup: number): Promise<{
  /** In ms of processor time, as all others here. */
  readonly times: readonly number[];
  readonly planned: readonly number[];
  readonly whole: number;
}> {
  const fleet = await loadFleet(treeOf(files(membersInGroup)), memoryCache());
  let observations = new Map(fleet.members.map(({ metadata: { name } }) => [name, seen(name)]));
  let texts: ReadonlyMap<string, StatusText> = new Map();
  let record: FleetRecord = readRecord(texts).record;
  let memo: PlanMemo | undefined;
  let now = start;
  const input = (): PlanInput => ({
    now: formatInstant(now),
    commit: 'c'.repeat(40),
    fleet,
    observations,
    ...planDefaults,
    record,
    digest,
  });
  const beside = { branch: 'main', unreachable: new Map(), notRolledOut: [] };
  const publish = (result: PlanResult, written: ReadonlyMap<string, StatusText>): void => {
    if (result.plan.guard.length > 0) throw new Error(JSON.stringify(result.plan.guard.slice(0, 3)));
    memo = memoOf(result.parts);
    record = readRecord(written, result.plan.record).record;
    texts = written;
  };
  const first = planFleet(input());
  publish(first, statusFiles(first.plan, texts, { ...beside, before: { record, files: texts }, fleet }));
  let targets = upgradesOf(first);
  const [times, planned]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    now += 60_000;
    observations = new Map(observations);
    for (const target of targets) observations.set(target.clusterName, upgraded(target));
    const began = process.threadCpuUsage();
    const result = planFleet(input(), memo);
    planned.push(sinceMs(began));
    const written = statusFiles(result.plan, texts, { ...beside, before: { record, files: texts }, fleet });
    times.push(sinceMs(began));
    publish(result, written);
    targets = upgradesOf(result);
    if (targets.length === 0) throw new Error('no member is upgraded');
  }
  const began = process.threadCpuUsage();
  planFleet(input());
  return { times, planned, whole: sinceMs(began) };
}

/** Processor time of the thread that plans: others may wait for a machine, this is what the work takes. */
function sinceMs(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}

function files(membersInGroup: number): Record<string, string> {
  const all: Record<string, string>[] = [];
  const written = Array.from({ length: stages }, (_, s) => ({
    name: `stage-${s}`,
    groups: Array.from({ length: groups }, (_, g) => ({ name: `g-${s}-${g}`, maxConcurrency: '50%' })),
  }));
  for (const { groups } of written)
    for (const [g, { name }] of groups.entries())
      for (let m = 0; m < membersInGroup; m++)
        all.push(
          upgradeMember(`${name}-${m}`, {
            'gitfleet.dev/update-group': name,
            'topology.kubernetes.io/region': `region-${m % 5}`,
            ring: `${(g + m) % 20}`,
          }),
        );
  return Object.assign(
    {},
    upgradeStrategy(written, 'all'),
    upgradeRun({
      updateStrategyId: 'all',
      managedClusterUpdate: {
        upgrade: { type: 'Full', kubernetesVersion: '1.31' },
        nodeImageSelection: { type: 'Consistent' },
      },
    }),
    catalog,
    ...Array.from({ length: 20 }, (_, ring) => windowOf(ring)),
    ...all,
  );
}

const catalog = own('VersionCatalog', 'all', {
  regions: Array.from({ length: 5 }, (_, at) => ({
    name: `region-${at}`,
    kubernetesVersions: ['1.30.9', '1.31.5'].map((version) => ({ version })),
    nodeImageVersions: [13, 20, 27].map((day) => ({ version: image(day) })),
  })),
});

/** Half of them are open at a time. */
const windowOf = (ring: number): Record<string, string> =>
  own('MaintenanceConfiguration', `ring-${ring}`, {
    memberSelector: { byLabel: `ring=${ring}` },
    maintenanceWindow: {
      schedule: { daily: { intervalDays: 1 } },
      startTime: ring % 2 === 0 ? '08:00' : '20:00',
      durationHours: 8,
      timeZone: 'Europe/Berlin',
      notAllowedDates: [{ start: '2026-12-19', end: '2027-01-06' }],
    },
  });

function own(kind: string, name: string, spec: object): Record<string, string> {
  const object = { apiVersion: 'gitfleet.dev/v1alpha1', kind, metadata: { name }, spec };
  return { [`settings/${kind}-${name}.yaml`]: JSON.stringify(object) };
}

const upgradesOf = ({ plan }: PlanResult): readonly UpgradeTarget[] =>
  plan.targets.filter((target): target is UpgradeTarget => 'upgrade' in target);

const upgraded = ({ clusterName }: UpgradeTarget): ClusterObservation => seen(clusterName, 'v1.31.5', 27);

const seen = (name: ClusterName, version = 'v1.30.9', day = 13): ClusterObservation =>
  healthyMember(name, formatInstant(start), {
    versions: {
      controlPlane: version,
      pools: ['system', 'user'].map((pool) => ({ name: pool, kubernetes: version, image: image(day), count: 3 })),
    },
  });
