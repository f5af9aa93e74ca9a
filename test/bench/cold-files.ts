import { parseAllDocuments } from 'yaml';
import { readFolder, readPlanInput } from '../../src/cli/plan/input.ts';
import { wholeRecord } from '../../src/daemon/record/publication.ts';
import { planFleet } from '../../src/engine/plan.ts';
import { inTempDir, writeFiles } from './fleet-repo.ts';
import { largeRepo } from './large-repo.ts';
import { limits } from './limits.ts';
import { peakRss, report, timed } from './report.ts';

/** From cold files on disk to the complete plan with the text of all status documents, as `gitfleet plan` makes it. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    await writeFiles(dir, largeRepo({ clusters: 1000, placements: 1000, picks: 100 }));
    let read = 0;
    let planned = 0;
    const [all] = await timed(1, async () => {
      const began = performance.now();
      const input = await readPlanInput({ repo: dir, now: '2026-11-20T10:00:00Z' });
      read = performance.now() - began;
      const { plan } = planFleet(input);
      planned = performance.now() - began - read;
      const { record, fleet } = input;
      return wholeRecord(plan, {
        branch: 'main',
        unreachable: new Map(),
        notRolledOut: [],
        before: { record, files: plan.record },
        fleet,
      });
    });
    const memory = peakRss(limits.files.memory);
    const [parse] = await timed(1, async () => {
      for (const text of (await readFolder(dir)).values()) parseAllDocuments(text);
    });
    report(
      {
        what: 'cold files → complete plan, 1,000 clusters × 1,000 placements × 100 picks',
        value: all!,
        unit: 'ms',
        limit: limits.files.plan,
        baseline: { what: 'yaml of the repo, parse only', value: parse! },
      },
      { what: '  of which reading the repo', value: read, unit: 'ms' },
      { what: '  of which planning', value: planned, unit: 'ms' },
      { what: '  of which the text of status documents', value: all! - read - planned, unit: 'ms' },
      memory,
    );
  });
