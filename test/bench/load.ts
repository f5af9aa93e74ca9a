import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { openSource } from '../../src/git/source.ts';
import { loadCache } from '../../src/repo/fleet/load-cache.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { deployment, type Files, filesOf, inTempDir, openFleetRepo } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { median, peakRss, report, timed } from './report.ts';

const folders = 1_000;
const perFolder = 10;
const rounds = 5;

const manifest = (folder: number, item: number, image: string): Files => ({
  [`resources/team-${folder}/app-${item}.yaml`]: deployment(`team-${folder}`, `app-${item}`, image),
});

/** Loading 10,000 manifests in 1,000 folders from a packed repo: cold, after a restart, and a commit that changed 100 files. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const files = filesOf(folders, (folder) => filesOf(perFolder, (item) => manifest(folder, item, '1.0.0')));
    const repo = await openFleetRepo(join(dir, 'fleet'), files);
    execFileSync('git', ['gc', '-q'], { cwd: repo.dir });
    const open = (cache: string) => openRepo(repo.dir, join(dir, cache));
    const [parse] = await timed(1, () => Object.values(files).map((text) => parseAllDocuments(text)));
    const cold = await timed(rounds, async (at) => (await open(`cold-${at}`)).close());
    const restart = await timed(rounds, async () => (await open('cold-0')).close());
    const running = await open('cold-0');
    const changes: number[] = [];
    const parsed: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const changed = filesOf(100, (folder) => manifest(folder, 0, `1.${round}.0`));
      await repo.commit(changed);
      changes.push(...(await timed(1, () => running.load())));
      parsed.push(...(await timed(1, () => Object.values(changed).map((text) => parseAllDocuments(text)))));
    }
    await running.close();
    const baseline = { what: 'yaml, parse only, one thread', value: parse! };
    report(
      { what: 'cold load of 10,000 manifests', value: median(cold), unit: 'ms', limit: limits.load.cold, baseline },
      { what: '  warm restart', value: median(restart), unit: 'ms', limit: limits.load.restart, baseline },
      {
        what: '  a commit that touched 100 files: diff, parse, validate',
        value: median(changes),
        unit: 'ms',
        limit: limits.load.change,
        baseline: { what: 'yaml of these 100', value: median(parsed) },
      },
      peakRss(),
    );
  });

/** As the daemon opens and loads a repo: the clone's objects through git, what was parsed before from `cacheDir`. */
async function openRepo(repo: string, cacheDir: string) {
  const source = await openSource({
    repo,
    branch: 'main',
    cacheDir: join(cacheDir, 'git'),
    credentials: async () => undefined,
  });
  const cache = await loadCache(join(cacheDir, 'parsed'));
  const load = async () => {
    const { problems } = await loadFleet(await source.tree(await source.poll()), cache);
    if (problems.length > 0) throw new Error(problems[0]!.message);
  };
  await load();
  return { load, close: () => source.close() };
}
