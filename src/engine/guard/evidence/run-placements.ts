import type { ClusterName, PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { ClusterUpdatingStatus } from '../../../api/staged.ts';
import type { PlannedRun } from '../../plan-document.ts';
import type { Evidence } from './evidence.ts';

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

/** Clusters that rollbacks of update runs have returned, or return with this plan, by placement. */
export function returnedByRuns(
  evidence: Pick<Evidence, 'plan' | 'fleet' | 'record'>,
): ReadonlyMap<PlacementKey, ReadonlySet<ClusterName>> {
  const placementOf = runPlacements(evidence);
  const returned = new Map<PlacementKey, Set<ClusterName>>();
  for (const run of evidence.plan.runs) {
    const { rollbackStatus } = run.status;
    const key = rollbackStatus && placementOf(run);
    if (key === undefined) continue;
    const clusters = rollbackStatus!.stagesStatus.flatMap((stage) => stage.clusters.filter(isStarted));
    returned.set(key, new Set([...(returned.get(key) ?? []), ...clusters.map(({ clusterName }) => clusterName)]));
  }
  return returned;
}

const isStarted = ({ conditions = [] }: ClusterUpdatingStatus): boolean =>
  conditions.some(({ type, status }) => type === 'Started' && status === 'True');
