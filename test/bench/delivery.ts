import { clusterFiles, inTempDir, placementFile, tenObjects } from './fleet-repo.ts';
import { type Limit, limits } from './limits.ts';
import { peakRss, report, timed } from './report.ts';
import { allAvailable, runFleet } from './running-fleet.ts';

/** In percent: three waves of clusters, and the ten objects go to each cluster in three waves of kinds. */
const maxUnavailable = '34%';

export async function run(): Promise<void> {
  await deliver(100, limits.delivery.hundred);
  await deliver(1_000, limits.delivery.thousand, limits.delivery.memory);
}

/** A placement of ten objects on all clusters, then a change of them, until status says that all is available everywhere. */
const deliver = (clusters: number, limit: Limit, memory?: Limit): Promise<void> =>
  inTempDir(async (dir) => {
    const fleet = await runFleet({ dir, clusters, files: clusterFiles(clusters) });
    await fleet.until((plan) => plan.placements.length === 0);
    const change = (files: object) =>
      timed(1, async () => {
        const commit = await fleet.repo.commit({ ...files });
        await fleet.until((plan) => plan.commit === commit && allAvailable(clusters)(plan));
      });
    const placement = placementFile('shop', '{placementType: PickAll}', maxUnavailable);
    const [placed] = await change({ ...placement, ...tenObjects('shop', '1') });
    const [updated] = await change(tenObjects('shop', '2'));
    const requests = fleet.applies();
    await fleet.close();
    report(
      { what: `${clusters} clusters × 10 objects: commit → all available`, value: placed!, unit: 'ms', limit },
      { what: `  update of all in three waves of clusters`, value: updated!, unit: 'ms', limit },
      { what: '  apply requests', value: requests, unit: 'requests' },
      peakRss(memory),
    );
  });
