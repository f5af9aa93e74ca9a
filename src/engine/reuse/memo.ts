import type { PlacementKey } from '../../api/meta.ts';
import type { PlacementOutcome } from '../delivery/placement-outcome.ts';
import type { ClusterDocuments } from '../fleet/cluster-documents.ts';
import type { PlannedMember, PlannedMembers } from '../nodes/reused-plan.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { SortedTargets } from '../sort-targets.ts';
import type { RunsOutcome } from '../staged/placement-runs.ts';
import type { World } from '../world.ts';
import { type Reusable, reusableFrom, type Settled } from './reuse.ts';

/** Results of a plan that the next plan of the same fleet may reuse. Only `planFleet` reads it. */
export interface PlanMemo {
  readonly reusable: Reusable;
  readonly targets: SortedTargets;
  readonly clusters: ClusterDocuments;
  readonly nodes: PlannedMembers;
}

/** Intermediate results of a plan; `kept` are those of an earlier plan. */
export interface PlanParts {
  readonly world: World;
  readonly outcomes: readonly PlacementOutcome[];
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly kept: ReadonlyMap<PlacementWork, Settled>;
  readonly targets: SortedTargets;
  readonly clusters: ClusterDocuments;
  readonly nodes: readonly PlannedMember[];
}

/** Built on demand, since not every plan has a next one. */
export const memoOf = ({ world, outcomes, runs, kept, targets, clusters, nodes }: PlanParts): PlanMemo => ({
  reusable: reusableFrom(world, { outcomes, runs }, ({ work }) => kept.get(work)),
  targets,
  clusters,
  nodes: { world, planned: nodes },
});
