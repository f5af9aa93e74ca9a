import { placementKey } from '../../api/placement.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { describeRef } from '../../engine/selection/object-key.ts';
import type { AllowedRemoval } from '../../forecast/allowed-removals.ts';
import type { Forecast } from '../../forecast/forecast.ts';
import type { LaterChange } from '../../forecast/later-changes.ts';
import type { ObjectChange, PlacementEffect } from '../../forecast/object-changes.ts';
import type { ReturningObject } from '../../forecast/returning-objects.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import { clustersToUpgrade } from '../../forecast/upgrade-forecasts.ts';
import { titleOf } from '../../repo/title-of.ts';
import { instantText } from '../forecast/instant-text.ts';
import { forecastSummary, supposedText } from '../forecast/lines.ts';
import { upgradeLines } from '../forecast/upgrade-lines.ts';
import {
  changedPoliciesText,
  failingText,
  mostNamed,
  nodesText,
  onceApproved,
  ownUpgrades,
  titleText,
  unreachedText,
} from './effect-title.ts';
import { inProgressLines, inProgressTexts } from './in-progress-text.ts';
import { rolloutText } from './rollout-text.ts';

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
  const { placements, changes, held, stopped, needsRun, guard, noLongerRefused, allowed, returning } = effect;
  const upgrading = ownUpgrades(effect).flatMap(clustersToUpgrade);
  const nodes = nodesText(effect);
  const parts = [
    ...[placements, returning, held, stopped, needsRun, guard, noLongerRefused, upgrading, nodes],
    effect.rescheduled,
    ...[
      failingText(effect),
      inProgressTexts(effect),
      unreachedText(effect),
      effect.takenBack,
      changedPoliciesText(effect),
    ],
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
const pendingTexts = ({ pending }: TotalEffect): EffectText['changes'] =>
  pending.map((change) => {
    const when = change.isHeld ? 'once it is no longer held' : 'needs a staged update run';
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

const returningText = ({ placement, object, clusters, approvals }: ReturningObject): EffectText['changes'][number] => ({
  title: `${titleOf(placement)}: ${describeRef(object)} ${createdAnew}${onceApproved(approvals)}, ${clustersText(clusters)}`,
  diff: '',
  isRemoval: true,
});

const createdAnew = 'removed and created anew';

function changeTitle({ action, placement, from, to, keptFor, object, clusters, returns }: LaterChange): string {
  const where = clustersText(clusters);
  const why = keptFor ? ` (${titleOf(keptFor)} needs it)` : '';
  const what = to
    ? `stays for ${titleOf(to)} to take over`
    : `${returns ? createdAnew : verbs[action]}${from ? `, moves from ${titleOf(from)} to ${titleOf(placement)}` : ''}${why}`;
  return `${titleOf(placement)}: ${describeRef(object)} ${what}, ${where}`;
}
