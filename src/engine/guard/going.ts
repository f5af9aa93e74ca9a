import type { Manifest, ObjectRef, PlacementKey } from '../../api/meta.ts';
import { placementKey } from '../../api/placement.ts';
import type { Binding } from '../../api/placement-state.ts';
import type { PlanInput } from '../input.ts';
import { onceFor } from '../kernel/once-for.ts';
import type { GuardFinding, Plan } from '../plan-document.ts';
import { leavingReader } from './comparison.ts';
import { nameOf } from './snapshot-objects.ts';
import { membersThatStay } from './staying-members.ts';

/**
 * A removal under way is not forgotten: either it goes on, or a whole look at the member shows nothing of the placement but
 * what its target there lists.
 */
export function removalsGoOn(input: PlanInput, plan: Plan): GuardFinding[] {
  const ended = endedBy(input, plan);
  if (ended.length === 0) return [];
  const keys = new Set(ended.map(({ key }) => key));
  const asked = new Map<string, readonly ObjectRef[]>();
  for (const { clusterName, placement, remove, objects } of plan.targets) {
    const key = placementKey(placement);
    if (!remove && keys.has(key)) asked.set(`${clusterName} ${key}`, objects);
  }
  return ended.flatMap(({ key, binding }): GuardFinding[] => {
    const { targetCluster } = binding;
    const left = leftOf(key, binding, { input, asked: asked.get(`${targetCluster} ${key}`) ?? [] });
    if (left === undefined) return [];
    return [
      {
        rule: 'removal-forgotten',
        message: `the removal of placement ${key} from ${targetCluster} would be over, but ${left}`,
      },
    ];
  });
}

interface Ended {
  readonly key: PlacementKey;
  readonly binding: Binding;
}

/** Bindings on their way out of members that stay, of which the plan knows no more. */
function endedBy(input: PlanInput, plan: Plan): readonly Ended[] {
  const stays = membersThatStay(input);
  const isLeaving = leavingReader(plan);
  return [...input.record.placements].flatMap(([key, { state }]) =>
    goingIn(state.bindings)
      .filter(({ targetCluster }) => stays.has(targetCluster) && !isLeaving(key, targetCluster))
      .map((binding) => ({ key, binding })),
  );
}

const goingIn = onceFor((bindings: readonly Binding[]) => bindings.filter(({ deleting }) => deleting));

/** What speaks against its removal being over. */
function leftOf(
  key: PlacementKey,
  { targetCluster, resourceSnapshotIndex, state, previousState }: Binding,
  { input, asked }: { readonly input: PlanInput; readonly asked: readonly ObjectRef[] },
): string | undefined {
  const seen = input.observations?.get(targetCluster);
  // Nothing is removed where nothing was given: what is there all the same was there before.
  if (resourceSnapshotIndex === undefined && state !== 'Bound' && previousState !== 'Bound') return undefined;
  if (!seen?.reachable || !seen.complete) return 'nothing shows what is left there';
  const kept = new Set(asked.map((ref) => named(ref.apiVersion, ref.kind, ref)));
  const left = seen.objects
    .filter(({ metadata }) => metadata.labels?.['gitfleet.dev/placement'] === key)
    .map(({ apiVersion, kind, metadata }) => named(apiVersion, kind, metadata))
    .find((name) => !kept.has(name));
  return left && `${left} is still there`;
}

/** An object is one in whatever version it is asked for. */
const named = (
  apiVersion: string,
  kind: string,
  { namespace, name }: Pick<Manifest['metadata'], 'namespace' | 'name'>,
) => nameOf(apiVersion.replace(/\/?[^/]+$/, ''), kind, namespace, name);
