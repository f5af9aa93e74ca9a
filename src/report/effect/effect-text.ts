import type { PlacementKey } from '../../api/meta.ts';
import { type PlacementRef, placementKey } from '../../api/placement.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import { stateOf } from '../../engine/staged/run-state.ts';
import { isRunOf } from '../../engine/update-run.ts';
import type { AllowedRemoval } from '../../forecast/allowed-removals.ts';
import type { ChangedFreeze } from '../../forecast/changed-freezes.ts';
import type { ChangedPace } from '../../forecast/changed-paces.ts';
import { failureOf } from '../../forecast/failure.ts';
import type { Forecast, Rollout } from '../../forecast/forecast.ts';
import type { ObjectChange, ObjectChanges, PlacementEffect } from '../../forecast/object-changes.ts';
import type { ReturningObject } from '../../forecast/returning-objects.ts';
import type { StoppedRun } from '../../forecast/stopped-runs.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import { clustersToUpgrade } from '../../forecast/upgrade-forecasts.ts';
import { titleOf } from '../../repo/title-of.ts';
import { instantText } from '../forecast/instant-text.ts';
import { forecastParts, forecastSummary, refusalNotes, rolloutTitle, supposedText } from '../forecast/lines.ts';
import { leftNotes, upgradeLines } from '../forecast/upgrade-lines.ts';
import { groupHolds } from '../grouped-holds.ts';
import { holdSubject, holdText } from '../hold-text.ts';
import { currenciesOf } from '../money.ts';
import { nodeEffects } from '../nodes.ts';
import { approvedTexts } from './answers-text.ts';
import { inProgressLines, inProgressTexts } from './in-progress-text.ts';

/** Clusters named in one line. */
const mostNamed = 10;

/** The total effect of a change as text, in the order in which every format shows it. */
export interface EffectText {
  /** `removes 4 objects, changes 2, adds 1 · 6 of 8 clusters` */
  readonly title: string;
  /** PLACEMENT, REMOVES, CHANGES, ADDS, CLUSTERS, GAINS, LOSES. */
  readonly rows: readonly (readonly string[])[];
  readonly changes: readonly { readonly title: string; readonly diff: string; readonly isRemoval: boolean }[];
  /** How it gets there: pace, gates, freezes, what needs an update run. */
  readonly rollout: readonly string[];
  /** Cluster update runs that it adds or changes: who is upgraded when, from what to what, and who not. */
  readonly upgrades: readonly string[];
  /** How many nodes may go now, or within a day, where the change makes a difference. */
  readonly nodes: readonly string[];
  /** When it is done. */
  readonly forecast: string;
  /** Findings of the guard, with the way to approve. */
  readonly guard: readonly string[];
  /** It makes no difference to any cluster, and nothing waits or ends by it. */
  readonly isEmpty: boolean;
}

/** What was planned; `base`: a branch, and its tip. */
export const mergedText = (of: { readonly commit: string; readonly into: string }, base: string): string =>
  `Plan of ${of.commit.slice(0, 12)} merged into ${base} at ${of.into.slice(0, 12)}`;

export const effectHeadings = ['PLACEMENT', 'REMOVES', 'CHANGES', 'ADDS', 'CLUSTERS', 'GAINS', 'LOSES'];

/** `all`: with a row for each placement that stays as it is. */
export function effectText(effect: TotalEffect, { all = false }: { readonly all?: boolean } = {}): EffectText {
  const { placements, changes, held, stopped, needsRun, guard, allowed, returning } = effect;
  const upgrading = ownUpgrades(effect).flatMap(clustersToUpgrade);
  const nodes = nodesText(effect);
  const parts = [
    ...[placements, returning, held, stopped, needsRun, guard, upgrading, nodes],
    ...[failingText(effect), inProgressTexts(effect), unreachedText(effect)],
  ];
  return {
    title: titleText(effect),
    rows: [...(all ? allRows(effect) : placements.map(rowOf)), ...allowed.flatMap(allowedRows)],
    changes: [
      ...returning.map(returningText),
      ...[...allowed.flatMap(allowedChanges), ...changes.map(changeText), ...pendingTexts(effect)],
    ],
    rollout: rolloutText(effect),
    upgrades: upgradesText(effect),
    nodes,
    forecast: forecastText(effect),
    isEmpty: parts.every(({ length }) => length === 0),
    guard: guard.map(
      ({ rule, message, removalDigest }) =>
        `${rule}: ${message}${removalDigest === undefined ? '' : `. To approve: merge the branch that gitfleet then pushes, a RemovalApproval with removalDigest ${removalDigest}`}`,
    ),
  };
}

const allowedRows = ({ approval, placements }: AllowedRemoval): string[][] =>
  placements.map(rowOf).map(([name, ...cells]) => [`${name} (${approval})`, ...cells]);

const allowedChanges = ({ approval, changes }: AllowedRemoval): EffectText['changes'] =>
  changes.map(changeText).map(({ title, ...of }) => ({ title: `${approval}: ${title}`, ...of }));

/** Where nothing happens, it rests on nothing. */
function forecastText({ forecast, unrecorded, supposed }: TotalEffect): string {
  const summary = forecastSummary(forecast, supposed);
  if (forecast.rollouts.length + forecast.upgrades.length === 0 || forecast.end === 'refused') return summary;
  return `${summary}${unrecordedText(unrecorded, forecast)} ${supposedText(forecast, supposed)}`;
}

const nodesText = ({ nodes, first }: TotalEffect): readonly string[] =>
  nodeEffects(nodes, currenciesOf(first.contents.world.input.fleet));

function unrecordedText(unrecorded: TotalEffect['unrecorded'], { from }: Forecast): string {
  if (unrecorded === undefined) return '';
  const except = listUpTo(unrecorded.except, mostNamed);
  const without = except === '' ? '' : `, except on ${except} (not responding)`;
  return ` Nothing is recorded of the clusters: begins at ${instantText(from)}, when they are supposed to have what they get without the change${without}.`;
}

function upgradesText({ upgrades, upgradedBefore, upgradesInProgress }: TotalEffect): string[] {
  const before = listUpTo(upgradedBefore, mostNamed);
  const isBuilding = upgrades.length > 0 && before !== '';
  return [
    ...(isBuilding ? [`supposed to be done before, so merge after that: ${before}`] : []),
    ...upgradesInProgress.flatMap(inProgressLines),
    ...upgrades.flatMap(upgradeLines),
  ];
}

function titleText(effect: TotalEffect): string {
  const { guard, needsRun } = effect;
  if (guard.length > 0) return `⛔ refused: ${guard[0]!.message}`;
  // Else a change of an External placement would look like none.
  const missing = listUpTo(needsRun.map(titleOf), mostNamed);
  const stops = effect.stopped.map(stoppedText);
  const removal = laterRefusals(effect).some(({ removalDigest }) => removalDigest !== undefined);
  const answers = answersText(effect);
  const parts = [
    ...failingText(effect),
    ...stops,
    ...inProgressTexts(effect),
    ...returningTitle(effect),
    ...changesText(effect, answers),
    ...unreachedText(effect),
    ...answers,
    ...(removal ? ['needs an approval of removals'] : []),
    ...(missing === '' ? [] : [`needs a staged update run: ${missing}`]),
  ];
  const { allowed, uncounted, pending, paces, freezes } = effect;
  const others = [allowed, uncounted, pending, paces, freezes].flat();
  const isAlone = answers.length > 0 && parts.length === answers.length && others.length === 0;
  return `${parts.join(' · ')}${isAlone ? '; nothing else' : ''}`;
}

/** Runs that fail, or that a fault on some cluster keeps from their end, without those that the change itself ends. */
function failingText({ forecast, stopped }: TotalEffect): string[] {
  const ended = new Set(stopped.map(({ run }) => run));
  const own = forecast.rollouts.filter((of) => !ended.has(placementKey({ ...of.placement, name: of.run ?? '' })));
  const [failing, others] = [true, false].map((fails) => own.filter((of) => (failureOf(of) !== undefined) === fails));
  const stuck = others!.filter(({ ends = [] }) => ends.some(({ why }) => why !== undefined));
  const text = (runs: readonly Rollout[], one: string, several: string): string[] => {
    const names = listUpTo(
      runs.map(({ run }) => `${run}`),
      mostNamed,
    );
    return runs.length === 0
      ? []
      : [`update ${runs.length === 1 ? 'run' : 'runs'} ${names} ${runs.length === 1 ? one : several}`];
  };
  return [...text(failing!, 'fails', 'fail'), ...text(stuck, 'does not finish', 'do not finish')];
}

/** Clusters that do not get what it brings, without those that need an update run for it. */
function unreachedText({ failing }: TotalEffect): string[] {
  const clusters = new Set(failing.flatMap((of) => (of.needsRun ? [] : of.clusters)));
  return clusters.size === 0 ? [] : [`cannot be applied on ${listUpTo([...clusters], mostNamed)}`];
}

const stoppedTexts: Readonly<Record<StoppedRun['by'], string>> = {
  stop: 'stops update run',
  removal: 'removes update run',
  rejection: 'rejects update run',
};

/** Those that it adds or whose spec it changes. */
function ownUpgrades({ upgrades, upgradesInProgress }: TotalEffect): TotalEffect['upgrades'] {
  const others = new Set(upgradesInProgress.map(({ run }) => run));
  return upgrades.filter(({ run }) => !others.has(run));
}

/** `stops update run web-1` */
const stoppedText = ({ run, by }: StoppedRun): string => `${stoppedTexts[by]} ${run}`;

/** `removes 4 objects, changes 2`; empty where there are none. */
function countsText({ placements, released, moved }: Pick<ObjectChanges, 'placements' | 'released' | 'moved'>): string {
  const sum = (of: 'removed' | 'changed' | 'added') => placements.reduce((total, effect) => total + effect[of], 0);
  return [
    { count: sum('removed'), verb: 'removes' },
    { count: sum('changed'), verb: 'changes' },
    { count: sum('added'), verb: 'adds' },
    { count: released, verb: 'releases' },
    { count: moved, verb: 'moves' },
  ]
    .filter(({ count }) => count !== 0)
    .map(({ count, verb }, at) => `${verb} ${count}${at === 0 ? (count === 1 ? ' object' : ' objects') : ''}`)
    .join(', ');
}

/** None where it only answers approvals. */
function changesText(effect: TotalEffect, answers: readonly string[]): string[] {
  const { placements, returning, held, stopped, withheld, fleetSize } = effect;
  const upgrades = ownUpgrades(effect);
  const ends = inProgressTexts(effect).length;
  const counts = countsText(effect);
  const clusters = new Set(placements.flatMap((effect) => effect.clusters));
  const upgrading = new Set(upgrades.flatMap(clustersToUpgrade));
  const runs = `${upgrades.length} cluster update ${upgrades.length === 1 ? 'run' : 'runs'} for ${upgrading.size} of ${fleetSize} clusters`;
  if (counts === '' && clusters.size === 0) {
    if (upgrades.length > 0) return [`no object changes · ${runs}`];
    const text = withheldText(withheld) ?? heldText(held) ?? changedNodesText(nodesText(effect));
    if (text !== undefined) return [text];
    if (stopped.length + ends + failingText(effect).length === 0 && answers.length > 0) return [];
    if (returning.length > 0) return [];
    return [ends === 0 ? 'no change on any cluster' : 'no object changes'];
  }
  return [
    counts || 'no object changes',
    `${clusters.size} of ${fleetSize} clusters`,
    ...(upgrades.length === 0 ? [] : [runs]),
    ...[withheldText(withheld) ?? []].flat(),
  ];
}

const changedNodesText = ({ length }: readonly string[]): string | undefined =>
  length === 0 ? undefined : `changes what becomes of nodes on ${length} ${length === 1 ? 'cluster' : 'clusters'}`;

function withheldText(withheld: TotalEffect['withheld']): string | undefined {
  const text = (kept: boolean): string[] => {
    const of = withheld.filter(({ areKept }) => areKept === kept);
    const count = new Set(of.flatMap(({ clusters }) => clusters)).size;
    const names = listUpTo([...new Set(of.map(({ placement }) => titleOf(placement)))], mostNamed);
    const [clusters, keep, end] =
      count === 1 ? ['cluster', 'keeps what it has', 'does'] : ['clusters', 'keep what they have', 'do'];
    return count === 0
      ? []
      : [`${count} ${clusters} ${kept ? `${keep} of ${names}` : `${end} not end with what is under way of ${names}`}`];
  };
  return [true, false].flatMap(text).join(' · ') || undefined;
}

const heldText = (held: TotalEffect['held']): string | undefined =>
  held.length === 0
    ? undefined
    : `no change as long as it is held: ${listUpTo([...new Set(held.map(({ subject }) => titleOf(subject)))], mostNamed)}`;

/** What a RemovalApproval lets go. */
function approvesText({ approval, holds, ...effect }: AllowedRemoval, fleetSize: number): string {
  const counts = countsText(effect);
  const held = new Set(holds.flatMap(({ subject }) => subject.clusterName ?? []));
  if (counts === '') return `approves ${approval}: removes what is held on ${listUpTo([...held], mostNamed)}`;
  const clusters = new Set(effect.placements.flatMap((of) => of.clusters)).union(held);
  return `approves ${approval}: ${counts} · ${clusters.size} of ${fleetSize} clusters`;
}

/** Approvals and rejections that it brings. */
const answersText = (effect: TotalEffect): string[] => [
  ...effect.allowed.map((of) => approvesText(of, effect.fleetSize)),
  ...approvedTexts(effect),
  ...(effect.uncounted.length === 0
    ? []
    : [
        `not counted: ${listUpTo(
          effect.uncounted.map(({ approval }) => approval),
          mostNamed,
        )}`,
      ]),
];

function allRows({ placements, first }: TotalEffect): string[][] {
  const changed = new Map(placements.map((effect) => [placementKey(effect.placement), effect]));
  const keys = [...new Set([...changed.keys(), ...first.contents.works.keys()])].sort();
  return keys.map((key) => (changed.has(key) ? rowOf(changed.get(key)!) : [key, '-', '-', '-', '0', '-', '-']));
}

const rowOf = ({ placement, removed, changed, added, clusters, gains, loses }: PlacementEffect): string[] => [
  titleOf(placement),
  ...[removed, changed, added].map((count) => (count === 0 ? '-' : String(count))),
  String(clusters.length),
  listUpTo(gains, mostNamed) || '-',
  listUpTo(loses, mostNamed) || '-',
];

export const changeText = (change: ObjectChange): EffectText['changes'][number] => ({
  title: changeTitle(change),
  diff: change.diff,
  isRemoval: change.action === 'remove',
});

/** It does not happen by the change itself. */
const pendingTexts = ({ pending, first }: TotalEffect): EffectText['changes'] =>
  pending.map((change) => {
    const strategy = first.contents.works.get(placementKey(change.placement))?.placement.spec.strategy;
    const when = strategy?.type === 'RollingUpdate' ? 'once it is no longer held' : 'needs a staged update run';
    return { ...changeText(change), title: `${when}: ${changeTitle(change)}` };
  });

/** As a terminal shows it. What is removed needs no diff. */
export const changeLines = ({ title, diff, isRemoval }: EffectText['changes'][number]): string =>
  isRemoval || diff === '' ? title : `${title}\n${diff}`;

const verbs: Readonly<Record<ObjectChange['action'], string>> = {
  remove: 'removed',
  release: 'stays and is no longer managed',
  move: 'stays as it is',
  change: 'changed',
  add: 'added',
};

const clustersText = (clusters: ObjectChange['clusters']): string =>
  clusters.length === 1
    ? `on ${clusters[0]}`
    : `same on ${clusters.length} clusters (${listUpTo(clusters, mostNamed)})`;

/** `removes 3 objects on p1, and adds them again` */
function returningTitle({ returning }: TotalEffect): string[] {
  const count = returning.reduce((sum, { clusters }) => sum + clusters.length, 0);
  if (count === 0) return [];
  const clusters = new Set(returning.flatMap((of) => of.clusters));
  const where = listUpTo([...clusters].sort(), mostNamed);
  const [objects, them] = count === 1 ? ['object', 'it'] : ['objects', 'them'];
  const approvals = [...new Set(returning.flatMap((of) => of.approvals))];
  return [`removes ${count} ${objects} on ${where}, and adds ${them} again${onceApproved(approvals)}`];
}

const onceApproved = (approvals: readonly string[]): string =>
  approvals.length === 0 ? '' : `, not before approval ${listUpTo(approvals, mostNamed)}`;

const returningText = ({ placement, object, clusters, approvals }: ReturningObject): EffectText['changes'][number] => ({
  title: `${titleOf(placement)}: ${describeRef(object)} removed and created anew${onceApproved(approvals)}, ${clustersText(clusters)}`,
  diff: '',
  isRemoval: true,
});

function changeTitle({ action, placement, from, to, object, clusters }: ObjectChange): string {
  const where = clustersText(clusters);
  const what = to
    ? `stays for ${titleOf(to)} to take over`
    : `${verbs[action]}${from ? `, moves from ${titleOf(from)} to ${titleOf(placement)}` : ''}`;
  return `${titleOf(placement)}: ${describeRef(object)} ${what}, ${where}`;
}

function rolloutText(effect: TotalEffect): string[] {
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
  // Whom cluster update runs leave out is said with whom they upgrade.
  const left = new Set(effect.upgrades.flatMap(leftNotes));
  const notes = forecastParts(forecast).flatMap(({ title, notes: of }) => {
    const name = title.split(':')[0]!;
    return of.flatMap((note) => (left.has(note) ? [] : [`${name}: ${note}`]));
  });
  const notDone = forecast.rollouts.filter((rollout) => rollout.to === undefined || failureOf(rollout) !== undefined);
  const kept = withheld.map(
    (of) => `${titleOf(of.placement)}: ${listUpTo(of.clusters, mostNamed)} ${withheldOf(of, effect)}`,
  );
  const stays = groupHolds(held).map((hold) => `${holdSubject(hold.subject)}: does not happen yet: ${holdText(hold)}`);
  const joins = `joining: ${listUpTo(joining, mostNamed)}, supposed to respond soon after the merge, with nothing of the fleet there yet. What is planned at the merge leaves them out, as an update run that starts then`;
  return [
    ...(joining.length === 0 ? [] : [joins]),
    ...paces,
    ...changedPaces,
    ...compared,
    ...allowed.flatMap(({ approval, guard, holds }) => [
      ...guard.map(({ message }) => `${approval}: lets happen what is refused now: ${message}`),
      ...holds.map(
        ({ subject, message }) => `${approval}: removes what is held now: ${holdSubject(subject)}: ${message}`,
      ),
    ]),
    ...approvedTexts(effect, { isWhole: true }),
    ...uncounted.map(({ approval, why }) => `${approval}: does not count: ${why}`),
    ...kept,
    ...effect.failing.map(failingLine),
    ...refusalNotes({ refusals: laterRefusals(effect) }),
    ...missing,
    ...stays,
    ...freezes.map(freezeText),
    ...notDone.map(rolloutTitle),
    ...notes,
  ];
}

/** Who does not get what the change brings, and why. */
function failingLine({ placement, clusters, why, isNew, needsRun }: TotalEffect['failing'][number]): string {
  const isOne = clusters.length === 1;
  const has = isNew ? `${isOne ? 'gets' : 'get'} nothing` : `${isOne ? 'keeps what it has' : 'keep what they have'}`;
  return `${titleOf(placement)}: ${listUpTo(clusters, mostNamed)} ${has}${needsRun ? ', also by an update run' : ''}: ${why}`;
}

/** Of a placement that is deleted. */
function leavingText({ changes }: TotalEffect, placement: PlacementRef): string {
  const key = placementKey(placement);
  const own = changes.filter((change) => placementKey(change.from ?? change.placement) === key);
  const stays = own.some(({ action }) => action !== 'remove');
  if (!stays) return 'its objects leave all of its clusters at once';
  return own.some(({ action }) => action === 'remove')
    ? 'its objects leave all of its clusters at once, except those that stay'
    : 'its objects stay';
}

const paceText = ({ rollingUpdate: pace }: ChangedPace['after']): string =>
  pace === undefined
    ? 'changes only by staged update runs'
    : `rolls out by itself, maxUnavailable ${pace.maxUnavailable}, maxSurge ${pace.maxSurge}`;

/** Those beyond what the guard says of the merge itself. */
const laterRefusals = ({ forecast, first }: TotalEffect): Forecast['refusals'] =>
  forecast.refusals.filter(({ rule, from }) => rule === undefined || from > first.plan.now);

/** What clusters would get without a change, and end with instead. */
function withheldOf(
  { placement, clusters, areKept, objects = [] }: TotalEffect['withheld'][number],
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

function freezeText({ name, action, active }: ChangedFreeze): string {
  const what = `freeze ${name}: ${{ add: 'added', change: 'changed', remove: 'removed' }[action]}`;
  if (action === 'remove') return what;
  if (active === undefined) return `${what}, never active`;
  const end = active.to === undefined ? 'without an end' : `to ${instantText(active.to)}`;
  return `${what}, next active from ${instantText(active.from)} ${end}`;
}
