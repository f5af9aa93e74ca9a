import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { GuardFinding } from '../../plan-document.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { runPlacements } from '../evidence/run-placements.ts';
import { startedIn } from '../evidence/started-clusters.ts';

/** Under External only an update run that has started a cluster gives it another snapshot. */
export function movesWithoutRun(evidence: Evidence): GuardFinding[] {
  // Computed at the first move under External, which is rare.
  let started: ReadonlySet<string> | undefined;
  const isGivenByRun = (key: PlacementKey, cluster: ClusterName, index: number): boolean => {
    started ??= startedByRuns(evidence);
    return started.has(startedKey(key, cluster, String(index)));
  };
  return evidence.changes.flatMap(({ key, placement, isWanted, pairs }) => {
    if (!isWanted || placement?.spec.strategy.type !== 'External') return [];
    return pairs.flatMap(({ clusterName, before, after, removedNow }): GuardFinding[] => {
      const next = after?.resourceSnapshotIndex;
      if (before === undefined || removedNow || next === undefined || next === before.resourceSnapshotIndex) return [];
      if (isGivenByRun(key, clusterName, next)) return [];
      return [
        {
          rule: 'moved-without-run',
          message: `placement ${key} is External, but ${clusterName} would get snapshot ${next} without an update run that has started it`,
        },
      ];
    });
  });
}

/** Snapshots that runs applied to clusters of a placement, by `startedKey`; in a rollback those that the clusters had before. */
function startedByRuns(evidence: Evidence): ReadonlySet<string> {
  const runs = runPlacements(evidence);
  return new Set(
    evidence.plan.runs.flatMap((run) => {
      const { stagesStatus = [], rollbackStatus, resourceSnapshotIndexUsed: index = '' } = run.status;
      const key = runs(run);
      if (key === undefined) return [];
      const recorded = evidence.record.runs.get(placementKey(run))?.status?.stagesStatus ?? [];
      const had = new Map(
        recorded.flatMap(({ clusters }) => clusters.map((it) => [it.clusterName, it.previous?.resourceSnapshotIndex])),
      );
      return [
        ...[...startedIn(stagesStatus)].map((cluster) => startedKey(key, cluster, index)),
        ...[...startedIn(rollbackStatus?.stagesStatus)].flatMap((cluster) => {
          const before = had.get(cluster);
          return before === undefined ? [] : [startedKey(key, cluster, String(before))];
        }),
      ];
    }),
  );
}

const startedKey = (placement: PlacementKey, cluster: ClusterName, index: string): string =>
  `${placement} ${cluster} ${index}`;
