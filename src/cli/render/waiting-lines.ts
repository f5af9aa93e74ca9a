import type { Problem } from '../../api/problem.ts';
import type { StagedUpdateRun } from '../../api/staged.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import type { PlanResult } from '../../engine/plan.ts';
import type { Hold, PlannedPlacement } from '../../engine/plan-document.ts';
import { positionText } from '../../repo/fleet/positions.ts';
import { titleOf } from '../../repo/title-of.ts';
import { messageOf } from '../../report/grouped-holds.ts';
import { holdsOf } from '../../report/holds-of.ts';
import { runToAdd } from '../../report/run-to-add.ts';

/** What a binding may wait for. */
interface WaitReasons {
  readonly holds: readonly Hold[];
  readonly runs: readonly StagedUpdateRun[];
}

/**
 * One line for every reason why a cluster does not get the latest version of some placements: otherwise a freeze or a budget
 * looks like a lost change.
 */
export function waitingLines(cluster: string, placements: readonly PlannedPlacement[], reasons: WaitReasons): string[] {
  const waiting = placements.flatMap((placement) => {
    const binding = placement.bindings.find(({ clusterName }) => clusterName === cluster);
    const why = binding?.move === 'wait' ? waitsFor(cluster, placement, reasons) : undefined;
    return why === undefined ? [] : [{ title: titleOf(placement), why }];
  });
  return [...Map.groupBy(waiting, ({ why }) => why)].map(
    ([why, of]) => `${shortList(of.map(({ title }) => title))} on ${cluster} is not updated now: ${why}`,
  );
}

/** Whether a placement, or the binding of it on a cluster, is to be shown. */
export type Asked = (
  placement: { readonly name: string; readonly namespace?: string | undefined },
  clusterName?: string,
) => boolean;

/** One line for every placement and reason why clusters do not get its latest version, or why no staged update run applies it. */
export function heldLines(
  { plan, notRolledOut }: Pick<PlanResult, 'plan' | 'notRolledOut'>,
  { asked, runs }: { readonly asked: Asked; readonly runs: readonly StagedUpdateRun[] },
): string[] {
  const reasons = { holds: plan.holds, runs };
  const held = plan.placements.flatMap((placement) =>
    placement.bindings
      .filter(({ clusterName, move }) => move === 'wait' && asked(placement, clusterName))
      .flatMap(({ clusterName }) => {
        const message = waitsFor(clusterName, placement, reasons);
        if (message === undefined) return [];
        return { title: titleOf(placement), clusterName, why: messageOf({ subject: { clusterName }, message }) };
      }),
  );
  const waiting = notRolledOut.filter(({ placement }) => asked(placement));
  const toAdd = runToAdd(waiting);
  const groups = [...Map.groupBy(held, ({ title, why }) => `${title}\n${why}`).values()];
  return [
    ...groups.map(
      (of) =>
        `${of[0]!.title} on ${shortList(of.map(({ clusterName }) => clusterName))} is not updated now: ${of[0]!.why}`,
    ),
    ...waiting.map(
      ({ placement, why }) => `${titleOf(placement)} is not rolled out, it needs a staged update run: ${why}`,
    ),
    ...(toAdd === undefined ? [] : [toAdd]),
  ];
}

/** One line for invalid files: the output is without them, or has their last good version. */
export function invalidFileLines(problems: readonly Problem[]): string[] {
  const places = problems.filter(({ severity }) => severity === 'error').map(positionText);
  return places.length === 0 ? [] : [`these files cannot be used and are left out: ${shortList(places)}`];
}

/** What the binding on a cluster waits for: its hold, the freeze that stops its update run, or its first condition that is not True. */
export function waitsFor(
  cluster: string,
  placement: PlannedPlacement,
  { holds, runs }: WaitReasons,
): string | undefined {
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
