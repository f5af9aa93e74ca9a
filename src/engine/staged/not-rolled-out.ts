import type { ClusterName, Condition } from '../../api/meta.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../api/staged.ts';
import type { PlanInput } from '../input.ts';
import { findCondition } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { byText } from '../kernel/ordering.ts';
import { shortList } from '../kernel/short-list.ts';
import type { PlacementWork, Selection } from '../placement-work.ts';
import { isMereHold } from '../recovery/held-since-loss.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import { isInitialized, isOver } from '../update-run.ts';

/** An External placement whose clusters do not run what the repo holds, which no update run brings. */
export interface NotRolledOut {
  readonly placement: PlacementRef;
  /** A clause: `the repo holds other resources than snapshot 1`. */
  readonly why: string;
}

interface Known {
  /** Of the placement, with their status. */
  readonly runs: readonly StagedUpdateRun[];
  readonly digest: PlanInput['digest'];
  /** Whether a cluster is in the fleet and not leaving it. */
  readonly isPresent: (cluster: ClusterName) => boolean;
}

/** The same with the runs that are not over; all of them are initialized. */
interface KnownWithOpen extends Known {
  readonly open: readonly StagedUpdateRun[];
}

/**
 * Under External nothing is rolled out without a run: neither new contents, nor a newly selected cluster, nor the removal from one
 * that is no longer selected. Undefined when the clusters run what the repo holds, whichever snapshot that is, when a run that is
 * not initialized yet will take it, or when a run was told to bring an earlier snapshot.
 */
export function notRolledOut(work: PlacementWork, given: Known): NotRolledOut | undefined {
  const { placement, selection } = work;
  if (placement.spec.strategy.type !== 'External' || !selection.ok) return undefined;
  // A run that is held since its record was lost brings nothing until its file changes.
  const runs = given.runs.filter((run) => !isMereHold(run));
  const open = runs.filter(({ status = {} }) => !isOver(status));
  if (open.some(({ status = {} }) => !isInitialized(status))) return undefined;
  const refused = open.length === 0 ? refusedLast(runs) : undefined;
  const known: KnownWithOpen = { ...given, runs, open };
  const why = [
    ...otherResources(work, selection, known),
    ...otherClusters(work, known),
    // Also where nothing else is missing, as for a snapshot that is not there.
    ...(refused ? [`update run ${refused.name} could not be initialized: ${refused.message}`] : []),
  ];
  return why.length === 0 ? undefined : { placement: refOf(placement), why: why.join(', and ') };
}

/** Compares the snapshots that clusters have, or get from a run in progress, with what the repo selects. */
function otherResources(
  work: PlacementWork,
  selection: Extract<Selection, { readonly ok: true }>,
  { runs, open, digest }: KnownWithOpen,
): string[] {
  const { resourceSnapshots, contents } = work;
  const latest = latestOf(resourceSnapshots);
  const placed = placedBindings(work);
  const snapshots = snapshotsOf(placed, open);
  const used = new Set(snapshots.flat());
  const current = resourceSnapshots.flatMap((entry) =>
    (entry === latest || used.has(entry.index)) && holdsSelection(entry, { selection, contents, digest })
      ? entry.index
      : [],
  );
  const behind = snapshots.filter((indexes) => !indexes.some((index) => current.includes(index)));
  const others = [...new Set(behind.flat())].sort((a, b) => a - b);
  if (current.length === 0) {
    const indexes = others.length === 0 && latest ? [latest.index] : others;
    const what = indexes.length === 1 ? 'snapshot' : 'snapshots';
    return indexes.length === 0 ? [] : [`the repo holds other resources than ${what} ${indexes.join(', ')}`];
  }
  const last = open[0] ?? lastEnded(runs);
  const isFailed = endOf(last)?.status === 'False';
  const isReturn =
    !isFailed && current.includes(latest?.index ?? -1) && others.join() === last?.spec.resourceSnapshotIndex;
  if (behind.length === 0 || isReturn) return [];
  const count = `${behind.length} of ${placed.length} clusters`;
  const missing = `${count} do not have snapshot ${Math.max(...current)}`;
  if (open.length > 0) return [`update run ${open[0]!.metadata.name} does not bring what the repo holds to ${count}`];
  if (isFailed && isInitialized(last?.status ?? {}))
    return [`update run ${last!.metadata.name} failed, and ${missing}`];
  return [`${missing}, and no update run is in progress`];
}

/** Of every cluster that has something: snapshots that runs in progress bring there; where none does, the one that it has. */
function snapshotsOf(placed: readonly Binding[], open: readonly StagedUpdateRun[]): (readonly number[])[] {
  const coming = open.map(({ status = {} }) => ({
    index: Number(status.resourceSnapshotIndexUsed),
    clusters: clustersOf(status.stagesStatus),
  }));
  return placed
    .filter(({ state }) => state === 'Bound')
    .map(({ targetCluster, resourceSnapshotIndex: index }) => {
      const ahead = coming.flatMap((run) => (run.clusters.has(targetCluster) ? run.index : []));
      return ahead.length > 0 || index === undefined ? ahead : [index];
    });
}

/** Clusters that are newly selected, or no longer, and that no run in progress includes. */
function otherClusters(work: PlacementWork, { open, isPresent }: KnownWithOpen): string[] {
  const coming = clustersOf(open.flatMap(({ status }) => status?.stagesStatus ?? []));
  const leaving = clustersOf(open.flatMap(({ status }) => status?.deletionStageStatus ?? []));
  const unbound = placedBindings(work).filter((it) => it.state === 'Scheduled' && !coming.has(it.targetCluster));
  const unselected = work.bindings
    .map(({ binding }) => binding)
    .filter((it) => it.state === 'Unscheduled' && !it.deleting && !leaving.has(it.targetCluster));
  const clauses: readonly [readonly Binding[], (names: string) => string][] = [
    [unbound, (names) => `nothing is deployed to ${names} yet`],
    [unselected.filter((it) => isPresent(it.targetCluster)), (names) => `nothing is removed from ${names} yet`],
    [unselected.filter((it) => !isPresent(it.targetCluster)), (names) => `${names} left the fleet`],
  ];
  return clauses.flatMap(([of, clause]) =>
    of.length === 0 ? [] : [clause(shortList(of.map(({ targetCluster }) => targetCluster)))],
  );
}

const placedBindings = ({ bindings }: PlacementWork): Binding[] =>
  bindings.map(({ binding }) => binding).filter(({ deleting, state }) => !deleting && state !== 'Unscheduled');

const clustersOf = (stages: readonly StageStatus[] = []): ReadonlySet<ClusterName> =>
  new Set(stages.flatMap(({ clusters }) => clusters.map(({ clusterName }) => clusterName)));

/** The run that ended last, if it could not be initialized, and why. */
function refusedLast(
  runs: readonly StagedUpdateRun[],
): { readonly name: string; readonly message: string } | undefined {
  const last = lastEnded(runs);
  const initialized = findCondition(last?.status?.conditions, 'Initialized');
  return last && initialized?.status === 'False'
    ? { name: last.metadata.name, message: initialized.message ?? '' }
    : undefined;
}

/** The run that ended last, if it failed. */
export function failedLast<Run extends Ended>(runs: readonly Run[]): Run | undefined {
  const last = lastEnded(runs);
  return endOf(last)?.status === 'False' ? last : undefined;
}

function lastEnded<Run extends Ended>(runs: readonly Run[]): Run | undefined {
  const endTime = (run: Run): string => endOf(run)?.lastTransitionTime ?? '';
  return [...runs].sort((a, b) => byText(endTime(b), endTime(a)))[0];
}

interface Ended {
  readonly status?: UpdateRunStatus | undefined;
}

const endOf = (run: Ended | undefined): Condition | undefined =>
  findCondition(run?.status?.conditions, 'Succeeded') ?? findCondition(run?.status?.conditions, 'Initialized');
