import type { ClusterName, ObjectRef, PlacementKey } from '../api/meta.ts';
import type { ObjectOutcome, PlacementObservation } from '../api/observation.ts';
import { abandons, type PlacementRef, placementKey } from '../api/placement.ts';
import { containsForeign } from '../engine/bindings/foreign-objects.ts';
import { keeperOf, takerOf } from '../engine/delivery/handed-over.ts';
import { removalHolds, withUnremoved } from '../engine/delivery/removal-holds.ts';
import type { FleetRecord, PlanInput } from '../engine/input.ts';
import { memoize } from '../engine/kernel/memoize.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { Hold, PlacementTarget } from '../engine/plan-document.ts';
import { containersOf, contentOf } from '../engine/selection/containers.ts';
import { firstNames, foreignText, isForeignContent } from '../engine/selection/foreign-content.ts';
import { listedObjects } from '../engine/selection/listed-objects.ts';
import { describeRef, objectKey, refOfManifest } from '../engine/selection/object-key.ts';
import { placementTargets } from '../engine/target-kinds.ts';
import {
  type ForecastResult,
  type HeldByCluster,
  type HeldObject,
  heldAfter,
  heldBefore,
  type KeptObject,
} from './held-objects.ts';
import { keyOf } from './key-of.ts';

/**
 * What members answer to plans, one after the other: a Namespace or CustomResourceDefinition in which objects of another placement
 * remain, or that one leaves behind when it is abandoned, is not removed before a RemovalApproval. Nor is one of which they report that
 * now. The plan with the holds of that. Objects that no placement has are otherwise not known here.
 */
export function answeringMembers(): (planned: PlanResult) => ForecastResult {
  let shared: Shared | undefined;
  let first: PlanResult | undefined;
  let reported: readonly Answer[] | undefined;
  let before: HeldByCluster | undefined;
  const abandoned = new Set<PlacementKey>();
  const released = new Set<string>();

  /** What a target no longer has, and the cluster keeps. `after`: what is left there. */
  function keptOf(
    { clusterName: cluster, placement, objects }: PlacementTarget,
    after: HeldByCluster,
    result: PlanResult,
  ) {
    const key = placementKey(placement);
    const work = result.contents.works.get(key)!;
    const own = new Set(objects.map(objectKey));
    const was = before?.get(cluster)?.objects ?? new Map<string, HeldObject>();
    const left = after.get(cluster)?.objects ?? new Map<string, HeldObject>();
    return [...shared!.get(key)!].flatMap((object): KeptObject[] => {
      const held = was.get(object);
      const container = contentOf(object, work.contents);
      const id = `${key} ${cluster} ${object}`;
      if (held === undefined || container === undefined || placementKey(held.placement) !== key) return [];
      if (own.has(object) || left.has(object) || released.has(id)) return [];
      const on = { cluster, object };
      if ((takerOf(result.contents, work, on) ?? keeperOf(result.contents, work, on)) !== undefined) {
        released.add(id);
        return [];
      }
      const abandonedThere = [...was.values()].filter((it) => abandoned.has(placementKey(it.placement)));
      const others = [...left.values(), ...abandonedThere].filter((it) => placementKey(it.placement) !== key);
      const foreign = others.filter(
        ({ manifest }) => containersOf(refOfManifest(manifest)).includes(container) && isForeignContent(manifest),
      );
      const names = new Set(foreign.map(({ manifest }) => describeRef(refOfManifest(manifest))));
      const message = foreignText(refOfManifest(held.manifest), firstNames([...names]), names.size);
      return names.size === 0 ? [] : [{ cluster, held, message }];
    });
  }

  function keptIn(planned: PlanResult): readonly KeptObject[] {
    const { plan, contents } = planned;
    first ??= planned;
    shared ??= sharedContainers(contents.world.record);
    if (shared.size === 0) return [];
    for (const { key, placement } of contents.world.admitted.deleted)
      if (placement && abandons(placement)) abandoned.add(key);
    const letting = placementTargets(plan.targets).filter((target) => letsGo(target, shared!));
    if (letting.length === 0) return [];
    before ??= heldBefore(first);
    const clusters = new Set(letting.map(({ clusterName }) => clusterName));
    const after = heldAfter(planned, before, (_, cluster) => clusters.has(cluster));
    return letting.flatMap((target) => keptOf(target, after, planned));
  }

  return (planned) => {
    const { plan, contents } = planned;
    const { input } = contents.world;
    reported ??= reportedIn(input.observations);
    if (plan.guard.length > 0) return planned;
    const all = keptIn(planned);
    // What is observed is among the holds of the plan already.
    const answers = once([...(input.observations ? [] : reported), ...all.map(answerOf)]);
    if (answers.length === 0) return planned;
    const asked = new Set(answers.map(idOf));
    const targets = new Map(
      placementTargets(plan.targets).flatMap((target) => (asked.has(idOf(target)) ? [[idOf(target), target]] : [])),
    );
    const observations = observationsOf(answers.filter((answer) => targets.has(idOf(answer))));
    const holds = removalHolds({ ...input, recordedHolds: undefined, observations }, (clusterName, placement) =>
      targets.get(idOf({ clusterName, placement })),
    );
    const held = new Set(holds.map(heldId));
    // What is approved is removed with everything in it.
    const kept = all.filter((of) => held.has(idOf(answerOf(of))));
    return { ...planned, plan: { ...plan, holds: [...plan.holds, ...holds] }, kept };
  };
}

/** Members hold it. */
export const isForeign = ({ reason }: Hold): boolean => reason === 'ContainsForeignObjects';

/** Of the target that a removal is held of. */
export const heldId = ({ subject: { name, namespace, clusterName } }: Hold): string =>
  `${placementKey({ name, namespace })} ${clusterName}`;

/** By placement, the Namespaces and CustomResourceDefinitions that it lists, and in which another one lists something. */
type Shared = ReadonlyMap<PlacementKey, ReadonlySet<string>>;

/** Nearly always there are few, and no plan lets go of one. */
function sharedContainers({ placements }: FleetRecord): Shared {
  const inside = new Map<string, Set<PlacementKey>>();
  for (const [key, { snapshots }] of placements)
    for (const container of new Set(listedObjects(snapshots).refs.flatMap(containersOf)))
      inside.set(container, (inside.get(container) ?? new Set()).add(key));
  const shared = new Map<PlacementKey, ReadonlySet<string>>();
  for (const [key, { snapshots }] of placements) {
    const own = [...listedObjects(snapshots).keys].filter((object) => {
      const container = contentOf(object, snapshots);
      return container !== undefined && [...(inside.get(container) ?? [])].some((other) => other !== key);
    });
    if (own.length > 0) shared.set(key, new Set(own));
  }
  return shared;
}

const letsGo = ({ placement, remove, objects }: PlacementTarget, shared: Shared): boolean => {
  const containers = shared.get(keyOf(placement));
  if (containers === undefined) return false;
  return remove || !containers.isSubsetOf(keysOf(objects));
};

/** Targets with the same objects share the list of them. */
const keysOf = memoize((objects: readonly ObjectRef[]) => new Set(objects.map(objectKey)));

const idOf = ({ clusterName, placement }: Pick<PlacementTarget, 'clusterName' | 'placement'>): string =>
  `${keyOf(placement)} ${clusterName}`;

interface Answer {
  readonly clusterName: ClusterName;
  readonly placement: PlacementRef;
  readonly outcome: ObjectOutcome;
}

const answerOf = ({ cluster, held, message }: KeptObject): Answer => ({
  clusterName: cluster,
  placement: held.placement,
  outcome: { object: refOfManifest(held.manifest), result: 'ContainsForeignObjects', message },
});

/** The first of those of one object. */
const once = (answers: readonly Answer[]): Answer[] =>
  [
    ...new Map(answers.toReversed().map((of) => [`${idOf(of)} ${objectKey(of.outcome.object)}`, of])).values(),
  ].reverse();

/** What members report now. When it ends without an approval is not known. */
const reportedIn = (observations: PlanInput['observations']): readonly Answer[] =>
  [...(observations ?? [])].flatMap(([clusterName, { placements }]) =>
    withUnremoved(placements).flatMap(({ placement, results }) =>
      results.filter(containsForeign).map((outcome) => ({ clusterName, placement, outcome })),
    ),
  );

const observationsOf = (
  answers: readonly Answer[],
): ReadonlyMap<ClusterName, { readonly placements: PlacementObservation[] }> =>
  new Map(
    [...Map.groupBy(answers, ({ clusterName }) => clusterName)].map(([name, on]) => [
      name,
      {
        placements: [...Map.groupBy(on, ({ placement }) => keyOf(placement)).values()].map((of) => ({
          placement: of[0]!.placement,
          done: true,
          results: of.map(({ outcome }) => outcome),
        })),
      },
    ]),
  );
