import type { ClusterName } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import type { ClusterDecision } from '../../api/placement-state.ts';
import type { PlanInput } from '../../engine/input.ts';
import type { Plan, PlannedPlacement } from '../../engine/plan-document.ts';
import { countText, isShorter, type Shortage, shortagesOf } from '../../report/shortage.ts';
import { explainer } from '../explain/clusters.ts';
import { type Change, sentence } from './changes.ts';

/** Effect of the changes: the plan with them compared with the plan without. Lists by name. */
export interface WhatIf {
  /** What is supposed, one sentence each. */
  readonly changes: readonly string[];
  /** Placements that the changes affect. */
  readonly placements: readonly PlacementOutcome[];
}

export interface PlacementOutcome extends PlacementRef {
  /** Clusters that would be added or removed, and those that would no longer be added. */
  readonly moves: readonly ClusterMove[];
  /** Changed clusters that keep it, although some of them would not be picked any more. */
  readonly stays: readonly ClusterStay[];
  /** Present when more clusters would be missing than now, and none can replace them. */
  readonly noLongerFits?: {
    readonly message: string;
    readonly unfit: readonly { readonly clusterName: ClusterName; readonly reason: string }[];
  };
  /** Present when the policy was not fulfilled and would be. */
  readonly fitsNow?: string;
}

export interface ClusterMove {
  readonly clusterName: ClusterName;
  /** `released`: its objects stay there. `notAdded`: it is not there yet, and would be added without the changes. */
  readonly to: 'added' | 'removed' | 'released' | 'notAdded';
  readonly reason: string;
  readonly clusterScore?: ClusterDecision['clusterScore'];
}

export interface ClusterStay {
  readonly clusterName: ClusterName;
  /** Why it would not be picked again; absent when it would. */
  readonly unfit?: string;
}

/** Compares the plan with the changes to the one without them, and explains what differs. */
export function compare(of: {
  readonly before: Plan;
  readonly after: Plan;
  /** What `after` was planned from. */
  readonly input: PlanInput;
  readonly changes: readonly Change[];
}): WhatIf {
  const before = new Map(of.before.placements.map((placement) => [placementKey(placement), placement]));
  const shortagesBefore = shortagesOf(of.before);
  const shortages = shortagesOf(of.after);
  const explained = explainer({ input: of.input, plan: of.after });
  const touched = new Set(of.changes.map(({ cluster }) => cluster));
  const present = new Set(explained.clusters);
  const outcomes = of.after.placements.map((next): PlacementOutcome => {
    const was = before.get(placementKey(next));
    const held = clustersOf(was);
    const there = clustersWith(was);
    const holds = clustersOf(next);
    const { kind, name, namespace } = next;
    return {
      kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      moves: [
        ...[...holds].filter((cluster) => !held.has(cluster)).map((cluster) => move(next, cluster, 'added')),
        ...[...held]
          .filter((cluster) => !holds.has(cluster))
          .map((cluster) => {
            const isThere = there.has(cluster);
            if (!present.has(cluster)) return gone(cluster, isThere);
            return move(next, cluster, isThere ? 'removed' : 'notAdded');
          }),
      ].sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1)),
      stays: [...holds]
        .filter((cluster) => held.has(cluster) && touched.has(cluster))
        .sort()
        .map((cluster) => stay(cluster, explained.of(next, cluster)[0]?.filters ?? [])),
      ...scheduling(was, next, {
        before: shortagesBefore.get(placementKey(next)),
        after: shortages.get(placementKey(next)),
      }),
    };
  });
  return { changes: of.changes.map(sentence), placements: outcomes.filter(isTouched) };
}

/** Clusters that hold the placement once everything planned has happened. */
const clustersOf = (placement: PlannedPlacement | undefined): Set<ClusterName> =>
  new Set(
    placement?.bindings.flatMap(({ clusterName, state, move }) =>
      state === 'Unscheduled' || move === 'remove' ? [] : [clusterName],
    ),
  );

/** Clusters that have something of the placement already. */
const clustersWith = (placement: PlannedPlacement | undefined): Set<ClusterName> =>
  new Set(
    placement?.bindings.flatMap(({ clusterName, state, move }) =>
      state === 'Bound' && move !== 'add' ? [clusterName] : [],
    ),
  );

function move({ decisions }: PlannedPlacement, clusterName: ClusterName, to: ClusterMove['to']): ClusterMove {
  const decision = decisions.find((candidate) => candidate.clusterName === clusterName);
  return {
    clusterName,
    to,
    reason: decision?.reason ?? 'the policy does not list it',
    ...(decision?.clusterScore ? { clusterScore: decision.clusterScore } : {}),
  };
}

const gone = (clusterName: ClusterName, isThere: boolean): ClusterMove => ({
  clusterName,
  to: isThere ? 'released' : 'notAdded',
  reason: `the cluster is not in the fleet${isThere ? ', and keeps its objects' : ''}`,
});

/** Filters about one more copy; they do not count against a copy that is there. */
const aboutOneMore: ReadonlySet<string> = new Set(['SamePlacementAntiAffinity', 'TopologySpreadConstraints']);

function stay(
  clusterName: ClusterName,
  filters: readonly { readonly plugin: string; readonly passed: boolean; readonly reason?: string }[],
): ClusterStay {
  const failed = filters.filter(({ plugin, passed }) => !passed && !aboutOneMore.has(plugin));
  return failed.length === 0 ? { clusterName } : { clusterName, unfit: failed.map(({ reason }) => reason).join('; ') };
}

function scheduling(
  was: PlannedPlacement | undefined,
  next: PlannedPlacement,
  short: { readonly before: Shortage | undefined; readonly after: Shortage | undefined },
): Pick<PlacementOutcome, 'noLongerFits' | 'fitsNow'> {
  const fitted = was?.scheduled.status === 'True';
  const fits = next.scheduled.status === 'True';
  const { before, after } = short;
  const message = after ? countText(after) : (next.scheduled.message ?? next.scheduled.reason);
  if (fitted === fits && !isShorter(after, before)) return {};
  if (fits) return { fitsNow: message };
  const unfit = next.decisions.flatMap(({ clusterName, selected, reason }) =>
    selected ? [] : [{ clusterName, reason }],
  );
  return { noLongerFits: { message, unfit } };
}

const isTouched = ({ moves, stays, noLongerFits, fitsNow }: PlacementOutcome): boolean =>
  moves.length > 0 || stays.length > 0 || noLongerFits !== undefined || fitsNow !== undefined;
