import type { ClusterName, Manifest, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation, PlacementObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import { targetContent } from '../../../engine/delivery/target-content.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { memoize, memoizePair } from '../../../engine/kernel/memoize.ts';
import { isCompleteObservation } from '../../../engine/observed.ts';
import { digestAnnotation } from '../../../engine/overrides/ownership.ts';
import { listsDiffer } from '../../../engine/overrides/starts-rollout.ts';
import type { BindingStep, PlacementWork } from '../../../engine/placement-work.ts';
import type { PlanResult } from '../../../engine/plan.ts';
import type { PlacementTarget } from '../../../engine/plan-document.ts';
import { placementShownBy } from '../../../engine/recovery/rebuild.ts';
import { overridesFor } from '../../../engine/rollout/overrides-for.ts';
import { unpack } from '../../../engine/selection/envelope.ts';
import { keyOfManifest, objectKey } from '../../../engine/selection/object-key.ts';
import { placementTargets } from '../../../engine/target-kinds.ts';
import type { World } from '../../../engine/world.ts';
import type { PlacementAssignment } from '../../../members/assignment.ts';
import type { DoubtedBindings, OnCluster } from './binding-claims.ts';
import { notThere, unproven } from './mismatch.ts';

/** Targets that only an unproven claim of the record supports: their clusters keep what they have. */
export interface WithheldTargets {
  readonly isWithheld: (cluster: ClusterName, key: PlacementKey) => boolean;
  /** Claims that the clusters confirm. */
  readonly shown: readonly { readonly key: PlacementKey; readonly cluster: ClusterName }[];
  readonly problems: readonly Problem[];
}

export const nothingWithheld: WithheldTargets = { isWithheld: () => false, shown: [], problems: [] };

/**
 * Which targets of a plan are withheld: those of doubted bindings, unless the plan itself decides them or the cluster shows them.
 * Without observations the plan is adopted from the record, by which nothing is created or replaced.
 */
export function withheldTargets(
  result: PlanResult,
  doubted: Pick<DoubtedBindings, 'isDoubted' | 'isDoubtedRemoval' | 'isOutOfPlace' | 'isRefill'>,
  observations: ReadonlyMap<ClusterName, ClusterObservation> | undefined,
): WithheldTargets {
  const withheld = new Set<string>();
  const shown: { readonly key: PlacementKey; readonly cluster: ClusterName }[] = [];
  const problems: Problem[] = [];
  for (const target of placementTargets(result.plan.targets)) {
    const { clusterName: cluster, resourceSnapshotIndex: index, digest } = target;
    const key = placementKey(target.placement);
    if (target.remove && doubted.isDoubtedRemoval(key, cluster)) withheld.add(idOf(cluster, key));
    // A target without a digest is not applied.
    if (target.remove || index === undefined || digest === undefined || !doubted.isDoubted(key, cluster)) continue;
    if (!doubted.isOutOfPlace(key, cluster)) {
      if (isDecided(result, { key, cluster, isAdopted: observations === undefined })) continue;
      const observation = observations?.get(cluster);
      const isEmpty = isCompleteObservation(observation) && hasNothingOf(key, observation);
      if (
        observation?.reachable &&
        (shows(observation, target, result) || (isEmpty && doubted.isRefill(key, cluster)))
      ) {
        shown.push({ key, cluster });
        continue;
      }
      if (observation?.reachable && observation.complete) problems.push(notShown({ key, cluster }, index, observation));
    }
    withheld.add(idOf(cluster, key));
  }
  return { isWithheld: (cluster, key) => withheld.has(idOf(cluster, key)), shown, problems };
}

const idOf = (cluster: ClusterName, key: PlacementKey): string => `${cluster} ${key}`;

/**
 * The observations without the reports of clusters that were left as they are and that this plan no longer leaves so, although they
 * show something else. Such a report stood for objects that are changed now: with it the cluster would count as available, and a
 * rolling update would go on elsewhere at the same time. What the plan itself adds or updates it counts itself: without their reports
 * such clusters would be neither available nor failed, and would wait for ever. Undefined if there are none.
 */
export function withoutReleasedReports(
  result: PlanResult,
  doubted: Parameters<typeof withheldTargets>[1],
  observations: ReadonlyMap<ClusterName, ClusterObservation>,
): ReadonlyMap<ClusterName, ClusterObservation> | undefined {
  const leftAlone = [...observations].filter(([, observation]) => reportsLeftAlone(observation).size > 0);
  if (leftAlone.length === 0) return undefined;
  const { isWithheld } = withheldTargets(result, doubted, observations);
  const targets = Map.groupBy(placementTargets(result.plan.targets), ({ clusterName }) => clusterName);
  const kept = new Map<ClusterName, ClusterObservation>();
  for (const [cluster, observation] of leftAlone) {
    const reports = reportsLeftAlone(observation);
    const released = (targets.get(cluster) ?? []).flatMap((target): readonly PlacementObservation[] => {
      const key = placementKey(target.placement);
      const report = reports.get(key);
      if (report === undefined || target.remove || target.digest === undefined || isWithheld(cluster, key)) return [];
      return isKept(result, key, cluster) && !shows(observation, target, result) ? [report] : [];
    });
    if (released.length === 0) continue;
    kept.set(cluster, { ...observation, placements: observation.placements.filter((it) => !released.includes(it)) });
  }
  return kept.size === 0 ? undefined : new Map([...observations, ...kept]);
}

/**
 * Observations in which actors that left objects as they were report the snapshots that their clusters show: what is proven now has been
 * there all the time.
 */
export function withShownReports(
  observations: ReadonlyMap<ClusterName, ClusterObservation>,
  shown: readonly OnCluster[],
  { placements }: Pick<FleetRecord, 'placements'>,
): ReadonlyMap<ClusterName, ClusterObservation> {
  if (shown.length === 0) return observations;
  const next = new Map(observations);
  for (const [cluster, group] of Map.groupBy(shown, (of) => of.cluster)) {
    const observation = next.get(cluster);
    if (observation === undefined) continue;
    const indexes = new Map(
      group.map(({ key }) => {
        const { bindings = [] } = placements.get(key)?.state ?? {};
        const own = bindings.find(({ targetCluster, deleting }) => targetCluster === cluster && !deleting);
        return [key, own?.resourceSnapshotIndex];
      }),
    );
    const reports = observation.placements.map((report) => {
      const resourceSnapshotIndex = indexes.get(placementKey(report.placement));
      const isSilent = report.resourceSnapshotIndex === undefined && resourceSnapshotIndex !== undefined;
      return isSilent ? { ...report, resourceSnapshotIndex } : report;
    });
    next.set(cluster, { ...observation, placements: reports });
  }
  return next;
}

/** Reports of actors that leave objects as they are: on a snapshot, without the digest of contents. */
const reportsLeftAlone = memoize(
  ({ placements }: ClusterObservation): ReadonlyMap<PlacementKey, PlacementObservation> =>
    new Map(
      placements
        .filter(({ resourceSnapshotIndex, digest }) => resourceSnapshotIndex !== undefined && digest === undefined)
        .map((report) => [placementKey(report.placement), report]),
    ),
);

/** Whether the plan itself decides the target. A rolling update keeps what is up to date, but for overrides that start no rollout. */
function isDecided(
  { contents: { works, world } }: PlanResult,
  {
    key,
    cluster,
    isAdopted,
  }: { readonly key: PlacementKey; readonly cluster: ClusterName; readonly isAdopted: boolean },
): boolean {
  const work = works.get(key);
  const step = work && stepsOf(work.bindings).get(cluster);
  if (work === undefined || step === undefined) return false;
  const { binding, move } = step;
  if (move === 'add' || move === 'update') return true;
  if (work.placement.spec.strategy.type !== 'RollingUpdate') return false;
  if (isAdopted || move !== 'keep' || binding.clusterLabels !== undefined) return isAdopted;
  return !listsDiffer(binding, presentOverrides(work, world)(cluster));
}

const isKept = ({ contents: { works } }: PlanResult, key: PlacementKey, cluster: ClusterName): boolean =>
  stepsOf(works.get(key)?.bindings ?? noSteps).get(cluster)?.move === 'keep';

const noSteps: readonly BindingStep[] = [];

const presentOverrides = memoizePair((work: PlacementWork, world: World) =>
  overridesFor(work, world, latestOf(work.resourceSnapshots)?.index ?? 0),
);

const stepsOf = memoize(
  (bindings: readonly BindingStep[]): ReadonlyMap<string, BindingStep> =>
    new Map(bindings.map((step) => [step.binding.targetCluster, step])),
);

/**
 * Whether the cluster shows the target: some objects have its digests, and none has another. Nor does it have objects of another
 * snapshot, which the target would remove.
 */
function shows({ objects }: ClusterObservation, target: PlacementTarget, { contents }: PlanResult): boolean {
  const content = targetContent(contents, target);
  if (content === undefined || content.leaveAlone) return false;
  const key = placementKey(target.placement);
  const listed = new Set(content.manifests.map(({ manifest }) => keyOfManifest(manifest)));
  const known = namesIn(contents.works.get(key)?.contents ?? nothing);
  if ((byPlacement(objects).get(key) ?? []).some((id) => known.has(id) && !listed.has(id))) return false;
  const digests = digestsOf(objects);
  const found = content.manifests.flatMap(({ manifest }) => {
    const key = keyOfManifest(manifest);
    return digests.has(key) ? [digests.get(key) === manifest.metadata.annotations?.[digestAnnotation]] : [];
  });
  return found.length > 0 && found.every((same) => same);
}

/** None of its objects is there, and its actor has looked for them. */
const hasNothingOf = (key: PlacementKey, { objects, placements }: ClusterObservation): boolean =>
  !byPlacement(objects).has(key) && placements.some(({ placement }) => placementKey(placement) === key);

/** Keys of the objects of each placement. */
const byPlacement = memoize(
  (objects: ClusterObservation['objects']): ReadonlyMap<PlacementKey | undefined, string[]> => {
    const groups = Map.groupBy(objects, placementShownBy);
    return new Map([...groups].map(([key, own]) => [key, own.map(keyOfManifest)]));
  },
);

/** Keys of all objects of the snapshots of a placement. */
const namesIn = memoize(
  (snapshots: ReadonlyMap<number, readonly Manifest[]>): ReadonlySet<string> =>
    new Set([...snapshots.values()].flatMap((manifests) => manifests.flatMap(contentsOf)).map(keyOfManifest)),
);

function contentsOf(manifest: Manifest): readonly Manifest[] {
  const envelope = unpack(manifest);
  if (envelope === undefined) return [manifest];
  return envelope.ok ? envelope.manifests : [];
}

const nothing: ReadonlyMap<number, readonly Manifest[]> = new Map();

const digestsOf = memoize(
  (objects: ClusterObservation['objects']): ReadonlyMap<string, string | undefined> =>
    new Map(
      objects.map((object) => [
        objectKey({ ...object, ...object.metadata }),
        object.metadata.annotations?.[digestAnnotation],
      ]),
    ),
);

function notShown({ key, cluster }: OnCluster, index: number, { objects }: ClusterObservation): Problem {
  const isEmpty = !byPlacement(objects).has(key);
  const found = isEmpty
    ? 'has nothing of the placement, and the status branch'
    : 'does not show what the status branch';
  return (isEmpty ? notThere : unproven)(
    `placements/${key}/state.yaml`,
    `${cluster} ${found} claims: snapshot ${index} with the recorded overrides. It keeps what it has until a rollout or an update run updates it`,
  );
}

/**
 * The assignment of a withheld target: objects stay as they are. For an update run no snapshot is reported, since the run would count
 * it as its own. For a rolling update it is, so that the cluster counts as available while its objects are.
 */
export function leftAsItIs(
  assignment: PlacementAssignment,
  { contents }: Pick<PlanResult, 'contents'>,
): PlacementAssignment {
  const { digest: _d, resourceSnapshotIndex: index, ...rest } = assignment;
  const isExternal = contents.works.get(assignment.key)?.placement.spec.strategy.type === 'External';
  const shownAs = isExternal || index === undefined ? {} : { resourceSnapshotIndex: index };
  return { ...rest, ...shownAs, leaveAlone: true, remove: false, manifests: [] };
}
