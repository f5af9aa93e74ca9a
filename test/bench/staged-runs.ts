import { conditionIs } from '../../src/engine/kernel/condition.ts';
import type { Plan } from '../../src/engine/plan-document.ts';
import { clusterFiles, type Files, filesOf, inTempDir, smallWorkload } from './fleet-repo.ts';
import { limits } from './limits.ts';
import { peakRss, report, timed } from './report.ts';
import { runFleet } from './running-fleet.ts';

const size = { runs: 100, clusters: 100 };

/** Runs of 100 placements at once over two stages of clusters that are ready at once: what it takes is gitfleet's own. */
export const run = (): Promise<void> =>
  inTempDir(async (dir) => {
    const fleet = await runFleet({
      dir,
      clusters: size.clusters,
      files: { ...clusterFiles(size.clusters), ...placed },
    });
    await fleet.until((plan) => plan.placements.length === size.runs);
    const began = process.cpuUsage();
    const [took] = await timed(1, async () => {
      await fleet.repo.commit(runs);
      await fleet.until(allSucceeded);
    });
    const { user, system } = process.cpuUsage(began);
    const requests = fleet.applies();
    await fleet.close();
    report(
      {
        what: `${size.runs} staged runs at once × ${size.clusters} clusters: commit → all succeeded`,
        value: took!,
        unit: 'ms',
        limit: limits.stagedRuns,
      },
      { what: '  of processor time, with the simulated members', value: (user + system) / 1_000, unit: 'ms' },
      { what: '  apply requests', value: requests, unit: 'requests' },
      peakRss(),
    );
  });

const allSucceeded = ({ runs: planned }: Plan): boolean =>
  planned.length === size.runs && planned.every(({ status }) => conditionIs(status.conditions, 'Succeeded', 'True'));

const group = 'apiVersion: placement.kubernetes-fleet.io/v1';

const placed: Files = {
  'strategy.yaml': `${group}
kind: ClusterStagedUpdateStrategy
metadata: {name: two-stages}
spec:
  stages:
  - {name: dev, labelSelector: {matchLabels: {env: dev}}, maxConcurrency: 50%}
  - {name: prod, labelSelector: {matchLabels: {env: prod}}, maxConcurrency: 50%}
`,
  ...filesOf(size.runs, (at) => ({
    ...smallWorkload(`app-${at}`, '1'),
    [`placements/app-${at}.yaml`]: `${group}
kind: ClusterResourcePlacement
metadata: {name: app-${at}}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: app-${at}}]
  policy: {placementType: PickAll}
  strategy: {type: External}
`,
  })),
};

const runs: Files = filesOf(size.runs, (at) => ({
  [`runs/app-${at}.yaml`]: `${group}
kind: ClusterStagedUpdateRun
metadata: {name: app-${at}}
spec: {placementName: app-${at}, stagedRolloutStrategyName: two-stages}
`,
}));
