import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ClusterName } from '../../src/api/meta.ts';
import type { ClusterObservation } from '../../src/api/observation.ts';
import { statusFiles } from '../../src/daemon/record/publication.ts';
import { recordVerifier } from '../../src/daemon/record/verify/verify-record.ts';
import { metrics } from '../../src/daemon/report/metrics.ts';
import type { Fleet, FleetRecord } from '../../src/engine/input.ts';
import { planFleet } from '../../src/engine/plan.ts';
import { type GitSource, openSource } from '../../src/git/source.ts';
import { memoryCache, readThrough } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import type { StatusText } from '../../src/repo/record/status-text.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { inTempDir, openFleetRepo, smallWorkload } from './fleet-repo.ts';
import { healthyMember } from './healthy-member.ts';
import { appName, largeRepo } from './large-repo.ts';
import { limits } from './limits.ts';
import { median, peakRss, report } from './report.ts';

const rounds = 5;
const size = { clusters: 1_000, placements: 1_000, picks: 100 };
const at = '2026-11-20T10:00:00Z';
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What a daemon does at a start: it loads the fleet and the record, verifies the record by the followed branch, and plans. */
export async function run(): Promise<void> {
  const plain: number[] = [];
  const verifying: number[] = [];
  await inTempDir(async (dir) => {
    const repo = await openFleetRepo(join(dir, 'fleet'), largeRepo(size));
    const open = (name: string): Promise<GitSource> =>
      openSource({ repo: repo.dir, branch: 'main', cacheDir: join(dir, name), credentials: async () => undefined });
    const texts = await recorded(await open('git'), async (round) => {
      for (let app = 0; app < 20; app++) await repo.commit(smallWorkload(appName(round * 20 + app), `2.${round}`));
    });
    for (let round = 0; round < rounds; round++) {
      const source = await open(`git-${round}`);
      const began = performance.now();
      const commit = await source.poll();
      const cache = memoryCache();
      const fleet = await loadFleet(await source.tree(commit), cache);
      const { record } = readRecord(texts);
      const loaded = performance.now();
      const verifier = recordVerifier({
        desired: source,
        loadPast: (tree) => loadFleet(tree, readThrough(cache)),
        metrics: metrics(),
      });
      const verified = await verifier.verify(record, {
        followed: { commit, fleet },
        reported: [],
        replacements: 0,
        silent: new Map(),
        isPublished: true,
        now: Date.parse(at),
      });
      if (verified.problems.length + verified.waiting.size > 0) throw new Error('the record is not verified');
      const checked = performance.now();
      planFleet({
        now: at,
        commit,
        fleet,
        observations: membersOf(fleet),
        record: verified.record,
        ...planDefaults,
        digest,
      });
      const ended = performance.now();
      plain.push(ended - began - (checked - loaded));
      verifying.push(ended - began);
      await source.close();
    }
  });
  report(
    {
      what: 'load, verify and plan at a start, 1,000 clusters × 1,000 placements × 100 picks',
      value: median(verifying),
      unit: 'ms',
      limit: limits.verifiedStart,
      baseline: { what: 'the same without verification', value: median(plain) },
    },
    peakRss(),
  );
}

/** The status branch after a rollout, and after five times twenty commits that changed a placement each. */
async function recorded(
  source: GitSource,
  commit: (round: number) => Promise<void>,
): Promise<ReadonlyMap<string, StatusText>> {
  const cache = memoryCache();
  let files: ReadonlyMap<string, StatusText> = new Map();
  let record: FleetRecord = readRecord(files).record;
  const publish = async (): Promise<void> => {
    const tip = await source.poll();
    const fleet = await loadFleet(await source.tree(tip), cache);
    const { plan } = planFleet({
      now: at,
      commit: tip,
      fleet,
      observations: membersOf(fleet),
      record,
      ...planDefaults,
      digest,
    });
    files = statusFiles(plan, files, {
      branch: 'main',
      unreachable: new Map(),
      notRolledOut: [],
      before: { record, files },
      fleet,
    });
    record = readRecord(files, plan.record).record;
  };
  for (let round = 0; round < 5; round++) {
    await publish();
    await publish();
    await commit(round);
  }
  await publish();
  await source.close();
  return files;
}

const membersOf = (fleet: Fleet): Map<ClusterName, ClusterObservation> =>
  new Map(fleet.members.map(({ metadata: { name } }) => [name, healthyMember(name, at)]));
