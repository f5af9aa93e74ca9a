import type { ClusterName } from '../api/meta.ts';
import { type PlacementRef, placementKey, refOf } from '../api/placement.ts';
import { findCondition } from '../engine/kernel/condition.ts';
import type { Rendered } from '../engine/overrides/render.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { PlannedBinding } from '../engine/plan-document.ts';
import type { HeldByCluster } from './held-objects.ts';
import { lackingIn } from './lacking-namespaces.ts';
import { type Refused, refusedIn, refusedText } from './refused-objects.ts';

/**
 * Clusters that do not get what a change brings, since an override fails there, an envelope cannot be unpacked, another placement has
 * some of it, or they lack the Namespace of some of it.
 */
export interface FailingClusters {
  readonly placement: PlacementRef;
  readonly clusters: readonly ClusterName[];
  /** `an override fails: …` */
  readonly why: string;
  /** They have nothing of the placement. The others keep what they have. */
  readonly isNew: boolean;
  /** They get the rest of it. */
  readonly isPart?: boolean;
  /** They do get it if they have the Namespace that `why` names by other means, which is not known. */
  readonly isUnsure?: true;
  /** Only an update run would bring it to them. */
  readonly needsRun: boolean;
}

export type FailingCluster = Omit<FailingClusters, 'clusters'> & { readonly cluster: ClusterName };

export const faultOf = ({ reason, message }: Pick<Extract<Rendered, { readonly ok: false }>, 'reason' | 'message'>) =>
  reason === 'OverriddenFailed' ? `an override fails: ${message}` : message;

/**
 * `without`, `way`: the plans until everything has settled, without the change and with it. `before`: what clusters have now. What may not
 * be applied counts as applied at the end, and is known from the way there.
 */
export function failingByChange(
  without: readonly PlanResult[],
  way: readonly PlanResult[],
  before: HeldByCluster,
): FailingCluster[] {
  const failuresOf = (results: readonly PlanResult[]): Failure[] => [
    ...failuresIn(results.at(-1)!),
    ...new Map(results.flatMap(unsureIn).map((of) => [idOf(of), of])).values(),
  ];
  const known = new Set(failuresOf(without).map(idOf));
  return failuresOf(way)
    .filter((failure) => !known.has(idOf(failure)))
    .map(({ placement, cluster, why, isPart, isUnsure }) => {
      const isNew = before.get(cluster)?.placements.has(placementKey(placement)) !== true;
      // What else it had there it loses.
      const hasRest = isPart === true || (isPart === false && !isNew);
      const how = { isNew, ...(hasRest && { isPart: true }), ...(isUnsure && { isUnsure }) };
      return { placement, cluster, why, ...how, needsRun: false };
    });
}

type Failure = Pick<FailingCluster, 'placement' | 'cluster' | 'why'> & {
  /** Of what the cluster refuses: whether it gets others of its objects. */
  readonly isPart?: boolean;
  readonly isUnsure?: true;
};

const idOf = ({ placement, cluster, why }: Failure): string => `${placementKey(placement)} ${cluster} ${why}`;

const failuresIn = (result: PlanResult): Failure[] => [...unrenderedIn(result), ...byTarget(refusedIn(result))];

const unsureIn = (result: PlanResult): Failure[] =>
  byTarget(lackingIn(result).filter(({ isUnsure }) => isUnsure)).map((of) => ({ ...of, isUnsure: true }));

const byTarget = (refused: readonly Refused[]): Failure[] =>
  [...Map.groupBy(refused, ({ target }) => target)].map(([target, of]) => ({
    placement: target.placement,
    cluster: target.clusterName,
    why: refusedText(of),
    isPart: of.length < target.objects.length,
  }));

const unrenderedIn = ({ plan, contents }: PlanResult): Failure[] =>
  plan.placements.flatMap(({ bindings, ...of }) => {
    const work = contents.works.get(placementKey(of));
    return bindings.flatMap((binding): Failure[] => {
      const why = binding.move === 'remove' ? undefined : faultOn(binding);
      return why === undefined || !work
        ? []
        : [{ placement: refOf(work.placement), cluster: binding.clusterName, why }];
    });
  });

/** Why it does not get what it is to have. */
export function faultOn({ conditions }: Pick<PlannedBinding, 'conditions'>): string | undefined {
  for (const [type, reason] of [
    ['Overridden', 'OverriddenFailed'],
    ['WorkSynchronized', 'SyncWorkFailed'],
  ] as const) {
    const found = findCondition(conditions, type);
    if (found?.status === 'False' && found.reason === reason) return faultOf({ reason, message: found.message ?? '' });
  }
  return undefined;
}

/** Those that fail alike are one. */
export const together = (failing: readonly FailingCluster[]): FailingClusters[] =>
  [...Map.groupBy(failing, ({ cluster: _, ...of }) => JSON.stringify(of)).values()].map((alike) => {
    const { cluster: _, ...of } = alike[0]!;
    return { ...of, clusters: [...new Set(alike.map(({ cluster }) => cluster))].sort() };
  });
