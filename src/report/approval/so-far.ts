import type { Binding, PlacementState } from '../../api/placement-state.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { reportedDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { conditionIs, isFulfilled } from '../../engine/kernel/condition.ts';
import { listUpTo, shortList } from '../../engine/kernel/short-list.ts';
import { failureText } from '../cause.ts';
import type { Item } from '../sections/section.ts';
import { stageTasks } from '../waits/stage-tasks.ts';

const mostNamed = 10;

/** Stages with their clusters and tasks, up to the gate, and how those clusters are now. Instants, never ages. */
export function soFar(run: StagedUpdateRun, state: PlacementState | undefined): Item[] {
  const tasks = stageTasks(run);
  return (run.status?.stagesStatus ?? []).flatMap(({ stageName, clusters }): Item[] => {
    const of = (status: 'True' | 'False') =>
      clusters
        .filter(({ conditions }) => conditionIs(conditions, 'Succeeded', status))
        .map(({ clusterName }) => clusterName);
    const [done, failed] = [of('True'), of('False')];
    if (done.length + failed.length === 0) return [];
    const waits = tasks.filter(
      ({ stage, timing, isRequested }) => stage === stageName && timing === 'after' && isRequested,
    );
    const names = new Set<string>(done);
    const now = (state?.bindings ?? []).filter(({ targetCluster }) => names.has(targetCluster));
    return [
      {
        line: [
          { bold: stageName },
          `: ${done.length} of ${clusters.length} clusters updated and available (${listUpTo(done, mostNamed)})`,
          ...(failed.length > 0 ? [`; failed: ${listUpTo(failed, mostNamed)}`] : []),
          ...healthOf(now).map((text) => `; ${text}`),
          ...waits.map(({ type, progress, until }) =>
            type === 'TimedWait'
              ? `; soak ${progress}${until === undefined ? '' : ` until ${until}`}`
              : `; ${progress}`,
          ),
        ],
      },
    ];
  });
}

/** What became of clusters after they were done: that they were available then says nothing about now. */
function healthOf(bindings: readonly Binding[]): string[] {
  if (bindings.length === 0) return [];
  const failing = bindings
    .filter(({ conditions }) => !isFulfilled(conditions))
    .map(({ targetCluster, failedPlacements = [] }) =>
      failedPlacements.length === 0
        ? targetCluster
        : `${targetCluster} (${shortList(failedPlacements.map(failureText))})`,
    );
  const drifts = bindings.flatMap(({ targetCluster, driftedPlacements = [] }) =>
    driftedPlacements.length === 0
      ? []
      : `${shortList(driftedPlacements.map((it) => reportedDifferences(it, it.observedDrifts ?? [])))} on ${targetCluster}`,
  );
  return [
    ...(failing.length === 0 ? [] : [`⚠️ no longer available: ${listUpTo(failing, mostNamed)}`]),
    drifts.length === 0 ? 'no drift' : `drift: ${listUpTo(drifts, mostNamed)}`,
  ];
}
