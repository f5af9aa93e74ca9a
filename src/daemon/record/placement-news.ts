import { isLeaving } from '../../api/member-cluster.ts';
import type { ClusterName, Condition, PlacementKey } from '../../api/meta.ts';
import { type ApplyStrategy, abandons, type Placement, placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import { applyStrategyOf } from '../../engine/bindings/apply-strategy.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { conditionIs } from '../../engine/kernel/condition.ts';
import { sameValue } from '../../engine/kernel/same-value.ts';
import { fewOf } from '../../engine/kernel/some-of.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { titleOf } from '../../repo/title-of.ts';
import { newlyListed } from './newly-listed.ts';

/** The record that a plan was based on, and the one that it makes. */
export interface Change {
  readonly before: FleetRecord;
  readonly after: FleetRecord;
  readonly plan: Plan;
}

/** What became of placements that the repo holds: where they move, or what their members say. */
export function placementNews({ before, after, plan }: Change): string[] {
  return plan.placements.flatMap((placement) => {
    const key = placementKey(placement);
    const [was, is] = [boundIn(before, key), boundIn(after, key)];
    const moves = movesOf(
      placement,
      (cluster, move) =>
        !(move === 'remove' && was.leaving.has(cluster)) &&
        !isUnderWay(was.staying.get(cluster), is.staying.get(cluster)),
    );
    const gone = new Set([...was.staying.keys(), ...was.leaving]).difference(
      new Set([...is.staying.keys(), ...is.leaving]),
    );
    const ends = farewells([...gone], (cluster) => (hasLeft(cluster, { before, after }) ? 'let go of' : 'gone from'));
    const news = moves.length > 0 ? moves : [...outcomes(was, is), ...ends];
    return news.map((text) => `${titleOf(placement)}: ${text}`);
  });
}

const verbs = [
  ['add', 'install on'],
  ['update', 'update'],
  ['remove', 'remove from'],
] as const;

function movesOf(
  { bindings }: PlannedPlacement,
  isNews: (cluster: ClusterName, move: (typeof verbs)[number][0]) => boolean,
): string[] {
  const told = verbs.flatMap(([moving, verb]) => {
    const names = bindings.flatMap(({ clusterName, move }) =>
      move === moving && isNews(clusterName, moving) ? [clusterName] : [],
    );
    return names.length > 0 ? [`${verb} ${fewOf(names)}`] : [];
  });
  return told.length === 0 ? [] : [told.join(', ')];
}

/** A move stays in the plan until the member is done with it; the commit that began it has told it. */
const isUnderWay = (before: Binding | undefined, after: Binding | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.state === after.state &&
  before.resourceSnapshotIndex === after.resourceSnapshotIndex;

/** Placements that the repo does not hold any more: the plan only says what their clusters have to let go of. */
export function departureNews({ before, after, plan }: Change): string[] {
  const planned = new Set(plan.placements.map((placement) => placementKey(placement)));
  return [...before.placements].flatMap(([key, { object, state }]) => {
    if (planned.has(key)) return [];
    const was = new Map(state.bindings.map((binding) => [binding.targetCluster, binding]));
    const is = new Map((after.placements.get(key)?.state.bindings ?? []).map((it) => [it.targetCluster, it]));
    const leaving = [...is.keys()].filter((cluster) => is.get(cluster)!.deleting && !was.get(cluster)?.deleting);
    const gone = [...was.keys()].filter((cluster) => !is.has(cluster));
    const isAbandoned = object !== undefined && abandons(object);
    const ends = farewells(gone, (cluster) => {
      if (hasLeft(cluster, { before, after })) return 'let go of';
      // A removal that had begun before the deletion is carried out all the same.
      return isAbandoned && !was.get(cluster)?.deleting ? 'deleted, left as it is on' : 'gone from';
    });
    return [...(leaving.length > 0 ? [`deleted, remove from ${fewOf(leaving)}`] : []), ...ends].map(
      (text) => `${titleOf(state.metadata)}: ${text}`,
    );
  });
}

/** How a placement is no longer on a cluster: its objects were removed there, or they stay and are nobody's. */
type Farewell = 'gone from' | 'let go of' | 'deleted, left as it is on';

const farewells = (clusters: readonly string[], howOn: (cluster: string) => Farewell): string[] =>
  [...Map.groupBy(clusters, howOn)].map(([how, names]) => `${how} ${fewOf(names)}`);

/** Nothing is removed on a member that leaves the fleet. */
function hasLeft(cluster: string, { before, after }: Pick<Change, 'before' | 'after'>): boolean {
  const [was, is] = [before.clusters, after.clusters].map((clusters) => clusters.get(cluster as ClusterName));
  return was !== undefined && (is === undefined || isLeaving(is));
}

interface Bound {
  readonly placement: Placement | undefined;
  readonly staying: ReadonlyMap<string, Binding>;
  /** Clusters that it is being removed from: another binding of it may stay there. */
  readonly leaving: ReadonlySet<string>;
}

function boundIn(record: FleetRecord, key: PlacementKey): Bound {
  const { object: placement, state } = record.placements.get(key) ?? {};
  const { leaving = [], staying = [] } = Object.groupBy(state?.bindings ?? [], ({ deleting }) =>
    deleting ? 'leaving' : 'staying',
  );
  return {
    placement,
    staying: new Map(staying.map((binding) => [binding.targetCluster, binding])),
    leaving: new Set(leaving.map(({ targetCluster }) => targetCluster)),
  };
}

/** What became of bindings that did not move, the most telling first; one sentence for all clusters that share it. */
function outcomes(before: Bound, after: Bound): string[] {
  const clusters = Map.groupBy(after.staying.keys(), (cluster) => {
    const [was, is] = [before.staying.get(cluster), after.staying.get(cluster)!];
    return outcome(was, is, sameValue(strategyOf(before, was), strategyOf(after, is)));
  });
  return [...clusters].flatMap(([text, names]) => text?.replace('{}', fewOf(names)) ?? []);
}

const strategyOf = ({ placement }: Bound, binding: Binding | undefined): ApplyStrategy | undefined =>
  placement && applyStrategyOf(placement, binding);

/** `isAppliedAlike`: under another strategy nothing is reported, which says nothing of what is there. */
function outcome(before: Binding | undefined, after: Binding, isAppliedAlike: boolean): string | undefined {
  const drifted = newlyListed(before?.driftedPlacements, after.driftedPlacements);
  if (drifted !== undefined) return `drift on {}: ${drifted}`;
  const differs = newlyListed(before?.diffedPlacements, after.diffedPlacements);
  if (differs !== undefined) return `differs on {}: ${differs}`;
  const failed = newlyListed(
    before?.failedPlacements,
    conditionIs(after.conditions, 'Applied', 'False') ? after.failedPlacements : [],
  );
  if (failed !== undefined) return `failed on {}: ${failed}`;
  if (became(before, after, 'Available', 'True')) return 'available on {}';
  if (became(before, after, 'DiffReported', 'True')) return 'compared on {}';
  if (
    before &&
    conditionIs(before.conditions, 'Available', 'True') &&
    !conditionIs(after.conditions, 'Available', 'True')
  )
    return 'not available on {}';
  if (isAppliedAlike && (before?.driftedPlacements ?? []).length > 0 && (after.driftedPlacements ?? []).length === 0)
    return 'no drift on {}';
  if (became(before, after, 'Applied', 'True')) return 'applied on {}';
  return undefined;
}

const became = (before: Binding | undefined, after: Binding, type: string, status: Condition['status']): boolean =>
  conditionIs(after.conditions, type, status) && !(before && conditionIs(before.conditions, type, status));
