import { join } from 'node:path';
import { statusFiles } from '../../src/daemon/record/publication.ts';
import type { PlanInput } from '../../src/engine/input.ts';
import { planFleet } from '../../src/engine/plan.ts';
import { forecast } from '../../src/forecast/forecast.ts';
import { previewAssumptions, totalEffectInSteps } from '../../src/forecast/total-effect.ts';
import { openSource } from '../../src/git/source.ts';
import { memoryCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../src/repo/record/read.ts';
import type { StatusText } from '../../src/repo/record/status-text.ts';
import { sha256 } from '../../src/repo/sha256.ts';
import { effectMarkdown } from '../../src/report/effect/effect-markdown.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { planDefaults } from '../support/plan-defaults.ts';
import { type Files, inTempDir, openFleetRepo, placementFile, smallWorkload } from './fleet-repo.ts';
import { healthyMember } from './healthy-member.ts';
import { largeRepo } from './large-repo.ts';
import { limits } from './limits.ts';
import { delivered } from './one-file.ts';
import { median, peakRss, report, timed } from './report.ts';

const at = '2026-11-20T10:00:00Z';
const everywhere = (version: string) => smallWorkload('everywhere', version);
const paced = (maxUnavailable: string) => placementFile('everywhere', '{placementType: PickAll}', maxUnavailable);
const files = {
  ...largeRepo({ clusters: 1_000, placements: 200, picks: 50 }),
  ...paced('25%'),
  ...everywhere('1.0.0'),
};

/** The same placement, updated by a run in one stage. */
const staged = (maxConcurrency: string): Files => ({
  'placements/everywhere.yaml': paced('1')['placements/everywhere.yaml']!.replace(
    /strategy:[\s\S]*/,
    'strategy: {type: External}\n',
  ),
  'runs/everywhere.yaml': `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateStrategy
metadata: {name: one-stage}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: ${maxConcurrency}}]}
---
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: everywhere}
spec: {placementName: everywhere, stagedRolloutStrategyName: one-stage}
`,
});

/** Ways to bring the change to the clusters, in the order in which their files may follow one another. */
const paces: Readonly<Record<string, Files>> = {
  ...Object.fromEntries(['25%', '1%', '1'].map((most) => [`maxUnavailable ${most}`, paced(most)])),
  ...Object.fromEntries(['25%', '1%'].map((most) => [`a run, maxConcurrency ${most}`, staged(most)])),
};

/** From the files of a change that touches every cluster of a settled fleet to the comment on its pull request. */
export async function run(): Promise<void> {
  const { input, changed } = await changedFleet();
  const [plain] = (await timed(1, () => planFleet(input))) as [number];
  for (const { pace, next } of changed) await measure(pace, { input, next, plain });
  report(peakRss());
}

async function measure(
  pace: string,
  { input, next, plain }: { readonly input: PlanInput; readonly next: Next; readonly plain: number },
): Promise<void> {
  let longest = 0;
  const processor: number[] = [];
  const whole = await timed(3, () => {
    const used = process.threadCpuUsage();
    const work = totalEffectInSteps(input, next, previewAssumptions());
    for (;;) {
      const began = performance.now();
      const { done, value } = work.next();
      longest = Math.max(longest, performance.now() - began);
      if (!done) continue;
      const text = effectMarkdown(effectText(value), { head: 'Plan.', problems: [] });
      if (!text.includes('changes 1000 objects · 1000 of 1000 clusters')) throw new Error(text.slice(0, 300));
      const { user, system } = process.threadCpuUsage(used);
      processor.push((user + system) / 1000);
      return;
    }
  });
  const week = { ...previewAssumptions(), untilMs: 7 * 86_400_000 };
  const ahead = await timed(3, () => {
    const { doneAt, rollouts } = forecast({ ...input, ...next }, week);
    const clusters = rollouts.flatMap(({ stages }) => stages.flatMap((stage) => stage.clusters)).length;
    if (doneAt === undefined || clusters !== 1_000) throw new Error(`${clusters} clusters, done at ${doneAt}`);
  });
  report(
    {
      what: `preview of a change on 1,000 clusters, ${pace}, 1,000 × 201 placements`,
      value: median(whole),
      unit: 'ms',
      limit: limits.preview.whole,
      baseline: { what: 'one plan without reuse', value: plain },
    },
    { what: '  processor time of all that', value: median(processor), unit: 'ms' },
    { what: '  longest part between two pauses', value: longest, unit: 'ms' },
    {
      what: '  forecast of seven days of that rollout',
      value: median(ahead),
      unit: 'ms',
      limit: limits.preview.forecast,
    },
  );
}

type Next = Pick<PlanInput, 'fleet' | 'commit'>;

/** A fleet that runs what it should, and another version of what runs everywhere, at several paces. */
async function changedFleet(): Promise<{
  readonly input: PlanInput;
  readonly changed: readonly { readonly pace: string; readonly next: Next }[];
}> {
  let found: Awaited<ReturnType<typeof changedFleet>> | undefined;
  await inTempDir(async (dir) => {
    const repo = await openFleetRepo(join(dir, 'fleet'), files);
    const cacheDir = join(dir, 'git');
    const source = await openSource({ repo: repo.dir, branch: 'main', cacheDir, credentials: async () => undefined });
    const cache = memoryCache();
    const load = async () => {
      const commit = await source.poll();
      return { commit, fleet: await loadFleet(await source.tree(commit), cache) };
    };
    const { commit, fleet } = await load();
    let texts: ReadonlyMap<string, StatusText> = new Map();
    let record = readRecord(texts).record;
    let observations = new Map(fleet.members.map(({ metadata: { name } }) => [name, healthyMember(name, at)]));
    const present = (): PlanInput => ({
      now: at,
      commit,
      fleet,
      observations,
      record,
      ...planDefaults,
      digest: sha256,
    });
    for (let turn = 0; turn < 6; turn++) {
      const result = planFleet(present());
      const beside = {
        branch: 'main',
        unreachable: new Map(),
        notRolledOut: [],
        before: { record, files: texts },
        fleet,
      };
      texts = statusFiles(result.plan, texts, beside);
      record = readRecord(texts, result.plan.record).record;
      observations = delivered(result, observations);
    }
    const input = present();
    const changed: { readonly pace: string; readonly next: Next }[] = [];
    for (const [pace, change] of Object.entries(paces)) {
      await repo.commit({ ...everywhere('2.0.0'), ...change });
      changed.push({ pace, next: await load() });
    }
    found = { input, changed };
    await source.close();
  });
  return found!;
}
