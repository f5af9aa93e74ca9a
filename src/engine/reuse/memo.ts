import type { PlacementKey } from '../../api/meta.ts';
import type { PlacementOutcome } from '../delivery/placement-outcome.ts';
import type { ClusterDocuments } from '../fleet/cluster-documents.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { SortedTargets } from '../sort-targets.ts';
import type { RunsOutcome } from '../staged/placement-runs.ts';
import type { World } from '../world.ts';
import { type Reusable, reusableFrom, type Settled } from './reuse.ts';

/** What of a plan the next one need not find out again. Only `planFleet` looks into it. */
export interface PlanMemo {
  readonly reusable: Reusable;
  readonly targets: SortedTargets;
  readonly clusters: ClusterDocuments;
}

/** What a plan was made of, and what of that it took from an earlier one. */
export interface PlanParts {
  readonly world: World;
  readonly outcomes: readonly PlacementOutcome[];
  readonly runs: ReadonlyMap<PlacementKey, RunsOutcome>;
  readonly kept: ReadonlyMap<PlacementWork, Settled>;
  readonly targets: SortedTargets;
  readonly clusters: ClusterDocuments;
}

/** For the next plan of the same fleet. Not every plan has a next one, so only those that do pay for it. */
export const memoOf = ({ world, outcomes, runs, kept, targets, clusters }: PlanParts): PlanMemo => ({
  reusable: reusableFrom(world, { outcomes, runs }, ({ work }) => kept.get(work)),
  targets,
  clusters,
});
