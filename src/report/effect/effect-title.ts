import { placementKey } from '../../api/placement.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { AllowedRemoval } from '../../forecast/allowed-removals.ts';
import { failureOf } from '../../forecast/failure.ts';
import type { Forecast, Rollout } from '../../forecast/forecast.ts';
import type { ObjectChange, ObjectChanges } from '../../forecast/object-changes.ts';
import type { StoppedRun } from '../../forecast/stopped-runs.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import { clustersThatFailAtOnce, clustersToUpgrade } from '../../forecast/upgrade-forecasts.ts';
import { titleOf } from '../../repo/title-of.ts';
import { currenciesOf } from '../money.ts';
import { nodeEffects } from '../nodes.ts';
import { waitedForBy, waitingFor } from '../waits/approval-starts.ts';
import { approvedTexts } from './answers-text.ts';
import { inProgressTexts } from './in-progress-text.ts';

/** Clusters named in one line. */
export const mostNamed = 10;

/** What it does in one line: the title of a preview, and of a commit status. */
export function titleText(effect: TotalEffect): string {
  const { guard, needsRun } = effect;
  if (guard.length > 0) return `⛔ refused: ${guard[0]!.message}`;
  // Else a change of an External placement would look like none.
  const missing = listUpTo(needsRun.map(titleOf), mostNamed);
  const stops = effect.stopped.map((of) => stoppedText(of, effect));
  const removal = laterRefusals(effect).some(({ removalDigest }) => removalDigest !== undefined);
  const answers = answersText(effect);
  const parts = [
    ...failingText(effect),
    ...stops,
    ...inProgressTexts(effect),
    ...returningTitle(effect),
    ...changesText(effect, answers),
    ...rescheduledText(effect),
    ...(effect.noLongerRefused.length > 0 ? ['no longer refused by the guard'] : []),
    ...unreachedText(effect),
    ...takenBackText(effect),
    ...changedPoliciesText(effect),
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
export function failingText({ forecast, stopped }: TotalEffect): string[] {
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
export function unreachedText({ failing }: TotalEffect): string[] {
  const clusters = new Set(failing.flatMap((of) => (of.needsRun || of.isUnsure ? [] : of.clusters)));
  return clusters.size === 0 ? [] : [`cannot be applied on ${listUpTo([...clusters], mostNamed)}`];
}

const stoppedTexts: Readonly<Record<StoppedRun['by'], string>> = {
  stop: 'stops update run',
  removal: 'removes update run',
  rejection: 'rejects update run',
};

/** Those that it adds or whose spec it changes. */
export function ownUpgrades({ upgrades, upgradesInProgress }: TotalEffect): TotalEffect['upgrades'] {
  const others = new Set(upgradesInProgress.map(({ run }) => run));
  return upgrades.filter(({ run }) => !others.has(run));
}

/** `stops update run web-1`, and which runs wait for it. */
function stoppedText({ run, by }: StoppedRun, { first, stopped }: TotalEffect): string {
  const { runs } = first.contents.world.record;
  const recorded = runs.get(run);
  const ended = new Set(stopped.map((of) => of.run));
  const after = recorded ? waitingFor(recorded, runs.values()).filter((name) => !ended.has(name)) : [];
  return `${stoppedTexts[by]} ${run}${waitedForBy(after)}`;
}

/** `removes 4 objects, changes 2`; empty where there are none. */
function countsText({ placements, released, moved }: Pick<ObjectChanges, 'placements' | 'released' | 'moved'>): string {
  const sum = (of: 'removed' | 'changed' | 'added') => placements.reduce((total, effect) => total + effect[of], 0);
  const counts = { remove: sum('removed'), change: sum('changed'), add: sum('added'), release: released, move: moved };
  return actionsText(counts);
}

/** Objects on clusters, each cluster on its own. */
export const actionsText = (counts: Readonly<Record<ObjectChange['action'], number>>): string =>
  (['remove', 'change', 'add', 'release', 'move'] as const)
    .filter((action) => counts[action] !== 0)
    .map((action, at) => {
      const count = counts[action];
      return `${action}s ${count}${at === 0 ? (count === 1 ? ' object' : ' objects') : ''}`;
    })
    .join(', ');

/** None where it only answers approvals. */
function changesText(effect: TotalEffect, answers: readonly string[]): string[] {
  const { placements, returning, held, stopped, withheld, fleetSize } = effect;
  const upgrades = ownUpgrades(effect);
  const ends = inProgressTexts(effect).length;
  const counts = countsText(effect);
  const clusters = new Set(placements.flatMap((effect) => effect.clusters));
  const upgrading = new Set(upgrades.flatMap(clustersToUpgrade));
  const failing = new Set(upgrades.flatMap(clustersThatFailAtOnce)).difference(upgrading);
  const fails = failing.size === 0 ? '' : `, of which ${failing.size} ${failing.size === 1 ? 'fails' : 'fail'} at once`;
  const runs = `${upgrades.length} cluster update ${upgrades.length === 1 ? 'run' : 'runs'} for ${upgrading.size + failing.size} of ${fleetSize} clusters${fails}`;
  if (counts === '' && clusters.size === 0) {
    if (upgrades.length > 0) return [`no object changes · ${runs}`];
    const text = withheldText(withheld) ?? heldText(held) ?? changedNodesText(nodesText(effect));
    if (text !== undefined) return [text];
    if (stopped.length + ends + failingText(effect).length === 0 && answers.length > 0) return [];
    if (returning.length + effect.rescheduled.length > 0) return [];
    return [ends === 0 ? 'no change on any cluster' : 'no object changes'];
  }
  return [
    counts || 'no object changes',
    `${clusters.size} of ${fleetSize} clusters`,
    ...(upgrades.length === 0 ? [] : [runs]),
    ...[withheldText(withheld) ?? []].flat(),
  ];
}

/** `starts earlier on 5 of 6 clusters: web` */
export function rescheduledText({ rescheduled, fleetSize }: TotalEffect): string[] {
  const text = (all: TotalEffect['rescheduled'], when: string): string[] => {
    const clusters = new Set(all.flatMap((of) => of.clusters));
    const names = listUpTo(
      all.map(({ placement }) => titleOf(placement)),
      mostNamed,
    );
    return all.length === 0 ? [] : [`starts ${when} on ${clusters.size} of ${fleetSize} clusters: ${names}`];
  };
  return [
    ...text(
      rescheduled.filter(({ from, usually }) => from < usually),
      'earlier',
    ),
    ...text(
      rescheduled.filter(({ from, usually }) => from > usually),
      'later',
    ),
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

function takenBackText({ takenBack }: TotalEffect): string[] {
  const names = listUpTo(takenBack.map(titleOf), mostNamed);
  return names === '' ? [] : [`takes back what is not rolled out yet: ${names}`];
}

/** Of runs that are there: new ones have theirs from the start. */
export function changedPoliciesText({ policies }: TotalEffect): string[] {
  const runs = policies.flatMap(({ run, before }) => (before === undefined ? [] : [run]));
  return runs.length === 0
    ? []
    : [
        `changes what update ${runs.length === 1 ? 'run' : 'runs'} ${listUpTo(runs, mostNamed)} ${runs.length === 1 ? 'does' : 'do'} if clusters fail`,
      ];
}

/** Approvals and rejections that it brings. */
const answersText = (effect: TotalEffect): string[] => [
  ...effect.allowed.map((of) => approvesText(of, effect.fleetSize)),
  ...approvedTexts(effect),
  ...uncountedText(effect, false),
  ...uncountedText(effect, true),
];

function uncountedText({ uncounted }: TotalEffect, isLater: boolean): string[] {
  const names = uncounted.flatMap(({ approval, later = false }) => (later === isLater ? [approval] : []));
  return names.length === 0 ? [] : [`not counted${isLater ? ' yet' : ''}: ${listUpTo(names, mostNamed)}`];
}

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

export const onceApproved = (approvals: readonly string[]): string =>
  approvals.length === 0 ? '' : `, not before approval ${listUpTo(approvals, mostNamed)}`;

export const nodesText = ({ nodes, first }: TotalEffect): readonly string[] =>
  nodeEffects(nodes, currenciesOf(first.contents.world.input.fleet));

/** Those beyond what the guard says of the merge itself. */
export const laterRefusals = ({ forecast, first }: TotalEffect): Forecast['refusals'] =>
  forecast.refusals.filter(({ rule, from }) => rule === undefined || from > first.plan.now);
