import type { Condition } from '../../api/meta.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
import type { UpdateRunStatus } from '../../api/staged.ts';
import type { PlanInput } from '../input.ts';
import { findCondition } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { byText } from '../kernel/ordering.ts';
import { shortList } from '../kernel/short-list.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlannedRun } from '../plan-document.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import { isInitialized, isOver } from '../update-run.ts';

/** An External placement with changes in the repo that no update run rolls out, or that a failed one did not. */
export interface NotRolledOut {
  readonly placement: PlacementRef;
  /** A clause: `the repo holds other resources than snapshot 1`. */
  readonly why: string;
}

/**
 * Under External nothing is rolled out without a run: neither new contents nor a newly selected cluster. Undefined when the
 * clusters run what the repo holds, or a run that is not initialized yet will take it.
 */
export function notRolledOut(
  work: PlacementWork,
  { runs, digest }: { readonly runs: readonly PlannedRun[]; readonly digest: PlanInput['digest'] },
): NotRolledOut | undefined {
  const { placement, selection, bindings } = work;
  if (placement.spec.strategy.type !== 'External' || !selection.ok) return undefined;
  const open = runs.filter(({ status }) => !isOver(status));
  if (open.some(({ status }) => !isInitialized(status))) return undefined;
  const latest = latestOf(work.resourceSnapshots);
  const taken = latest !== undefined && holdsSelection(latest, { selection, contents: work.contents, digest });
  const placed = bindings
    .map(({ binding }) => binding)
    .filter(({ deleting, state }) => !deleting && state !== 'Unscheduled');
  const coming = new Set(
    open.flatMap(({ status: { stagesStatus = [] } }) =>
      stagesStatus.flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName)),
    ),
  );
  const unbound = placed.flatMap(({ state, targetCluster }) =>
    state === 'Scheduled' && !coming.has(targetCluster) ? [targetCluster] : [],
  );
  const last = open.length === 0 ? failedLast(runs) : undefined;
  const initialized = findCondition(last?.status.conditions, 'Initialized');
  const refused = initialized?.status === 'False' ? initialized : undefined;
  const failed = refused ? undefined : last;
  const behind = placed.filter(
    ({ state, resourceSnapshotIndex: index }) => state === 'Bound' && index !== latest?.index,
  ).length;
  const why = [
    ...(taken || latest === undefined ? [] : [`the repo holds other resources than snapshot ${latest.index}`]),
    ...(failed !== undefined && taken && behind > 0
      ? [
          `update run ${failed.name} failed, and ${behind} of ${placed.length} clusters do not have snapshot ${latest.index}`,
        ]
      : []),
    // Where all of them are, a run brought them back to an earlier one.
    ...(open.length === 0 && failed === undefined && taken && behind > 0 && behind < placed.length
      ? [
          `${behind} of ${placed.length} clusters do not have snapshot ${latest.index}, and no update run is in progress`,
        ]
      : []),
    ...(unbound.length > 0 ? [`nothing is deployed to ${shortList(unbound)} yet`] : []),
    // Also where nothing else is missing, as for a snapshot that is not there.
    ...(refused ? [`update run ${last!.name} could not be initialized: ${refused.message ?? ''}`] : []),
  ];
  return why.length === 0 ? undefined : { placement: refOf(placement), why: why.join(', and ') };
}

/** The run that ended last, if it failed. */
export function failedLast<Run extends { readonly status?: UpdateRunStatus | undefined }>(
  runs: readonly Run[],
): Run | undefined {
  const [last] = runs
    .map((run) => ({ run, end: endOf(run) }))
    .sort((a, b) => byText(b.end?.lastTransitionTime ?? '', a.end?.lastTransitionTime ?? ''));
  return last?.end?.status === 'False' ? last.run : undefined;
}

const endOf = ({ status }: { readonly status?: UpdateRunStatus | undefined }): Condition | undefined =>
  findCondition(status?.conditions, 'Succeeded') ?? findCondition(status?.conditions, 'Initialized');
