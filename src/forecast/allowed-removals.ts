import type { RemovalApproval } from '../api/gitfleet.ts';
import { placementKey } from '../api/placement.ts';
import type { PlanResult } from '../engine/plan.ts';
import type { GuardFinding, Hold, Plan } from '../engine/plan-document.ts';
import { type HeldByCluster, heldAfter, heldBefore, heldWhere } from './held-objects.ts';
import { compared, type Leaving, type ObjectChanges } from './object-changes.ts';
import type { InSteps } from './steps.ts';

/** What a RemovalApproval lets happen that is refused or held without it. */
export interface AllowedRemoval extends ObjectChanges {
  readonly approval: string;
  /** By which everything is refused now. */
  readonly guard: readonly GuardFinding[];
  /** What is held now. */
  readonly holds: readonly Hold[];
}

/** `asked`: the plan now, without the approvals. `first`, `settled`: the plans between which it happens. */
export function* allowedRemovals(
  approvals: readonly RemovalApproval[],
  {
    asked,
    first,
    settled,
    leaving,
  }: {
    readonly asked: Plan;
    readonly first: PlanResult;
    readonly settled: PlanResult;
    readonly leaving: Leaving;
  },
): InSteps<readonly AllowedRemoval[]> {
  const allowed: AllowedRemoval[] = [];
  for (const { metadata, spec } of approvals) {
    const isAnswered = (of: { readonly removalDigest?: string }): boolean => of.removalDigest === spec.removalDigest;
    const guard = asked.guard.filter(isAnswered);
    const holds = asked.holds.filter(isAnswered);
    if (guard.length + holds.length === 0) continue;
    const before = withoutLeft(heldBefore(first), first);
    const after = heldAfter(settled, before);
    // A refused plan is refused as a whole.
    const only = (held: HeldByCluster): HeldByCluster => (guard.length > 0 ? held : heldByHolds(held, holds));
    allowed.push({
      approval: placementKey(metadata),
      guard,
      holds,
      ...(yield* compared(only(before), only(after), leaving)),
    });
  }
  return allowed;
}

/** Clusters that left before are not part of it, though an update run may still have to forget them. */
function withoutLeft(held: HeldByCluster, { contents: { world } }: PlanResult): HeldByCluster {
  const { clusters } = world.record;
  return clusters.size === 0 ? held : heldWhere(held, (_, cluster) => clusters.has(cluster));
}

const heldByHolds = (held: HeldByCluster, holds: readonly Hold[]): HeldByCluster =>
  new Map(
    [...held].flatMap(([cluster, { objects, placements }]) => {
      const keys = new Set(
        holds.flatMap(({ subject }) => (subject.clusterName === cluster ? [placementKey(subject)] : [])),
      );
      const only = {
        objects: new Map([...objects].filter(([, { placement }]) => keys.has(placementKey(placement)))),
        placements: new Map([...placements].filter(([key]) => keys.has(key))),
      };
      return keys.size === 0 ? [] : [[cluster, only]];
    }),
  );
