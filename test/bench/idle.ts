import { setTimeout as sleep } from 'node:timers/promises';
import { clusterFiles, inTempDir, placementFile, smallWorkload } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { peakRss, report } from './report.ts';
import { allAvailable, runFleet } from './running-fleet.ts';

const clusters = 1000;
/** The daemon gives memory back when it has been at rest for about ten seconds. */
const quietMs = 20_000;

/** The daemon and 1,000 members with a namespace and a ConfigMap each, in one process, when nothing is left to do. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const empty = process.memoryUsage.rss();
    const files = {
      ...clusterFiles(clusters),
      ...placementFile('shop', '{placementType: PickAll}'),
      ...smallWorkload('shop', '1'),
    };
    const fleet = await runFleet({ dir, clusters, files });
    await fleet.until(allAvailable(clusters));
    fleet.keepSent();
    const before = process.cpuUsage();
    await sleep(quietMs);
    const { user, system } = process.cpuUsage(before);
    report(
      {
        what: `daemon at rest with ${clusters} simulated members, RSS`,
        value: process.memoryUsage.rss() / 2 ** 20,
        unit: 'MB',
        limit: limits.idle,
        baseline: { what: 'before it started', value: empty / 2 ** 20 },
      },
      peakRss(),
      { what: `  processor time in ${quietMs / 1000} s`, value: (user + system) / 1000, unit: 'ms' },
      { what: `  requests to members in ${quietMs / 1000} s`, value: fleet.sent.length, unit: 'requests' },
    );
    await fleet.close();
  });
