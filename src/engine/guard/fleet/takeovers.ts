import type { ClusterName, ObjectRef, PlacementKey } from '../../../api/meta.ts';
import { type ApplyStrategy, type Placement, placementKey } from '../../../api/placement.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { Removal } from '../../kernel/removal-digest.ts';
import type { PlacementTarget, Plan, PlannedBinding, PlannedPlacement } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { bindingReader, snapshotReader } from '../evidence/planned-record.ts';
import { nameOf, objectsOf } from '../evidence/snapshot-objects.ts';
import { selectedByName } from './selected-by-name.ts';

/**
 * Whether an object stays on its cluster because another placement there takes it over: by its current target, or by what its
 * rollout or next run will apply there. A Namespace stays for what another placement has in it by its current target. If the documents
 * alone do not show it, it counts as removed: an unnecessary approval costs less than a missing one.
 */
export function takeovers(evidence: Evidence): (removal: Removal) => boolean {
  // Most plans remove nothing, most of what is removed is in one placement, and a large fleet has a million targets.
  let takers: ReadonlyMap<string, readonly Taker[]> | undefined;
  let targets: ReadonlyMap<PlacementKey, ReadonlyMap<ClusterName, PlacementTarget>> | undefined;
  const bindingOf = lazily(() => bindingReader(evidence.plan));
  const needed = lazily(() => neededNamespaces(evidence));
  return ({ clusterName, placement, object }) => {
    takers ??= takersOf(evidence);
    const isTaken = (takers.get(object) ?? []).some((taker) => {
      if (taker.key === placement || !taker.stays.has(clusterName)) return false;
      const given = bindingOf()(taker.key, clusterName)?.applyStrategy;
      if (given && !takesOver(given)) return false;
      if (taker.next.has(object)) return true;
      targets ??= targetsByPlacement(evidence.plan);
      const target = targets.get(taker.key)?.get(clusterName);
      return target !== undefined && !target.remove && namesOf(target.objects).has(object);
    });
    if (isTaken || !object.startsWith(namespacePrefix)) return isTaken;
    const users = needed().get(`${clusterName} ${object.slice(namespacePrefix.length)}`) ?? [];
    return users.some(
      (user) => user !== placement && bindingOf()(user, clusterName)?.applyStrategy?.type !== 'ReportDiff',
    );
  };
}

const namespacePrefix = nameOf('v1', 'Namespace', undefined, '');

/** Placements that apply objects in a namespace on a cluster, by `CLUSTER NAMESPACE`: not those that bring the Namespace too. */
function neededNamespaces({ plan, changes }: Evidence): ReadonlyMap<string, readonly PlacementKey[]> {
  const applying = new Set(
    changes.flatMap(({ key, placement }) =>
      placement && placement.spec.strategy.applyStrategy.type !== 'ReportDiff' ? [key] : [],
    ),
  );
  const stays = new Set(
    plan.placements.flatMap((planned) =>
      planned.bindings.filter(staysPicked).map(({ clusterName }) => `${placementKey(planned)} ${clusterName}`),
    ),
  );
  const users = new Map<string, PlacementKey[]>();
  for (const { clusterName, placement, remove, objects } of placementTargets(plan.targets)) {
    const key = placementKey(placement);
    if (remove || !applying.has(key) || !stays.has(`${key} ${clusterName}`)) continue;
    for (const namespace of neededBy(objects)) {
      const id = `${clusterName} ${namespace}`;
      users.set(id, [...(users.get(id) ?? []), key]);
    }
  }
  return users;
}

/** Namespaces of objects that are not among the objects themselves. */
const neededBy = memoize((objects: readonly ObjectRef[]): ReadonlySet<string> => {
  const brought = namesOf(objects);
  const namespaces = new Set(objects.flatMap(({ namespace }) => namespace ?? []));
  return new Set([...namespaces].filter((namespace) => !brought.has(`${namespacePrefix}${namespace}`)));
});

interface Taker {
  readonly key: PlacementKey;
  /** Clusters that it is assigned to. */
  readonly stays: ReadonlySet<ClusterName>;
  /** Its objects on every cluster after its rollout. */
  readonly next: ReadonlySet<string>;
}

/** Placements that take over existing objects, by the objects that any of their snapshots in use lists, or the next one will. */
function takersOf(evidence: Evidence): ReadonlyMap<string, readonly Taker[]> {
  const contentsOf = snapshotReader(evidence);
  // A placement with overrides may leave objects out on some cluster, so it does not count.
  const isWhole = !evidence.fleet.overrides.some(({ spec }) =>
    spec.policy.overrideRules.some(({ overrideType }) => overrideType === 'Delete'),
  );
  const placements = new Map(evidence.changes.map(({ key, placement }) => [key, placement]));
  const takers = new Map<string, Taker[]>();
  for (const planned of evidence.plan.placements) {
    const key = placementKey(planned);
    const placement = placements.get(key);
    if (!placement || !takesOver(placement.spec.strategy.applyStrategy)) continue;
    const taker: Taker = {
      key,
      stays: new Set(planned.bindings.filter(staysPicked).map(({ clusterName }) => clusterName)),
      next: new Set(isWhole ? nextOf(planned, placement, { evidence, contentsOf }) : []),
    };
    const listed = indexesOf(planned).flatMap((index) => objectsOf(contentsOf(key, index)));
    for (const object of new Set([...listed, ...taker.next])) {
      const others = takers.get(object);
      if (others) others.push(taker);
      else takers.set(object, [taker]);
    }
  }
  return takers;
}

/** Under External a run uses the selection of its start. */
function nextOf(
  planned: PlannedPlacement,
  placement: Placement,
  { evidence, contentsOf }: { readonly evidence: Evidence; readonly contentsOf: ReturnType<typeof snapshotReader> },
): readonly string[] {
  if (planned.scheduled.reason === 'InvalidResourceSelectors') return [];
  return placement.spec.strategy.type === 'External'
    ? selectedByName(evidence.fleet.resources, placement)
    : objectsOf(contentsOf(placementKey(planned), planned.resourceSnapshotIndex));
}

const indexesOf = ({ resourceSnapshotIndex, bindings }: PlannedPlacement): readonly (number | undefined)[] => [
  ...new Set([resourceSnapshotIndex, ...bindings.map((binding) => binding.resourceSnapshotIndex)]),
];

function targetsByPlacement({ targets }: Plan): ReadonlyMap<PlacementKey, ReadonlyMap<ClusterName, PlacementTarget>> {
  const grouped = Map.groupBy(placementTargets(targets), ({ placement }) => placementKey(placement));
  return new Map(
    [...grouped].map(([key, group]) => [key, new Map(group.map((target) => [target.clusterName, target]))]),
  );
}

/** Clusters that get the same share one list. */
const namesOf = memoize(
  (objects: readonly ObjectRef[]): ReadonlySet<string> =>
    new Set(objects.map((ref) => nameOf(ref.apiVersion, ref.kind, ref.namespace, ref.name))),
);

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const staysPicked = ({ state, move }: PlannedBinding): boolean => state !== 'Unscheduled' && move !== 'remove';

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';
