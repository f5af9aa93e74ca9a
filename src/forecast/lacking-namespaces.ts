import type { ClusterName, ObjectRef, PlacementKey } from '../api/meta.ts';
import { abandons, placementKey, refOf } from '../api/placement.ts';
import type { Binding } from '../api/placement-state.ts';
import { appliedIn } from '../engine/bindings/applied-snapshot.ts';
import type { PlanContents } from '../engine/delivery/plan-contents.ts';
import { stayingOn, strategyOf } from '../engine/delivery/staying-bindings.ts';
import { nextContents } from '../engine/delivery/wanted-objects.ts';
import type { HubObject } from '../engine/input.ts';
import { memoize, memoizePair } from '../engine/kernel/memoize.ts';
import { listUpTo } from '../engine/kernel/short-list.ts';
import type { PlacementWork } from '../engine/placement-work.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlacementTarget, Plan } from '../engine/plan-document.ts';
import { listedObjects, refsIn } from '../engine/selection/listed-objects.ts';
import { describeRef } from '../engine/selection/object-key.ts';
import { isReservedNamespace } from '../engine/selection/placeable.ts';
import { placementTargets } from '../engine/target-kinds.ts';

/** An object that a placement is to apply on a cluster which lacks its Namespace: the cluster refuses it (ManifestApplyFailed). */
export interface Lacking {
  readonly target: PlacementTarget;
  readonly object: ObjectRef;
  readonly namespace: string;
  /** The repo does not have the Namespace either, and nothing shows whether others have made it there. */
  readonly isUnsure: boolean;
}

/** By the targets of a plan. A cluster on which something in the Namespace was applied has it. */
export const lackingIn = ({ plan, contents }: Pick<PlanResult, 'plan' | 'contents'>): readonly Lacking[] =>
  lackingBy(plan, contents);

const lackingBy = memoizePair((plan: Plan, contents: PlanContents): readonly Lacking[] => {
  const { works } = contents;
  const missing = missingBy(plan, contents);
  if (missing.size === 0) return [];
  const isKnown = knownIn(contents);
  return placementTargets(plan.targets).flatMap((target): Lacking[] => {
    const { clusterName, placement, remove } = target;
    const key = placementKey(placement);
    const namespaces = remove ? undefined : missing.get(key)?.get(clusterName);
    if (namespaces === undefined) return [];
    const work = works.get(key)!;
    return target.objects.flatMap((object) => {
      const { namespace } = object;
      if (namespace === undefined || !namespaces.has(namespace)) return [];
      return [{ target, object, namespace, isUnsure: !isKnown(work, clusterName, namespace) }];
    });
  });
});

/** Whether a Namespace that a cluster lacks is not there by other means either. */
function knownIn({ world }: PlanContents) {
  const inRepo = namespacesIn(world.input.fleet.resources);
  return (work: PlacementWork, cluster: ClusterName, namespace: string): boolean =>
    world.members.get(cluster)?.namespaces !== undefined ||
    inRepo.has(namespace) ||
    answerOf(stayingOn(work).get(cluster), namespace) === 'lacking';
}

/**
 * Namespaces that a cluster lacks for what a placement is to bring there later, and that no other placement is to bring there either; and
 * whether that is unsure, as of {@link Lacking}.
 */
export function lackingLater({ plan, contents }: Pick<PlanResult, 'plan' | 'contents'>) {
  const missing = missingBy(plan, contents);
  const isKnown = knownIn(contents);
  const deleted = new Set(contents.world.admitted.deleted.map(({ key }) => key));
  const applies = (work: PlacementWork, cluster: ClusterName): boolean => {
    const binding = stayingOn(work).get(cluster);
    const isLeft = binding === undefined || binding.state === 'Unscheduled';
    return (
      !isLeft && !deleted.has(placementKey(refOf(work.placement))) && strategyOf(work, cluster).type !== 'ReportDiff'
    );
  };
  const bringers = new Map<string, readonly PlacementWork[]>();
  const bringersOf = (namespace: string): readonly PlacementWork[] =>
    [...contents.works.values()].filter((work) => broughtBy(refsIn(nextContents(work))).has(namespace));
  const comes = (cluster: ClusterName, namespace: string): boolean => {
    const bringing = bringers.get(namespace) ?? bringersOf(namespace);
    bringers.set(namespace, bringing);
    return bringing.some((work) => applies(work, cluster));
  };
  return (work: PlacementWork, cluster: ClusterName): ReadonlyMap<string, { readonly isUnsure: boolean }> => {
    const names = [...(missing.get(placementKey(refOf(work.placement)))?.get(cluster) ?? [])];
    return new Map(
      names.flatMap((name) =>
        comes(cluster, name) ? [] : [[name, { isUnsure: !isKnown(work, cluster, name) }] as const],
      ),
    );
  };
}

/** Placements of which clusters may refuse something now, or once they are given it. */
export const mayLack = ({ plan, contents }: Pick<PlanResult, 'plan' | 'contents'>): ReadonlySet<PlacementKey> =>
  new Set(missingBy(plan, contents).keys());

type ByCluster = ReadonlyMap<ClusterName, ReadonlySet<string>>;

/** The Namespaces that clusters lack, by placement. */
const missingBy = memoizePair((plan: Plan, contents: PlanContents): ReadonlyMap<PlacementKey, ByCluster> => {
  const needing = needingIn(contents);
  if (needing.length === 0) return new Map();
  const present = presentIn(plan, contents, new Set(needing.flatMap(({ namespaces }) => [...namespaces])));
  const missing = new Map<PlacementKey, Map<ClusterName, ReadonlySet<string>>>();
  for (const { key, cluster, namespaces } of needing) {
    const collected = contents.world.members.get(cluster)?.namespaces;
    const lacks = [...namespaces].filter((name) => !collected?.has(name) && !present.has(`${cluster} ${name}`));
    if (lacks.length > 0) missing.set(key, (missing.get(key) ?? new Map()).set(cluster, new Set(lacks)));
  }
  return missing;
});

/**
 * Namespaces of objects that a placement does not bring with them and has not applied completely on a cluster, also before it gives the
 * cluster something. Nearly always there are none.
 */
const needingIn = ({ staying }: Pick<PlanContents, 'staying'>) =>
  staying.flatMap((work) => {
    const namespaces = neededBy(work);
    if (namespaces.size === 0) return [];
    const key = placementKey(refOf(work.placement));
    return [...stayingOn(work)].flatMap(([cluster, binding]) =>
      appliedIn(binding) === undefined && strategyOf(work, cluster).type !== 'ReportDiff'
        ? [{ key, cluster, namespaces }]
        : [],
    );
  });

/** The Namespaces among objects. */
const broughtBy = memoize(
  (objects: readonly ObjectRef[]) =>
    new Set(objects.flatMap(({ apiVersion, kind, name }) => (apiVersion === 'v1' && kind === 'Namespace' ? name : []))),
);

const namespacesIn = memoize((resources: readonly HubObject[]) =>
  broughtBy(refsIn(resources.map(({ manifest }) => manifest))),
);

const neededBy = memoize((work: PlacementWork): ReadonlySet<string> => {
  const refs = refsIn(nextContents(work));
  return usedBy([...listedObjects(work.contents).refs, ...refs]).difference(broughtBy(refs));
});

const usedBy = (refs: readonly ObjectRef[]): Set<string> =>
  new Set(
    refs.flatMap(({ namespace }) => (namespace === undefined || isReservedNamespace(namespace) ? [] : namespace)),
  );

/** Those of some Namespaces that are there, or come by this plan: `CLUSTER NAMESPACE`. */
function presentIn(plan: Plan, { works }: PlanContents, needed: ReadonlySet<string>): ReadonlySet<string> {
  const present = new Set<string>();
  for (const { placement, clusterName, objects, remove } of placementTargets(plan.targets)) {
    const names = remove ? [] : [...broughtBy(objects).intersection(needed)];
    const work = names.length === 0 ? undefined : works.get(placementKey(placement));
    if (work && strategyOf(work, clusterName).type !== 'ReportDiff')
      for (const name of names) present.add(`${clusterName} ${name}`);
  }
  for (const work of works.values()) {
    const { refs } = listedObjects(work.contents);
    const inside = [...usedBy(refs).intersection(needed)];
    const own = [...broughtBy(refs).intersection(needed)];
    if (inside.length + own.length === 0) continue;
    const stays = abandons(work.placement);
    for (const { binding } of work.bindings) {
      const isLeaving = binding.deleting === true && !stays;
      const isApplied = appliedIn(binding) !== undefined;
      for (const name of isLeaving ? [] : inside)
        if (isApplied || answerOf(binding, name) === 'present') present.add(`${binding.targetCluster} ${name}`);
      for (const name of !isLeaving && isApplied ? own : []) present.add(`${binding.targetCluster} ${name}`);
    }
  }
  return present;
}

/** What a cluster that has refused some of a placement shows of a Namespace in which the placement has objects. */
function answerOf(binding: Binding | undefined, name: string): 'lacking' | 'present' | undefined {
  const { failedPlacements = [] } = binding ?? {};
  if (failedPlacements.length === 0) return undefined;
  const text = notFoundText(name);
  const own = failedPlacements.filter(({ namespace }) => namespace === name);
  return own.some(({ condition }) => condition.message?.includes(text)) ? 'lacking' : 'present';
}

/** Message of API servers (apimachinery, NewNotFound). */
export const notFoundText = (namespace: string): string => `namespaces "${namespace}" not found`;

/** `ConfigMap shop/web needs the Namespace shop, which no placement brings there` */
export function lackingText(lacking: readonly Pick<Lacking, 'object' | 'namespace'>[]): string {
  const objects = listUpTo([...new Set(lacking.map(({ object }) => describeRef(object)))].sort(), 3);
  const names = [...new Set(lacking.map(({ namespace }) => namespace))].sort();
  const [need, namespaces] = [lacking.length === 1 ? 'needs' : 'need', names.length === 1 ? 'Namespace' : 'Namespaces'];
  return `${objects} ${need} the ${namespaces} ${listUpTo(names, 3)}, which no placement brings there`;
}
