import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import type { Hold, PlannedPlacement } from '../../engine/plan-document.ts';
import { positionText } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { holdsOf } from '../../report/holds-of.ts';

/** What may keep a cluster back. */
interface Keeping {
  readonly holds: readonly Hold[];
  readonly runs: readonly StagedUpdateRun[];
}

/**
 * One line for every reason why a cluster keeps what it has of some placements: what is printed of them is not what the files
 * ask for, and a freeze or a budget is easily taken for a change that was lost.
 */
export function keptBack(cluster: string, placements: readonly PlannedPlacement[], keeping: Keeping): string[] {
  const waiting = placements.flatMap((placement) => {
    const binding = placement.bindings.find(({ clusterName }) => clusterName === cluster);
    const why = binding?.move === 'wait' ? waitsFor(cluster, placement, keeping) : undefined;
    return why === undefined ? [] : [{ title: titleOf(placement), why }];
  });
  return [...Map.groupBy(waiting, ({ why }) => why)].map(
    ([why, of]) => `${shortList(of.map(({ title }) => title))} on ${cluster} stays as it is for now: ${why}`,
  );
}

/** One line where files are not as they should be: what is printed is without them, or as they were before. */
export function leftOut(problems: readonly Problem[]): string[] {
  const places = problems.filter(({ severity }) => severity === 'error').map(positionText);
  return places.length === 0 ? [] : [`these files cannot be used and are left out: ${shortList(places)}`];
}

/** What the binding on a cluster waits for: what holds it, its update run where a freeze stops that, or what it says itself. */
export function waitsFor(cluster: string, placement: PlannedPlacement, { holds, runs }: Keeping): string | undefined {
  const own = holdsOf(placement, holds).find(({ subject }) => subject.clusterName === cluster);
  if (own) return own.message;
  const binding = placement.bindings.find(({ clusterName }) => clusterName === cluster);
  const frozen = runs
    .filter(({ metadata, spec }) => spec.placementName === placement.name && metadata.namespace === placement.namespace)
    .flatMap(({ kind, metadata: { name, namespace } }) => holdsOf({ kind, name, namespace }, holds))
    .find(({ reason }) => reason === 'Freeze');
  return (
    (binding?.move === 'wait' ? frozen?.message : undefined) ??
    binding?.conditions.find(({ status }) => status !== 'True')?.message
  );
}
