import type { ClusterObservation } from '../../api/observation.ts';
import type { Binding, PlacementState } from '../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun } from '../../api/staged.ts';
import { reportedDifferences } from '../../engine/bindings/conditions/reported-differences.ts';
import { conditionIs, findCondition, isFulfilled } from '../../engine/kernel/condition.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo, shortList } from '../../engine/kernel/short-list.ts';
import { rollbackStages } from '../../engine/staged/step.ts';
import { failureText } from '../cause.ts';
import type { Item } from '../sections/section.ts';
import { stageCounts } from '../waits/progress-text.ts';
import { stageTasks } from '../waits/stage-tasks.ts';

const mostNamed = 10;

interface SoFarFacts {
  /** What workloads of the placement restarted on a cluster; undefined: not known. */
  readonly restartsOn: (cluster: string) => ClusterObservation['restarts'];
  readonly isMember: (cluster: string) => boolean;
}

/** Stages with their clusters and tasks, up to the gate, and how those clusters are now. Instants, never ages. */
export function soFar(
  run: StagedUpdateRun,
  state: PlacementState | undefined,
  { restartsOn, isMember }: SoFarFacts,
): Item[] {
  const tasks = stageTasks(run);
  const returned = new Map(
    rollbackStages(run.status ?? {}).flatMap((stage) =>
      stage.clusters.flatMap(({ clusterName, conditions }) => {
        const { status } = findCondition(conditions, 'Succeeded') ?? {};
        return status === undefined ? [] : [[clusterName, status] as const];
      }),
    ),
  );
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
    const names = new Set<string>(done.filter(isMember));
    const left = done.filter((name) => !isMember(name));
    const back = (status: 'True' | 'False'): string[] =>
      [...done, ...failed].filter((name) => returned.get(name) === status);
    const now = (state?.bindings ?? []).filter(({ targetCluster }) => names.has(targetCluster));
    return [
      {
        line: [
          { bold: stageName },
          `: ${done.length} of ${stageCounts({ clusters }).of} clusters updated and available${done.length === 0 ? '' : ` (${listUpTo(done, mostNamed)})`}`,
          ...named('failed', failed),
          ...named('left the fleet since', left),
          ...named('rolled back since', back('True')),
          ...named('rolled back since, and not available', back('False')),
          ...[...restartsSince(clusters, names, restartsOn), ...healthOf(now)].map((text) => `; ${text}`),
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

const named = (what: string, clusters: readonly string[]): string[] =>
  clusters.length === 0 ? [] : [`; ${what}: ${listUpTo(clusters, mostNamed)}`];

/** Nothing where some of these clusters do not tell, and those that do have none. */
function restartsSince(
  clusters: readonly ClusterUpdatingStatus[],
  done: ReadonlySet<string>,
  on: SoFarFacts['restartsOn'],
): string[] {
  const found = clusters
    .filter(({ clusterName }) => done.has(clusterName))
    .map(({ clusterName, conditions }) => {
      const since = parseInstant(findCondition(conditions, 'Started')?.lastTransitionTime ?? '') ?? 0;
      return on(clusterName)
        ?.filter(({ at }) => (parseInstant(at) ?? 0) >= since)
        .map(
          ({ kind, namespace, name, pods, at }) =>
            `${kind} ${namespace}/${name} on ${clusterName} (${pods} ${pods === 1 ? 'pod' : 'pods'}, last at ${at})`,
        );
    });
  if (found.length === 0) return [];
  const all = found.flatMap((texts) => texts ?? []);
  if (all.length > 0) return [`⚠️ restarts: ${listUpTo(all, mostNamed)}`];
  return found.includes(undefined) ? [] : ['no restarts'];
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
