import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { UpdateRunStatus } from '../../../api/staged.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { PlannedRun } from '../../plan-document.ts';
import type { Evidence } from './evidence.ts';
import { startedIn } from './started-clusters.ts';

/** The placement of a planned run, by its file or by its record. */
export function runPlacements({
  fleet,
  record,
}: Pick<Evidence, 'fleet' | 'record'>): (run: PlannedRun) => PlacementKey | undefined {
  const nameOf = (kind: string, key: string): string => `${kind} ${key}`;
  const files = new Map(fleet.runs.toReversed().map((run) => [nameOf(run.kind, placementKey(run.metadata)), run]));
  return (run) => {
    const key = placementKey(run);
    const source = files.get(nameOf(run.kind, key)) ?? record.runs.get(key);
    if (source === undefined) return undefined;
    const { namespace } = run;
    return placementKey({ name: source.spec.placementName, ...(namespace === undefined ? {} : { namespace }) });
  };
}

/** Clusters whose return by the rollback of an update run begins with this plan, by placement. */
export function returnedByRuns(
  evidence: Pick<Evidence, 'plan' | 'fleet' | 'record'>,
): ReadonlyMap<PlacementKey, ReadonlySet<ClusterName>> {
  const placementOf = runPlacements(evidence);
  const returned = new Map<PlacementKey, Set<ClusterName>>();
  for (const run of evidence.plan.runs) {
    const key = run.status.rollbackStatus && placementOf(run);
    if (key === undefined) continue;
    const before = returnedIn(evidence.record.runs.get(placementKey(run))?.status);
    const now = [...returnedIn(run.status)].filter((name) => !before.has(name));
    returned.set(key, new Set([...(returned.get(key) ?? []), ...now]));
  }
  return returned;
}

/** Update runs, `[ns.]name`, with which clusters start or return in this plan, by `PLACEMENT CLUSTER`: most plans need none. */
export const startingRuns = memoize(
  (evidence: Pick<Evidence, 'plan' | 'fleet' | 'record'>): ReadonlyMap<string, string> => {
    const placementOf = runPlacements(evidence);
    return new Map(
      evidence.plan.runs.flatMap((run) => {
        const before = evidence.record.runs.get(placementKey(run))?.status;
        const now = [
          ...startedIn(run.status.stagesStatus).difference(startedIn(before?.stagesStatus)),
          ...returnedIn(run.status).difference(returnedIn(before)),
        ];
        return now.map((cluster) => [`${placementOf(run)} ${cluster}`, placementKey(run)] as const);
      }),
    );
  },
);

const returnedIn = (status: UpdateRunStatus | undefined): ReadonlySet<ClusterName> =>
  startedIn(status?.rollbackStatus?.stagesStatus);
