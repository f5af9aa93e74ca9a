import { type PlacementRef, refOf } from '../../api/placement.ts';
import type { PlanInput } from '../input.ts';
import { latestOf } from '../kernel/latest-of.ts';
import { shortList } from '../kernel/short-list.ts';
import type { PlacementWork } from '../placement-work.ts';
import type { PlannedRun } from '../plan-document.ts';
import { holdsSelection } from '../selection/snapshot.ts';
import { isInitialized, isOver } from '../update-run.ts';

/** An External placement with changes in the repo that no update run rolls out. */
export interface NotRolledOut {
  readonly placement: PlacementRef;
  /** A clause: `the repo holds other resources than snapshot 1`. */
  readonly why: string;
}

/**
 * Under External nothing is rolled out without a run: neither new contents nor a newly selected cluster. Undefined when the
 * clusters run what the repo holds, or a run that is not initialized yet will take it.
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
  const unbound = bindings.flatMap(({ binding }) => (binding.state === 'Scheduled' ? [binding.targetCluster] : []));
  const why = [
    ...(taken || latest === undefined ? [] : [`the repo holds other resources than snapshot ${latest.index}`]),
    ...(open.length === 0 && unbound.length > 0 ? [`nothing is deployed to ${shortList(unbound)} yet`] : []),
  ];
  return why.length === 0 ? undefined : { placement: refOf(placement), why: why.join(', and ') };
}
