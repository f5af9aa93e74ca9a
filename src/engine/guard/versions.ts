import type { PlanInput } from '../input.ts';
import type { GuardFinding, Plan } from '../plan-document.ts';
import type { Compared } from './comparison.ts';
import { placementOfRun } from './run-order.ts';

/** RollingUpdate only goes forward; under External only a run that has come to a cluster changes what it should run. */
export function versionsGoForward(input: PlanInput, plan: Plan, compared: readonly Compared[]): GuardFinding[] {
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
      return startedByRun(input, plan, key, clusterName, next)
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

const startedByRun = (input: PlanInput, plan: Plan, key: string, cluster: string, index: number): boolean =>
  plan.runs.some(
    (run) =>
      run.status.resourceSnapshotIndexUsed === String(index) &&
      placementOfRun(input, run) === key &&
      (run.status.stagesStatus ?? []).some(({ clusters }) =>
        clusters.some(
          ({ clusterName, conditions }) =>
            clusterName === cluster && conditions?.some(({ type, status }) => type === 'Started' && status === 'True'),
        ),
      ),
  );
