import { clusterFiles, inTempDir, placementFile, tenObjects } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { median, p95, report } from './report.ts';
import { allAvailable, runFleet } from './running-fleet.ts';

const clusters = 8;
const rounds = 9;

/** From a commit in a local repo to the first apply request at a member, with the daemon and its members in one process. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const files = {
      ...clusterFiles(clusters),
      ...placementFile('shop', '{placementType: PickAll}'),
      ...tenObjects('shop', '0'),
    };
    const fleet = await runFleet({ dir, clusters, files });
    const reactions: number[] = [];
    const commits: number[] = [];
    await fleet.until(allAvailable(clusters));
    for (let round = 1; round <= rounds; round++) {
      fleet.keepSent();
      const began = performance.now();
      const commit = await fleet.repo.commit(tenObjects('shop', String(round)));
      const committed = performance.now();
      await fleet.until((plan) => plan.commit === commit && allAvailable(clusters)(plan));
      commits.push(committed - began);
      reactions.push(fleet.sent.find(({ isApply }) => isApply)!.at - committed);
    }
    await fleet.close();
    report({
      what: `commit → first apply request, ${clusters} members`,
      value: median(reactions),
      unit: 'ms',
      p95: p95(reactions),
      limit: limits.reaction,
      baseline: { what: 'git add + commit of the same change', value: median(commits) },
    });
  });
