import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ClusterName } from '../../src/api/meta.ts';
import type { ClusterObservation } from '../../src/api/observation.ts';
import { limitHeapGrowth } from '../../src/daemon/memory/heap-growth.ts';
import { statusFiles } from '../../src/daemon/record/publication.ts';
import { targetContent } from '../../src/engine/delivery/target-content.ts';
import type { Fleet, FleetRecord } from '../../src/engine/input.ts';
import { type PlanResult, planFleet } from '../../src/engine/plan.ts';
import { memoOf, type PlanMemo } from '../../src/engine/reuse/memo.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { openSource } from '../../src/git/source.ts';
import { memoryCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import type { StatusText } from '../../src/repo/record/status-text.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { inTempDir, openFleetRepo, smallWorkload } from './fleet-repo.ts';
import { healthyMember } from './healthy-member.ts';
import { appName, largeRepo } from './large-repo.ts';
import { limits } from './limits.ts';
import { median, p95, peakRss, report, timed } from './report.ts';

const rounds = 11;
const at = '2026-11-20T10:00:00Z';
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Size {
  readonly clusters: number;
  readonly placements: number;
  readonly picks: number;
}

interface Times {
  readonly all: number;
  readonly load: number;
  readonly plan: number;
  readonly text: number;
  /** Of the thread that plans. Others wait for a machine; this is what the work takes. */
  readonly processor: number;
}

/** From a commit that changed one file, at a fleet that runs all it should, to the plan and the changed status documents. */
export async function run(): Promise<void> {
  // As the daemon does.
  limitHeapGrowth();
  const size = { clusters: 1000, placements: 1000, picks: 100 };
  const { changes, whole } = await measure(size);
  const [all, load, plan, text, processor] = (['all', 'load', 'plan', 'text', 'processor'] as const).map((part) =>
    changes.map((it) => it[part]),
  );
  report(
    {
      what: 'a commit of one file → plan, 1,000 clusters × 1,000 placements × 100 picks',
      value: median(all!),
      unit: 'ms',
      p95: p95(all!),
      limit: limits.oneFile.plan,
      baseline: { what: 'the same plan without what was planned before', value: whole },
    },
    { what: '  of which tree, diff and load', value: median(load!), unit: 'ms' },
    { what: '  of which planning', value: median(plan!), unit: 'ms' },
    { what: '  of which the text of status documents', value: median(text!), unit: 'ms' },
    { what: '  processor time of all that', value: median(processor!), unit: 'ms' },
    peakRss(limits.oneFile.memory),
  );
  const half = { clusters: 500, placements: 500, picks: 50 };
  const medianOf = async (of: Size) => median((await measure(of)).changes.map((it) => it.processor));
  const base = await medianOf(half);
  const slope = async (what: string, of: Size) =>
    report({
      what: `  ${what}, in processor time`,
      value: (await medianOf(of)) / base,
      unit: '×',
      limit: limits.oneFile.growth,
    });
  await slope('twice the clusters', { ...half, clusters: 1000 });
  await slope('twice the placements', { ...half, placements: 1000 });
}

async function measure(size: Size): Promise<{ readonly changes: readonly Times[]; readonly whole: number }> {
  const changes: Times[] = [];
  let whole = 0;
  await inTempDir(async (dir) => {
    const repo = await openFleetRepo(join(dir, 'fleet'), largeRepo(size));
    const source = await openSource({
      repo: repo.dir,
      branch: 'main',
      cacheDir: join(dir, 'git'),
      credentials: async () => undefined,
    });
    const cache = memoryCache();
    let files: ReadonlyMap<string, StatusText> = new Map();
    let record: FleetRecord = readRecord(files).record;
    let memo: PlanMemo | undefined;
    let observations = new Map<ClusterName, ClusterObservation>();
    let commit = '';
    const load = async (): Promise<Fleet> => {
      commit = await source.poll();
      return loadFleet(await source.tree(commit), cache);
    };
    const input = (fleet: Fleet) => ({ now: at, commit, fleet, observations, record, ...planDefaults, digest });
    const beside = { branch: 'main', unreachable: new Map(), notRolledOut: [] };
    const publish = (result: PlanResult, texts: ReadonlyMap<string, StatusText>) => {
      memo = memoOf(result.parts);
      record = readRecord(texts, result.plan.record).record;
      files = texts;
      observations = delivered(result, observations);
    };
    const pass = (fleet: Fleet) => {
      const result = planFleet(input(fleet), memo);
      publish(result, statusFiles(result.plan, files, { ...beside, before: { record, files }, fleet }));
      return result;
    };
    const fleet = await load();
    observations = new Map(fleet.members.map(({ metadata: { name } }) => [name, healthyMember(name, at)]));
    for (let turn = 0; turn < 4; turn++) pass(fleet);
    for (let round = 0; round < rounds; round++) {
      await repo.commit(smallWorkload(appName(round * 7), `2.${round}`));
      const used = process.threadCpuUsage();
      const began = performance.now();
      const changed = await load();
      const loaded = performance.now();
      const result = planFleet(input(changed), memo);
      memoOf(result.parts);
      const planned = performance.now();
      const texts = statusFiles(result.plan, files, { ...beside, before: { record, files }, fleet: changed });
      const ended = performance.now();
      const { user, system } = process.threadCpuUsage(used);
      if (!result.plan.placements.some(({ bindings }) => bindings.some(({ move }) => move === 'update')))
        throw new Error('nothing is updated');
      changes.push({
        all: ended - began,
        load: loaded - began,
        plan: planned - loaded,
        text: ended - planned,
        processor: (user + system) / 1000,
      });
      if (round === 0) [whole] = (await timed(1, () => planFleet(input(changed)))) as [number];
      publish(result, texts);
      for (let turn = 0; turn < 3; turn++) pass(changed);
    }
    await source.close();
  });
  return { changes, whole };
}

/** Members that hold what the plan wants, with nothing left to do. One that was told nothing new shows what it showed. */
export function delivered(
  { plan, contents }: PlanResult,
  before: ReadonlyMap<ClusterName, ClusterObservation>,
): Map<ClusterName, ClusterObservation> {
  const byCluster = Map.groupBy(placementTargets(plan.targets), ({ clusterName }) => clusterName);
  return new Map(
    [...byCluster].map(([name, targets]) => {
      const known = before.get(name)!;
      if (isDeepStrictEqual(known.placements.map(didOf), targets.map(didOf))) return [name, known];
      const placements = targets.map((target) => ({ ...didOf(target), at, done: true, results: [] }));
      const objects = targets.flatMap((target) =>
        targetContent(contents, target)!.manifests.map(({ manifest }) => manifest),
      );
      return [name, { ...known, placements, objects }];
    }),
  );
}

const didOf = ({ placement, resourceSnapshotIndex, digest: rendered }: Did): Did => ({
  placement,
  resourceSnapshotIndex,
  digest: rendered,
});
type Did = Pick<ClusterObservation['placements'][number], 'placement' | 'resourceSnapshotIndex' | 'digest'>;
