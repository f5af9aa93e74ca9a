import type { Manifest, ObjectRef, PlacementKey } from '../../../api/meta.ts';
import type { ClusterObservation } from '../../../api/observation.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Binding } from '../../../api/placement-state.ts';
import { memoize } from '../../kernel/memoize.ts';
import type { GuardFinding } from '../../plan-document.ts';
import { placementTargets } from '../../target-kinds.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { membersThatStay } from '../evidence/members.ts';
import { leavingReader } from '../evidence/planned-record.ts';
import { nameOf, placementOf } from '../evidence/snapshot-objects.ts';

/**
 * A removal continues until a complete observation of the member shows no objects of the placement except those that its target
 * there lists.
 */
export function unfinishedRemovals(evidence: Evidence): GuardFinding[] {
  const { plan, observations } = evidence;
  const ended = endedBy(evidence);
  if (ended.length === 0) return [];
  const keys = new Set(ended.map(({ key }) => key));
  const asked = new Map<string, readonly ObjectRef[]>();
  for (const { clusterName, placement, remove, objects } of placementTargets(plan.targets)) {
    const key = placementKey(placement);
    if (!remove && keys.has(key)) asked.set(`${clusterName} ${key}`, objects);
  }
  return ended.flatMap(({ key, binding }): GuardFinding[] => {
    const { targetCluster } = binding;
    const left = leftOf(key, binding, {
      seen: observations?.get(targetCluster),
      asked: asked.get(`${targetCluster} ${key}`) ?? [],
    });
    if (left === undefined) return [];
    return [
      {
        rule: 'removal-forgotten',
        message: `the removal of placement ${key} from ${targetCluster} would end, but ${left}`,
      },
    ];
  });
}

interface Ended {
  readonly key: PlacementKey;
  readonly binding: Binding;
}

/** Bindings that were being removed from members that stay, and that the plan no longer has. */
function endedBy(evidence: Evidence): readonly Ended[] {
  const stays = membersThatStay(evidence);
  const isLeaving = leavingReader(evidence.plan);
  return [...evidence.record.placements].flatMap(([key, { state }]) =>
    leavingIn(state.bindings)
      .filter(({ targetCluster }) => stays.has(targetCluster) && !isLeaving(key, targetCluster))
      .map((binding) => ({ key, binding })),
  );
}

const leavingIn = memoize((bindings: readonly Binding[]) => bindings.filter(({ deleting }) => deleting));

/** Why its removal has not ended. */
function leftOf(
  key: PlacementKey,
  { resourceSnapshotIndex, state, previousState }: Binding,
  { seen, asked }: { readonly seen: ClusterObservation | undefined; readonly asked: readonly ObjectRef[] },
): string | undefined {
  // If nothing was applied, nothing is removed: existing objects were there before.
  if (resourceSnapshotIndex === undefined && state !== 'Bound' && previousState !== 'Bound') return undefined;
  if (!seen?.reachable || !seen.complete) return 'it is unknown what remains there';
  const kept = new Set(asked.map((ref) => named(ref.apiVersion, ref.kind, ref)));
  const left = seen.objects
    .filter((object) => placementOf(object) === key)
    .map(({ apiVersion, kind, metadata }) => named(apiVersion, kind, metadata))
    .find((name) => !kept.has(name));
  return left && `${left} still exists`;
}

/** The same object in another API version has the same key. */
const named = (
  apiVersion: string,
  kind: string,
  { namespace, name }: Pick<Manifest['metadata'], 'namespace' | 'name'>,
) => nameOf(apiVersion.replace(/\/?[^/]+$/, ''), kind, namespace, name);
