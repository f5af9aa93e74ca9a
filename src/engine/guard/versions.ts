import type { ClusterUpdatingStatus } from '../../api/staged.ts';
import type { PlanInput } from '../input.ts';
import type { GuardFinding, Plan } from '../plan-document.ts';
import type { Compared } from './comparison.ts';
import { runPlacements } from './run-order.ts';

/** RollingUpdate only goes forward; under External only a run that has come to a cluster changes what it should run. */
export function versionsGoForward(input: PlanInput, plan: Plan, compared: readonly Compared[]): GuardFinding[] {
  // Made when the first moves under External, which is seldom.
  let started: ReadonlySet<string> | undefined;
  const isStarted = (key: string, cluster: string, index: number): boolean => {
    started ??= startedByRuns(input, plan);
    return started.has(startedKey(key, cluster, String(index)));
  };
  return compared.flatMap(({ key, placement, inRepo, pairs }) => {
    if (!placement || !inRepo) return [];
    const external = placement.spec.strategy.type === 'External';
    return pairs.flatMap(({ clusterName, before, after, removedNow }): GuardFinding[] => {
      const next = after?.resourceSnapshotIndex;
      if (before === undefined || after === undefined || removedNow || next === undefined) return [];
      const { resourceSnapshotIndex: present } = before;
      if (next === present) return [];
      if (!external)
        return present !== undefined && next < present
          ? [
              {
                rule: 'older-snapshot',
                message: `placement ${key} would go back from snapshot ${present} to ${next} on ${clusterName} without an update run`,
              },
            ]
          : [];
      return isStarted(key, clusterName, next)
        ? []
        : [
            {
              rule: 'moved-without-run',
              message: `placement ${key} is External, but ${clusterName} would get snapshot ${next} without an update run that has come to it`,
            },
          ];
    });
  });
}

/** Snapshots that runs brought to clusters of a placement, as `startedKey` says. */
function startedByRuns(input: PlanInput, plan: Plan): ReadonlySet<string> {
  const runs = runPlacements(input);
  return new Set(
    plan.runs.flatMap((run) => {
      const { stagesStatus = [], resourceSnapshotIndexUsed: index = '' } = run.status;
      const key = runs(run);
      const hasStarted = ({ conditions = [] }: ClusterUpdatingStatus): boolean =>
        conditions.some(({ type, status }) => type === 'Started' && status === 'True');
      return key === undefined
        ? []
        : stagesStatus
            .flatMap(({ clusters }) => clusters.filter(hasStarted))
            .map(({ clusterName }) => startedKey(key, clusterName, index));
    }),
  );
}

const startedKey = (placement: string, cluster: string, index: string): string => `${placement} ${cluster} ${index}`;
