import { formatDuration } from '../../engine/kernel/duration.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Assumptions } from '../../forecast/assumptions.ts';
import type { Forecast, Rollout } from '../../forecast/forecast.ts';
import type { ClusterSpan, RolloutStage, Wait } from '../../forecast/spans.ts';
import { titleOf } from '../../repo/title-of.ts';
import { upgradeTarget } from '../upgrades/progress.ts';
import { type GanttRow, gantt } from './gantt.ts';
import { instantText } from './instant-text.ts';
import { changeOf, leftNotes, upgradeTitle } from './upgrade-lines.ts';

/** A rollout or a cluster update run of a forecast as text. */
export interface ForecastPart {
  /** `web-1 (placement web): done 2026-11-20 14:00 UTC` */
  readonly title: string;
  /** STAGE, CLUSTERS, START, END and the chart. */
  readonly rows: readonly (readonly string[])[];
  /** What a reader has to do or to know: approvals, freezes, how it ends. */
  readonly notes: readonly string[];
}

export const forecastHeadings = ['STAGE', 'CLUSTERS', 'START', 'END', 'TIMELINE'];

/** All of a forecast in a sentence. */
export function forecastSummary(forecast: Forecast): string {
  const { guard, end } = forecast;
  if (guard.length > 0 && end === 'refused') return `Refused: ${guard[0]!.message}.`;
  const short = listUpTo(forecast.shortages.map(titleOf), 5);
  return [
    summaryOf(forecast, short !== ''),
    ...proposedText(forecast),
    ...(short === '' ? [] : [`Not fully scheduled: ${short} (gitfleet explain placement NAME explains why).`]),
  ].join(' ');
}

/** Times in which the guard refuses plans, or a removal waits for its approval. */
export const refusalNotes = ({ refusals }: Pick<Forecast, 'refusals'>): string[] =>
  refusals.map(({ rule, subject, message, removalDigest, from, to }) => {
    const what = rule !== undefined ? `the guard refuses the plan: ${message}` : `${titleOf(subject!)}: ${message}`;
    const asked = `approved by a RemovalApproval with removalDigest ${removalDigest}, asked for at ${instantText(from)}`;
    const end = to === undefined ? 'not given' : `given at ${instantText(to)}`;
    const span = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
    return removalDigest === undefined ? `${what}, ${span}` : `${what}; ${asked}, ${end}`;
  });

/** What a forecast rests on. */
export function supposedText(
  { upgrades, nodes }: Pick<Forecast, 'upgrades' | 'nodes'>,
  {
    readyAfterMs,
    approveAfterMs,
    upgradedAfterMs,
  }: Pick<Assumptions, 'readyAfterMs' | 'approveAfterMs' | 'upgradedAfterMs'>,
): string {
  const [ready, upgrade] = [formatDuration(readyAfterMs), formatDuration(upgradedAfterMs)];
  const upgraded = upgrades.length === 0 ? '' : ` upgraded after ${upgrade} (each step of several minors),`;
  const drained = nodes.some(({ commands }) => commands.length > 0)
    ? ` nodes are launched or drained in ${ready} each, pods of expired nodes get a node like theirs,`
    : '';
  const approved = approveAfterMs === undefined ? 'never given' : `given after ${formatDuration(approveAfterMs)}`;
  return `Supposed: clusters are ready after ${ready},${upgraded}${drained} and approvals are ${approved}.`;
}

function proposedText({ proposals }: Forecast): string[] {
  const names = proposals.map(({ run, managedClusterUpdate }) => {
    const target = upgradeTarget({ spec: { managedClusterUpdate } });
    return `${run} (${managedClusterUpdate.upgrade.type} to ${target})`;
  });
  return names.length === 0
    ? []
    : [`Proposed, and not started before it is merged (gitfleet approve NAME): ${listUpTo(names, 5)}.`];
}

function summaryOf({ rollouts, upgrades, nodes, doneAt, end, until }: Forecast, isShort: boolean): string {
  if (rollouts.length + upgrades.length === 0)
    return isShort || nodes.some(({ commands }) => commands.length > 0)
      ? 'No placement changes any cluster.'
      : 'Nothing changes on any cluster.';
  // Of nodes a sentence of their own follows.
  const isPart = isShort || nodes.some(({ commands }) => commands.length > 0);
  if (doneAt !== undefined) return `${isPart ? 'All rollouts are' : 'Everything is'} done at ${instantText(doneAt)}.`;
  const open = [...rollouts, ...upgrades].filter(({ to }) => to === undefined).map(nameOf);
  const when = end === 'horizon' ? `by ${instantText(until)}` : 'until something else changes';
  return `Not done ${when}: ${listUpTo(open, 5)}.`;
}

/** One part for each rollout, then one for each cluster update run; bars of all of them have one scale. */
export function forecastParts({ rollouts, upgrades, until }: Forecast): readonly ForecastPart[] {
  const bars = [
    ...gantt(
      [...rollouts, ...upgrades].flatMap(({ stages }) => stages.map(rowOf)),
      until,
    ),
  ];
  const rowsOf = (stages: readonly RolloutStage[]): ForecastPart['rows'] =>
    stages.map((stage) => [
      stageName(stage),
      clustersText(stage),
      stage.from === undefined ? '' : instantText(stage.from),
      stage.to === undefined ? '' : instantText(stage.to),
      bars.shift() || ' ',
    ]);
  return [
    ...rollouts.map((rollout) => ({
      title: titleText(rollout),
      rows: rowsOf(rollout.stages),
      notes: notesOf(rollout),
    })),
    ...upgrades.map((upgrade) => ({
      title: upgradeTitle(upgrade),
      rows: rowsOf(upgrade.stages),
      notes: [...notesOf(upgrade), ...leftNotes(upgrade)],
    })),
  ];
}

const rowOf = ({ from, to, waits, clusters }: RolloutStage): GanttRow => ({ from, to, waits, clusters });

/** A cluster update run has no placement. */
type Named = Pick<Rollout, 'run'> & Partial<Pick<Rollout, 'placement'>>;

const nameOf = ({ run, placement }: Named): string => run ?? (placement ? titleOf(placement) : '');

function titleText(rollout: Rollout): string {
  const { run, placement, to, state } = rollout;
  const what = run === undefined ? titleOf(placement) : `${run} (placement ${titleOf(placement)})`;
  const failed = state?.type === 'Succeeded' && state.status === 'False';
  if (failed) return `${what}: fails${to === undefined ? '' : ` at ${instantText(to)}`}: ${state.message ?? ''}`;
  return `${what}: ${to === undefined ? `not done: ${state?.message ?? 'clusters are not ready'}` : `done at ${instantText(to)}`}`;
}

const stageName = ({ name, isRollback }: RolloutStage): string =>
  name === undefined ? 'all' : isRollback ? `${name} (rollback)` : name;

function clustersText({ clusters, notStarted }: RolloutStage): string {
  const names = (of: readonly ClusterSpan[]) => new Set(of.map(({ clusterName }) => clusterName));
  // A cluster that is upgraded in several steps is one.
  const open = names(clusters.filter(({ to }) => to === undefined));
  const all = names(clusters).size + notStarted;
  return all === 0 ? '-' : `${all - notStarted - open.size}/${all}`;
}

const notesOf = ({ stages, waits }: Pick<Rollout, 'stages' | 'waits'>): string[] => [
  ...waits.map((wait) => noteOf(wait, undefined)),
  ...stages.flatMap((stage) => stage.waits.map((wait) => noteOf(wait, stage.name))),
];

function noteOf({ kind, from, to, approval, freeze }: Wait, stage: string | undefined): string {
  const span = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
  const where = stage === undefined ? '' : `stage ${stage}: `;
  switch (kind) {
    case 'approval':
      return `${where}needs approval ${approval ?? ''}, requested at ${instantText(from)}${to === undefined ? ', not given' : `, given at ${instantText(to)}`}`;
    case 'soak':
      // Times are shown to the minute.
      return to !== undefined && instantText(from) === instantText(to)
        ? `${where}soaks for ${formatDuration(parseInstant(to)! - parseInstant(from)!)} at ${instantText(from)}`
        : `${where}soaks ${span}`;
    case 'freeze':
      return `${where}frozen${freeze === undefined ? '' : ` by ${freeze}`} ${span}`;
    case 'start':
      return `${where}starts at a scheduled time, waits ${span}`;
    case 'window':
      return `${where}clusters wait for a maintenance window ${span}`;
  }
}

/** Every cluster with its times, in order of its start: what a table lists below the chart. Only upgrades have versions. */
export const clusterRows = ({ rollouts, upgrades }: Forecast): readonly (readonly string[])[] =>
  [
    ...rollouts.flatMap((of) => of.stages.flatMap((stage) => stage.clusters.map((span) => rowFor(of, stage, span)))),
    ...upgrades.flatMap((of) =>
      of.stages.flatMap((stage) => stage.clusters.map((span) => rowFor(of, stage, span, changeOf(span)))),
    ),
  ]
    .sort((a, b) => a.at - b.at)
    .map(({ cells }) => (upgrades.length === 0 ? cells.slice(0, -1) : cells));

/** Of those rows; VERSIONS where they have them. */
export const clusterHeadings = ['START', 'END', 'ACTION', 'ROLLOUT', 'STAGE', 'CLUSTER', 'VERSIONS'];

function rowFor(of: Named, stage: RolloutStage, { from, to, action, clusterName }: ClusterSpan, change = '') {
  const end = to === undefined ? '' : instantText(to);
  return {
    at: parseInstant(from) ?? 0,
    cells: [instantText(from), end, action, nameOf(of), stageName(stage), clusterName, change],
  };
}
