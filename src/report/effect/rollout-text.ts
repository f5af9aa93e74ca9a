import type { PlacementKey } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Hold, Plan } from '../../engine/plan-document.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { stateOf } from '../../engine/staged/run-state.ts';
import { isRunOf } from '../../engine/update-run.ts';
import type { ChangedFreeze } from '../../forecast/changed-freezes.ts';
import type { ChangedPace } from '../../forecast/changed-paces.ts';
import { failureOf } from '../../forecast/failure.ts';
import type { Rollout } from '../../forecast/forecast.ts';
import { isHeldRemoval } from '../../forecast/refusals.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import { clustersToUpgrade } from '../../forecast/upgrade-forecasts.ts';
import { titleOf } from '../../repo/title-of.ts';
import { instantText } from '../forecast/instant-text.ts';
import { forecastParts, refusalNotes, rolloutTitle } from '../forecast/lines.ts';
import { leftNotes } from '../forecast/upgrade-lines.ts';
import { clustersOf, groupHolds } from '../grouped-holds.ts';
import { holdSubject, holdText } from '../hold-text.ts';
import { runToAdd } from '../run-to-add.ts';
import { noneCounts } from '../sections/approvals.ts';
import { approvedTexts } from './answers-text.ts';
import { laterRefusals, mostNamed } from './effect-title.ts';

/** How it gets there, a line for each fact. */
export function rolloutText(effect: TotalEffect): string[] {
  const { placements, notRolledOut, held, freezes, forecast, first, joining, withheld, uncounted, allowed } = effect;
  const { works, world } = first.contents;
  const otherwise = new Set(effect.paces.map(({ placement }) => placementKey(placement)));
  const changing = new Set(effect.changes.map(({ placement }) => placementKey(placement)));
  const paces = placements.flatMap(({ placement }): string[] => {
    const work = [...works.values()].find(
      ({ placement: { kind, metadata } }) =>
        kind === placement.kind && metadata.name === placement.name && metadata.namespace === placement.namespace,
    );
    if (work === undefined) return [];
    const isDeleted = world.admitted.deleted.some(({ key }) => key === placementKey(placement));
    // No strategy and no update run paces it.
    const { strategy } = work.placement.spec;
    const isCompared = strategy.applyStrategy.type === 'ReportDiff' && !changing.has(placementKey(placement));
    const leaving = isCompared ? 'nothing of it was applied (ReportDiff)' : leavingText(effect, placement);
    if (isDeleted) return [`${titleOf(placement)}: deleted; ${leaving}`];
    if (strategy.type === 'RollingUpdate')
      return otherwise.has(placementKey(placement)) ? [] : [`${titleOf(placement)}: ${paceText(strategy)}`];
    const runs = world.admitted.runs.filter((run) => isRunOf(run, placement) && stateOf(run) !== 'Stop');
    const own = forecast.rollouts.filter(({ run }) => runs.some(({ metadata }) => metadata.name === run));
    const [returning, going] = [own.filter(returns), own.filter((rollout) => failureOf(rollout) === undefined)];
    return [
      ...(going.length === 0 ? [] : [`${titleOf(placement)}: by update run ${going.map(runText).join('; ')}`]),
      ...returning.map((rollout) => `${titleOf(placement)}: rolled back by update run ${runText(rollout)}`),
    ];
  });
  const changedPaces = effect.paces.map(({ placement, before, after }) => {
    const [was, is] = [before, after].map(paceText);
    return `${titleOf(placement)}: ${is}${was === is ? ', another unavailablePeriodSeconds' : ` (before: ${was})`}`;
  });
  const compared = effect.onlyCompared.map(
    ({ placement, clusters }) =>
      `${titleOf(placement)}: only reports differences (ReportDiff), nothing is applied: ${listUpTo(clusters, mostNamed)}`,
  );
  const missing = notRolledOut.map(({ placement, why }) => `${titleOf(placement)}: needs a staged update run: ${why}`);
  const toAdd = runToAdd(notRolledOut);
  // Whom cluster update runs leave out is said with whom they upgrade.
  const left = new Set(effect.upgrades.flatMap(leftNotes));
  const notes = forecastParts(forecast).flatMap(({ title, notes: of }) => {
    const name = title.split(':')[0]!;
    return of.flatMap((note) => (left.has(note) ? [] : [`${name}: ${note}`]));
  });
  const notDone = forecast.rollouts.filter((rollout) => rollout.to === undefined || failureOf(rollout) !== undefined);
  const isPaused = held.some(({ reason }) => reason === 'Freeze');
  const kept = withheld.map(
    (of) => `${titleOf(of.placement)}: ${listUpTo(of.clusters, mostNamed)} ${withheldOf(of, effect)}`,
  );
  const stays = groupHolds(held.map(withoutDigest)).map((hold) => {
    const of = [holdSubject(hold.subject), clustersOf(hold)].filter(Boolean).join(' · ');
    return `${of}: does not happen yet: ${holdText(hold)}`;
  });
  const versions = effect.upgrades.some((of) => clustersToUpgrade(of).some((name) => joining.includes(name)))
    ? ', and to run what the oldest cluster with the same upgrade provider runs'
    : '';
  const joins = `joining: ${listUpTo(joining, mostNamed)}, supposed to respond soon after the merge, with nothing of the fleet there yet${versions}. What is planned at the merge leaves them out, as a staged update run that starts then`;
  return [
    ...(joining.length === 0 ? [] : [joins]),
    ...paces,
    ...changedPaces,
    ...effect.policies.map(policyLine),
    ...compared,
    ...allowed.flatMap(({ approval, guard, holds }) => [
      ...guard.map(({ message }) => `${approval}: lets happen what is refused now: ${message}`),
      ...holds.map(
        ({ subject, message }) => `${approval}: removes what is held now: ${holdSubject(subject)}: ${message}`,
      ),
    ]),
    ...effect.noLongerRefused.map(
      ({ message, allowedBy }) =>
        `the guard refuses everything now, and no longer with this change, ${allowedBy === undefined ? 'without an approval' : `since approval ${allowedBy}, which is there already, allows what is left`}${isPaused ? ', as long as it is held' : ''}: ${message}`,
    ),
    ...(effect.noneCounts && isAnyAsked(first.plan) ? [noneCounts] : []),
    ...approvedTexts(effect, { isWhole: true }),
    ...uncounted.map(({ approval, why, later }) => `${approval}: does not count${later ? ' yet' : ''}: ${why}`),
    ...kept,
    ...effect.takenBack.map(
      (placement) => `${titleOf(placement)}: takes back what is not rolled out yet; clusters keep what they have`,
    ),
    ...effect.failing.map(failingLine),
    // Those that nobody approves are among the holds.
    ...refusalNotes({
      refusals: laterRefusals(effect).filter((refusal) => !isHeldRemoval(refusal)),
    }),
    ...missing,
    ...(toAdd === undefined ? [] : [toAdd]),
    ...stays,
    ...freezes.map(freezeText),
    ...effect.rescheduled.map(rescheduledLine),
    ...notDone.map(rolloutTitle),
    ...notes,
  ];
}

const isAnyAsked = ({ approvals, guard, holds }: Pick<Plan, 'approvals' | 'guard' | 'holds'>): boolean =>
  approvals.some(({ file, answer }) => file !== undefined && answer === undefined) ||
  [...guard, ...holds].some(({ removalDigest }) => removalDigest !== undefined);

/** `update run web-2: on-failure: rollback, max-failures: 1, progress-deadline: 30m` */
function policyLine({ run, before, after }: TotalEffect['policies'][number]): string {
  const text = ({ onFailure, maxFailures, progressDeadline }: typeof after): string =>
    `on-failure: ${onFailure}, max-failures: ${maxFailures}, ${progressDeadline === undefined ? 'no progress-deadline' : `progress-deadline: ${progressDeadline}`}`;
  if (before === undefined) return `update run ${run}: ${text(after)}`;
  const isLate = before.onFailure !== after.onFailure && after.onFailure === 'rollback';
  return `update run ${run}: ${text(after)} (before: ${text(before)})${isLate ? '; clusters that it has reached by then do not return' : ''}`;
}

/** A removal that needs an approval on each of many clusters is one line. */
function withoutDigest(hold: Hold): Hold {
  if (!hold.removes) return hold;
  const { removalDigest: _, ...rest } = hold;
  const contents = listUpTo(hold.removes.contents, mostNamed, '; ');
  return { ...rest, message: `${contents}; it stays until they are gone, or until a RemovalApproval is merged` };
}

/** Who does not get what the change brings, and why. */
function failingLine({
  placement,
  clusters,
  why,
  isNew,
  isPart,
  isUnsure,
  needsRun,
}: TotalEffect['failing'][number]): string {
  const isOne = clusters.length === 1;
  if (isUnsure)
    return `${titleOf(placement)}: ${listUpTo(clusters, mostNamed)} ${isOne ? 'gets' : 'get'} all of it only if the namespace is there by other means: ${why}`;
  const has = isPart
    ? `${isOne ? 'does' : 'do'} not get all of it`
    : isNew
      ? `${isOne ? 'gets' : 'get'} nothing`
      : `${isOne ? 'keeps what it has' : 'keep what they have'}`;
  return `${titleOf(placement)}: ${listUpTo(clusters, mostNamed)} ${has}${needsRun ? ', also by an update run' : ''}: ${why}`;
}

/** Of a placement that is deleted. */
function leavingText({ changes, held }: TotalEffect, placement: PlacementRef): string {
  const key = placementKey(placement);
  const own = changes.filter((change) => placementKey(change.from ?? change.placement) === key);
  const isHeld = held.some(
    ({ reason, subject }) => reason === 'ContainsForeignObjects' && placementKey(subject) === key,
  );
  const stays = isHeld || own.some(({ action }) => action !== 'remove');
  if (!stays) return 'its objects leave all of its clusters at once';
  return own.some(({ action }) => action === 'remove')
    ? 'its objects leave all of its clusters at once, except those that stay'
    : 'its objects stay';
}

const paceText = ({ rollingUpdate: pace }: ChangedPace['after']): string =>
  pace === undefined
    ? 'changes only by staged update runs'
    : `rolls out by itself, maxUnavailable ${pace.maxUnavailable}, maxSurge ${pace.maxSurge}`;

/** What clusters would get or lose without a change, and end with instead. */
function withheldOf(
  { placement, clusters, areKept, lose, objects = [] }: TotalEffect['withheld'][number],
  { stopped, first }: TotalEffect,
): string {
  const own = stopped.filter(({ placement: of }) => placementKey(of) === placementKey(placement));
  const runs = listUpTo(
    own.map(({ run }) => `update run ${run}`),
    mostNamed,
  );
  const { runs: recorded } = first.contents.world.record;
  const isReturning = own.some(({ run }) => recorded.get(run as PlacementKey)?.status?.rollbackStatus !== undefined);
  const [it, has, keeps, changes, ends] =
    clusters.length === 1 ? ['it', 'has', 'keeps', 'changes', 'ends'] : ['they', 'have', 'keep', 'change', 'end'];
  if (!areKept) {
    const names = listUpTo(objects.map(describeRef), mostNamed);
    const what = names === '' ? '' : ` of ${names}`;
    return `${changes}, but ${ends} with what ${it} ${has} now${what}, not with what is under way`;
  }
  if (lose) return `would lose all of it${runs === '' ? '' : ` by ${runs}`}, and ${keeps} what ${it} ${has}`;
  const what = isReturning
    ? `return to what ${it} had before ${runs}`
    : runs === ''
      ? 'get what is under way'
      : `get what ${runs} rolls out`;
  return `would ${what}, and ${keeps} what ${it} ${has}`;
}

const returns = ({ stages }: Rollout): boolean => stages.some(({ isRollback }) => isRollback);

/** Its stages in order, or those in which it rolls back, with the pace of each. */
function runText(rollout: Rollout): string {
  const { run, stages } = rollout;
  const parts = stages
    .filter(
      ({ isRollback = false, clusters, notStarted }) =>
        isRollback === returns(rollout) && clusters.length + notStarted > 0,
    )
    .map(({ name, clusters, notStarted, atOnce }) => {
      const count = clusters.length + notStarted;
      const pace = atOnce === undefined || atOnce >= count ? '' : `, at most ${atOnce} at once`;
      return `${name} (${count} ${count === 1 ? 'cluster' : 'clusters'}${pace})`;
    });
  return parts.length === 0 ? `${run}` : `${run}: ${listUpTo(parts, mostNamed, ', then ')}`;
}

function rescheduledLine({ placement, run, clusters, from, usually }: TotalEffect['rescheduled'][number]): string {
  const by = run === undefined ? '' : ` by update run ${run}`;
  return `${titleOf(placement)}: starts${by} at ${instantText(from)} instead of ${instantText(usually)} on ${listUpTo(clusters, mostNamed)}`;
}

function freezeText({ name, action, active }: ChangedFreeze): string {
  const what = `freeze ${name}: ${{ add: 'added', change: 'changed', remove: 'removed' }[action]}`;
  if (action === 'remove') return what;
  if (active === undefined) return `${what}, never active`;
  const end = active.to === undefined ? 'without an end' : `to ${instantText(active.to)}`;
  return `${what}, next active from ${instantText(active.from)} ${end}`;
}
