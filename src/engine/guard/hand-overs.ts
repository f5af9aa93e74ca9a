import type { ClusterName, PlacementKey } from '../../api/meta.ts';
import { type ApplyStrategy, placementKey } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import type { Plan, PlannedBinding } from '../plan-document.ts';
import { bindingReader, type Compared, snapshotReader } from './comparison.ts';
import type { Removal } from './removals.ts';
import { nameOf, objectsOf } from './snapshot-objects.ts';

/**
 * Whether an object stays on its cluster because another placement there takes it over: by its target of now, or by its
 * latest snapshot once its rollout comes there. Where that cannot be told from the documents alone it counts as removed:
 * an approval too many costs less than one too few.
 */
export function handOvers(input: PlanInput, plan: Plan, compared: readonly Compared[]): (removal: Removal) => boolean {
  // Most plans remove nothing, and a large fleet has a million targets.
  let takers: readonly Taker[] | undefined;
  return ({ clusterName, placement, object }) => {
    takers ??= takersOf(input, plan, compared);
    return takers.some(({ key, asksFor }) => key !== placement && asksFor(clusterName, object));
  };
}

interface Taker {
  readonly key: PlacementKey;
  readonly asksFor: (cluster: ClusterName, object: string) => boolean;
}

function takersOf(input: PlanInput, plan: Plan, compared: readonly Compared[]): Taker[] {
  const contentsOf = snapshotReader(input, plan);
  const bindingOf = bindingReader(plan);
  // Whose objects an override may leave out, somewhere, is not worked out here.
  const isWhole = !input.fleet.overrides.some(({ spec }) =>
    spec.policy.overrideRules.some(({ overrideType }) => overrideType === 'Delete'),
  );
  const strategies = new Map(compared.map(({ key, placement }) => [key, placement?.spec.strategy]));
  const targets = Map.groupBy(
    plan.targets.filter(({ remove }) => !remove),
    ({ placement }) => placementKey(placement),
  );
  return plan.placements.flatMap((placement): Taker[] => {
    const key = placementKey(placement);
    const strategy = strategies.get(key);
    if (!strategy || !takesOver(strategy.applyStrategy)) return [];
    const stays = new Set(placement.bindings.filter(staysPicked).map(({ clusterName }) => clusterName));
    const now = new Map(
      targets
        .get(key)
        ?.map(({ clusterName, objects }) => [
          clusterName,
          new Set(objects.map((ref) => nameOf(ref.apiVersion, ref.kind, ref.namespace, ref.name))),
        ]),
    );
    const rolls = strategy.type === 'RollingUpdate' && isWhole;
    const next = new Set(rolls ? objectsOf(contentsOf(key, placement.resourceSnapshotIndex)) : []);
    return [
      {
        key,
        asksFor: (cluster, object) =>
          stays.has(cluster) &&
          takesOver(bindingOf(key, cluster)?.applyStrategy ?? strategy.applyStrategy) &&
          (next.has(object) || (now.get(cluster)?.has(object) ?? false)),
      },
    ];
  });
}

const staysPicked = ({ state, move }: PlannedBinding): boolean => state !== 'Unscheduled' && move !== 'remove';

const takesOver = ({ type, whenToTakeOver }: ApplyStrategy): boolean =>
  type !== 'ReportDiff' && whenToTakeOver !== 'Never';
