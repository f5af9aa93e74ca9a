import { type PlacementRef, refOf } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { shortList } from '../kernel/short-list.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlannedRun } from '../plan-document.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import { isInitialized, isOver } from '../update-run.ts';

/** An External placement of which the repo asks for something that no update run brings. */
export interface NotRolledOut {
  readonly placement: PlacementRef;
  /** A clause: `the repo holds other resources than snapshot 1`. */
  readonly why: string;
}

/**
 * Under External nothing moves without a run, and a commit alone changes nothing: neither new contents nor a cluster that is
 * picked later. Undefined when the clusters run what the repo holds, or a run is still to take it.
 */
export function notRolledOut(
  work: PlacementWork,
  { runs, digest }: { readonly runs: readonly PlannedRun[]; readonly digest: PlanInput['digest'] },
): NotRolledOut | undefined {
  const { placement, selection, bindings } = work;
  if (placement.spec.strategy.type !== 'External' || !selection.ok) return undefined;
  const open = runs.filter(({ status }) => !isOver(status));
  if (open.some(({ status }) => !isInitialized(status))) return undefined;
  const latest = latestOf(work.resourceSnapshots);
  const taken = latest !== undefined && holdsSelection(latest, { selection, contents: work.contents, digest });
  const bare = bindings.flatMap(({ binding }) => (binding.state === 'Scheduled' ? [binding.targetCluster] : []));
  const why = [
    ...(taken || latest === undefined ? [] : [`the repo holds other resources than snapshot ${latest.index}`]),
    ...(open.length === 0 && bare.length > 0 ? [`nothing is on ${shortList(bare)} yet`] : []),
  ];
  return why.length === 0 ? undefined : { placement: refOf(placement), why: why.join(', and ') };
}
