import type { ClusterName, Condition } from '../../api/meta.ts';
import { type PlacementRef, refOf } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { ClusterUpdatingStatus, StagedUpdateRun, StageStatus, UpdateRunStatus } from '../../api/staged.ts';
import { sourceKey } from '../input.ts';
import { findCondition } from '../kernel/condition.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { byText } from '../kernel/ordering.ts';
import { shortList } from '../kernel/short-list.ts';
import type { PlacementWork, Selection } from '../placement-work.ts';
import type { Hold } from '../plan-document.ts';
import { isMereHold } from '../recovery/held-since-loss.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import { isInitialized, isOver } from '../update-run.ts';
import { inFleet, type World } from '../world.ts';
import { scheduledClusters } from './initialize/scheduled-clusters.ts';
import { type Given, otherOverrides } from './other-overrides.ts';
import { isPrepared } from './run-state.ts';

/** An External placement whose clusters do not run what the repo holds, which no update run brings. */
export interface NotRolledOut {
  readonly placement: PlacementRef;
  /** A clause: `the repo holds other resources than snapshot 1`. */
  readonly why: string;
  /** A run that is added would not start, since clusters are missing. */
  readonly cannotStart?: true;
}

interface Known {
  /** Of the placement, with their status. */
  readonly runs: readonly StagedUpdateRun[];
  /** Of those runs. */
  readonly holds: readonly Hold[];
  readonly world: World;
}

/** The same with the runs that are initialized and not over. */
interface KnownWithOpen extends Pick<Known, 'runs' | 'world'> {
  readonly open: readonly StagedUpdateRun[];
  /** What each selected cluster has, or gets from those runs. */
  readonly given: readonly Given[];
  /** Indexes of snapshots with what the repo selects, as far as any cluster has or gets one, or it is the latest. */
  readonly current: readonly number[];
}

/**
 * Under External nothing is rolled out without a run: neither new contents, nor new overrides, nor a newly selected cluster, nor the
 * removal from one that is no longer selected. Undefined when the clusters run what the repo holds, whichever snapshot that is, when a
 * run that is not initialized yet and waits for nothing will take it, or when a run names an earlier snapshot and the repo has not
 * changed since. A run that is only prepared (`state: Initialize`) brings nothing.
 */
export function notRolledOut(work: PlacementWork, { runs: all, holds, world }: Known): NotRolledOut | undefined {
  const { placement, selection } = work;
  if (placement.spec.strategy.type !== 'External' || !selection.ok) return undefined;
  // A run that is held since its record was lost brings nothing until its file changes.
  const runs = all.filter((run) => !isMereHold(run));
  const unfinished = runs.filter(({ status = {} }) => !isOver(status));
  const open = unfinished.filter((run) => isInitialized(run.status ?? {}) && !isPrepared(run));
  const others = unfinished.filter((run) => !open.includes(run));
  const held = others.flatMap((run) => (isPrepared(run) ? [preparedText(run)] : heldText(run, holds)));
  if (held.length < others.length) return undefined;
  const scheduling = scheduledClusters(work, (cluster) => !inFleet(cluster, world));
  const lacking = scheduling.ok || others.length > 0 ? [] : [`no update run can start: ${scheduling.message}`];
  const refused = unfinished.length === 0 ? refusedLast(runs) : undefined;
  const given = givenBy(placedBindings(work), open);
  const known = { runs, world, open, given, current: currentSnapshots(work, selection, { given, world }) };
  const ref = refOf(placement);
  const hasCurrent = given.filter(({ snapshots }) => snapshots.some(({ index }) => known.current.includes(index)));
  const overridden = otherOverrides(ref, { manifests: selection.manifests, given: hasCurrent }, world);
  const why = [
    ...otherResources(work, known),
    ...(overridden.length === 0 ? [] : [`the repo holds other overrides for ${shortList(overridden)}`]),
    ...otherClusters(work, known),
    // Also where nothing else is missing, as for a snapshot that is not there.
    ...(refused ? [`update run ${refused.name} could not be initialized: ${refused.message}`] : []),
  ];
  if (why.length === 0) return undefined;
  const clause = [...why, ...held, ...lacking].join(', and ');
  return { placement: ref, why: clause, ...(!scheduling.ok && { cannotStart: true }) };
}

const preparedText = ({ metadata }: StagedUpdateRun): string =>
  `update run ${metadata.name} is initialized, and starts once its file says state: Run`;

/** Why a run is not initialized: a strategy that is not there, clusters that are missing. */
function heldText({ kind, metadata }: StagedUpdateRun, holds: readonly Hold[]): string[] {
  const hold = holds.find(({ subject }) => sourceKey(subject.kind, subject) === sourceKey(kind, metadata));
  return hold ? [`update run ${metadata.name} is not initialized: ${hold.message}`] : [];
}

/** Of every selected cluster: snapshots that runs in progress bring there; where none does, the one that it has. */
function givenBy(placed: readonly Binding[], open: readonly StagedUpdateRun[]): readonly Given[] {
  const coming = open.map(({ status = {} }) => ({
    index: Number(status.resourceSnapshotIndexUsed),
    clusters: clustersOf(status.stagesStatus),
  }));
  return placed.map((binding) => {
    const { targetCluster: cluster, resourceSnapshotIndex: index } = binding;
    const ahead = coming.flatMap((run) => {
      const lists = run.clusters.get(cluster);
      return lists ? [{ index: run.index, lists }] : [];
    });
    return { cluster, snapshots: ahead.length > 0 || index === undefined ? ahead : [{ index, lists: binding }] };
  });
}

function currentSnapshots(
  { resourceSnapshots, contents }: PlacementWork,
  selection: Extract<Selection, { readonly ok: true }>,
  { given, world }: { readonly given: readonly Given[]; readonly world: World },
): readonly number[] {
  const { digest } = world.input;
  const latest = latestOf(resourceSnapshots);
  const used = new Set(given.flatMap(({ snapshots }) => snapshots.map(({ index }) => index)));
  return resourceSnapshots.flatMap((entry) => {
    const counts = entry === latest || used.has(entry.index);
    return counts && holdsSelection(entry, { selection, contents, digest }) ? [entry.index] : [];
  });
}

/** Compares the snapshots that clusters have, or get from a run in progress, with what the repo selects. */
function otherResources(work: PlacementWork, { runs, open, given, current }: KnownWithOpen): string[] {
  const latest = latestOf(work.resourceSnapshots);
  const placed = placedBindings(work);
  const bound = new Set(placed.flatMap(({ state, targetCluster }) => (state === 'Bound' ? [targetCluster] : [])));
  const snapshots = given.flatMap((of) => (bound.has(of.cluster) ? [of.snapshots.map(({ index }) => index)] : []));
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
    !isFailed && last?.status?.returnedFrom !== undefined && others.join() === last.spec.resourceSnapshotIndex;
  if (behind.length === 0 || isReturn) return [];
  const count = `${behind.length} of ${placed.length} clusters`;
  const missing = `${count} do not have snapshot ${Math.max(...current)}`;
  if (open.length > 0) return [`update run ${open[0]!.metadata.name} does not bring what the repo holds to ${count}`];
  if (isFailed && isInitialized(last?.status ?? {}))
    return [`update run ${last!.metadata.name} failed, and ${missing}`];
  return [`${missing}, and no update run is in progress`];
}

/** Clusters that are newly selected, or no longer, and that no run in progress includes. */
function otherClusters(work: PlacementWork, { open, world }: KnownWithOpen): string[] {
  const coming = clustersOf(open.flatMap(({ status }) => status?.stagesStatus ?? []));
  const leaving = clustersOf(open.flatMap(({ status }) => status?.deletionStageStatus ?? []));
  const unbound = placedBindings(work).filter((it) => it.state === 'Scheduled' && !coming.has(it.targetCluster));
  const unselected = work.bindings
    .map(({ binding }) => binding)
    .filter((it) => it.state === 'Unscheduled' && !it.deleting && !leaving.has(it.targetCluster));
  const isPresent = ({ targetCluster }: Binding): boolean => inFleet(targetCluster, world);
  const clauses: readonly [readonly Binding[], (names: string) => string][] = [
    [unbound, (names) => `nothing is deployed to ${names} yet`],
    [unselected.filter(isPresent), (names) => `nothing is removed from ${names} yet`],
    [unselected.filter((it) => !isPresent(it)), (names) => `${names} left the fleet`],
  ];
  return clauses.flatMap(([of, clause]) =>
    of.length === 0 ? [] : [clause(shortList(of.map(({ targetCluster }) => targetCluster)))],
  );
}

const placedBindings = ({ bindings }: PlacementWork): Binding[] =>
  bindings.map(({ binding }) => binding).filter(({ deleting, state }) => !deleting && state !== 'Unscheduled');

const clustersOf = (stages: readonly StageStatus[] = []): ReadonlyMap<ClusterName, ClusterUpdatingStatus> =>
  new Map(stages.flatMap(({ clusters }) => clusters.map((cluster) => [cluster.clusterName, cluster])));

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

const lastEnded = <Run extends Ended>(runs: readonly Run[]): Run | undefined =>
  [...runs].sort((a, b) => byText(endTimeOf(b), endTimeOf(a)))[0];

/** When it ended; an empty text: it has not. */
export const endTimeOf = (run: Ended): string => endOf(run)?.lastTransitionTime ?? '';

interface Ended {
  readonly status?: UpdateRunStatus | undefined;
}

const endOf = (run: Ended | undefined): Condition | undefined =>
  findCondition(run?.status?.conditions, 'Succeeded') ?? findCondition(run?.status?.conditions, 'Initialized');
