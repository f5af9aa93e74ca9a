import { isLeaving } from '../../api/member-cluster.ts';
import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { abandons, placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { RecordedPlacement } from '../../engine/input.ts';
import { latestOf } from '../../engine/kernel/latest-of.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import { suspendedAnnotation } from '../../engine/pause/placement-pause.ts';
import type { PlannedPlacement } from '../../engine/plan-document.ts';
import type { Change } from '../change.ts';
import { countText, shortageOf } from '../shortage.ts';
import { outcomesOf } from './binding-outcomes.ts';
import { bindingsGone } from './bindings-gone.ts';
import type { BindingEvent, PlacementChange, PlacementEvent, Version } from './placement-event.ts';

/** Changes of the placements of a plan, then of deleted ones. */
export function placementEvents(change: Change): PlacementEvent[] {
  const { before, after, plan, earlier } = change;
  const planned = new Set(plan.placements.map((placement) => placementKey(placement)));
  const known = new Set(earlier?.placements.map((placement) => placementKey(placement)));
  return [
    ...plan.placements.flatMap((placement) => {
      const key = placementKey(placement);
      const [was, is] = [before.placements.get(key), after.placements.get(key)];
      // Nothing happens without a trace in the record: of most placements neither file changes.
      if (was && is && was.state === is.state && was.object === is.object) return [];
      const events = [...changesOf(was, is), ...eventsOnClusters(placement, { was, is, change })];
      return about(placement, events).map((event) => ({ ...event, version: versionOf(event, is, change) }));
    }),
    ...[...before.placements].flatMap(([key, was]) => {
      if (planned.has(key)) return [];
      const deleted: PlacementChange[] = known.has(key) ? [{ kind: 'deleted' }] : [];
      return about(was.state.metadata, [...deleted, ...eventsOfDeleted(key, was, change)]);
    }),
  ];
}

const about = (
  { name, namespace }: PlacementEvent['placement'],
  events: readonly (PlacementChange | BindingEvent)[],
): PlacementEvent[] => events.map((event) => ({ ...event, placement: { name, namespace } }));

type Recorded = RecordedPlacement | undefined;

/** The snapshot that an event is about, and where it is from. */
function versionOf(event: PlacementEvent, is: Recorded, { authors }: Change): Version | undefined {
  const snapshot = 'snapshot' in event ? event.snapshot : undefined;
  if (snapshot === undefined) return undefined;
  const commit = is?.state.resourceSnapshots.find(({ index }) => index === snapshot)?.commit;
  return { snapshot, commit, author: commit === undefined ? undefined : authors?.get(commit) };
}

function changesOf(was: Recorded, is: Recorded): PlacementChange[] {
  const [old, now] = [pickedIn(was), pickedIn(is)];
  const decisions = [...now].flatMap(([name, decision]) => (old.has(name) ? [] : [decision]));
  const clusters = [...old.keys()].filter((name) => !now.has(name));
  const snapshot = latestOf(is?.state.resourceSnapshots ?? [])?.index;
  const [suspendedBefore, suspended] = [was, is].map((it) => it?.object?.metadata?.annotations?.[suspendedAnnotation]);
  return [
    ...(decisions.length > 0 ? [{ kind: 'picked' as const, decisions }] : []),
    ...(clusters.length > 0 ? [{ kind: 'no-longer-picked' as const, clusters }] : []),
    ...shortageChanges(was, is),
    ...(snapshot !== undefined && snapshot !== latestOf(was?.state.resourceSnapshots ?? [])?.index
      ? [{ kind: 'snapshot-taken' as const, snapshot }]
      : []),
    ...(suspended !== undefined && suspended !== suspendedBefore
      ? [{ kind: 'suspended' as const, why: suspended }]
      : []),
    ...(suspended === undefined && suspendedBefore !== undefined ? [{ kind: 'resumed' as const }] : []),
  ];
}

function shortageChanges(was: Recorded, is: Recorded): PlacementChange[] {
  const [before, after] = [was, is].map((recorded) => recorded && shortageOf(recorded.state));
  if (after === undefined) return before === undefined ? [] : [{ kind: 'enough-clusters' }];
  return before && countText(before) === countText(after) ? [] : [{ kind: 'not-enough-clusters', shortage: after }];
}

const pickedIn = (recorded: Recorded) =>
  new Map(
    (latestOf(recorded?.state.policySnapshots ?? [])?.targetClusters ?? []).flatMap((decision) =>
      decision.selected ? [[decision.clusterName, decision] as const] : [],
    ),
  );

interface Versions {
  readonly was: Recorded;
  readonly is: Recorded;
  readonly change: Change;
}

/** What became of clusters that do not move, then moves that start, and where it is no longer. */
function eventsOnClusters({ bindings }: PlannedPlacement, { was, is, change }: Versions): BindingEvent[] {
  const [old, now] = [bindingsIn(was), bindingsIn(is)];
  const moves = bindings.flatMap(({ clusterName: cluster, move, resourceSnapshotIndex: snapshot }): BindingEvent[] => {
    if (move === 'keep' || move === 'wait') return [];
    if (move === 'remove' && old.leaving.has(cluster)) return [];
    // A move stays in the plan until the cluster is done with it.
    if (isUnderWay(old.staying.get(cluster), now.staying.get(cluster))) return [];
    return [
      move === 'remove'
        ? { kind: 'removing', cluster, isDeleted: false }
        : { kind: move === 'add' ? 'installing' : 'updating', cluster, snapshot },
    ];
  });
  const moving = new Set(moves.map(({ cluster }) => cluster));
  const outcomes = Map.groupBy(
    [...now.staying].flatMap(([cluster, binding]) => {
      const before = old.staying.get(cluster);
      if (before === binding) return [];
      return outcomesOf({ placement: was?.object, binding: before }, { placement: is?.object, binding }).map(
        (outcome): BindingEvent => ({ ...outcome, cluster }),
      );
    }),
    ({ cluster }) => cluster,
  );
  return [
    // One cluster that is done lets the next one start.
    ...[...outcomes].flatMap(([cluster, events]) => (moving.has(cluster) ? [] : events)),
    ...moves.flatMap((move) => [
      move,
      ...(outcomes.get(move.cluster) ?? []).filter(({ kind }) => whileMoving.has(kind)),
    ]),
    ...gone({ was, is, change }, () => 'removed'),
  ];
}

/** While a cluster moves to another snapshot, other outcomes are about the earlier one. */
const whileMoving: ReadonlySet<BindingEvent['kind']> = new Set(['failed', 'drifted', 'differs']);

const isUnderWay = (before: Binding | undefined, after: Binding | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.state === after.state &&
  before.resourceSnapshotIndex === after.resourceSnapshotIndex &&
  sameValue(overridesIn(before), overridesIn(after));

const overridesIn = ({ clusterResourceOverrideSnapshots, resourceOverrideSnapshots }: Binding) => [
  clusterResourceOverrideSnapshots ?? [],
  resourceOverrideSnapshots ?? [],
];

/** A plan has no placement for a deleted one, only its removals. */
function eventsOfDeleted(key: PlacementKey, was: RecordedPlacement, change: Change): BindingEvent[] {
  const is = change.after.placements.get(key);
  const [old, now] = [bindingsIn(was), bindingsIn(is)];
  const isAbandoned = was.object !== undefined && abandons(was.object);
  return [
    ...[...now.leaving]
      .filter((cluster) => !old.leaving.has(cluster))
      .map((cluster): BindingEvent => ({ kind: 'removing', cluster, isDeleted: true })),
    // A removal that started before the deletion is carried out all the same.
    ...gone({ was, is, change }, (cluster) => (isAbandoned && !old.leaving.has(cluster) ? 'abandoned' : 'removed')),
  ];
}

/** Clusters that lost their binding. Nothing is removed where the cluster leaves the fleet. */
function gone({ was, is, change }: Versions, howOn: (cluster: ClusterName) => 'removed' | 'abandoned'): BindingEvent[] {
  const clusters = new Set(bindingsGone(was?.state, is?.state).map(({ targetCluster }) => targetCluster));
  return [...clusters].map((cluster) => ({
    kind: 'gone',
    cluster,
    how: hasLeft(cluster, change) ? 'left' : howOn(cluster),
  }));
}

/** Now, or before: the delete stage of an update run lets go of a cluster later. */
function hasLeft(cluster: ClusterName, { before, after }: Change): boolean {
  const is = after.clusters.get(cluster);
  return is === undefined ? before.clusters.has(cluster) || after.clusters.size > 0 : isLeaving(is);
}

/** `leaving`: clusters that it is being removed from; another binding of it may stay there. */
function bindingsIn(recorded: Recorded) {
  const staying = new Map<ClusterName, Binding>();
  const leaving = new Set<ClusterName>();
  for (const binding of recorded?.state.bindings ?? [])
    if (binding.deleting) leaving.add(binding.targetCluster);
    else staying.set(binding.targetCluster, binding);
  return { staying, leaving };
}
