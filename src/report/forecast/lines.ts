import type { Timestamp } from '../../api/meta.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Forecast, Rollout, RolloutStage, Wait } from '../../forecast/forecast.ts';
import { titleOf } from '../../repo/title-of.ts';
import { upgradeRunText } from '../sections/upgrade-runs.ts';
import { type GanttRow, gantt } from './gantt.ts';

/** A rollout of a forecast as text. */
export interface ForecastPart {
  /** `web-1 (placement web): done 2026-11-20 14:00 UTC` */
  readonly title: string;
  /** STAGE, CLUSTERS, START, END and the chart. */
  readonly rows: readonly (readonly string[])[];
  /** What a reader has to do or to know: approvals, freezes, how it ends. */
  readonly notes: readonly string[];
}

export const forecastHeadings = ['STAGE', 'CLUSTERS', 'START', 'END', 'TIMELINE'];

/** `2026-11-20 14:00 UTC` */
export const instantText = (at: Timestamp): string => at.replace(/^(\S{10})T(\d\d:\d\d).*$/, '$1 $2 UTC');

/** All of a forecast in a sentence. */
export function forecastSummary(forecast: Forecast): string {
  const { guard, end } = forecast;
  if (guard.length > 0 && end === 'refused') return `Refused: ${guard[0]!.message}.`;
  const open = openOf(forecast);
  return [rolloutSummary(forecast, open.length > 0), ...open].join(' ');
}

/** What is not part of any rollout and not done: sentences. */
function openOf({ upgrades, shortages }: Forecast): string[] {
  const runs = upgrades.map((run) => `${run.name} (${upgradeRunText(run)})`);
  const short = listUpTo(shortages.map(titleOf), 5);
  return [
    ...(runs.length === 0 ? [] : [`Cluster upgrades are not simulated: ${listUpTo(runs, 5)}.`]),
    ...(short === '' ? [] : [`Not fully scheduled: ${short} (gitfleet explain placement NAME explains why).`]),
  ];
}

function rolloutSummary({ rollouts, doneAt, end, until }: Forecast, isMoreOpen: boolean): string {
  if (rollouts.length === 0)
    return isMoreOpen ? 'No placement changes any cluster.' : 'Nothing changes on any cluster.';
  if (doneAt !== undefined)
    return `${isMoreOpen ? 'All rollouts are' : 'Everything is'} done at ${instantText(doneAt)}.`;
  const open = rollouts.filter(({ to }) => to === undefined).map(nameOf);
  const when = end === 'horizon' ? `by ${instantText(until)}` : 'until something else changes';
  return `Not done ${when}: ${listUpTo(open, 5)}.`;
}

/** One part for each rollout; bars of all of them have one scale. */
export function forecastParts({ rollouts, until }: Forecast): readonly ForecastPart[] {
  const bars = [
    ...gantt(
      rollouts.flatMap(({ stages }) => stages.map(rowOf)),
      until,
    ),
  ];
  return rollouts.map((rollout) => ({
    title: titleText(rollout),
    rows: rollout.stages.map((stage) => [
      stageName(stage),
      clustersText(stage),
      stage.from === undefined ? '' : instantText(stage.from),
      stage.to === undefined ? '' : instantText(stage.to),
      bars.shift() || ' ',
    ]),
    notes: notesOf(rollout),
  }));
}

const rowOf = ({ from, to, waits, clusters }: RolloutStage): GanttRow => ({ from, to, waits, clusters });

const nameOf = ({ run, placement }: Rollout): string => run ?? titleOf(placement);

function titleText(rollout: Rollout): string {
  const { run, placement, to, state } = rollout;
  const what = run === undefined ? titleOf(placement) : `${run} (placement ${titleOf(placement)})`;
  const failed = state?.type === 'Succeeded' && state.status === 'False';
  if (failed) return `${what}: fails${to === undefined ? '' : ` at ${instantText(to)}`}: ${state.message ?? ''}`;
  return `${what}: ${to === undefined ? `not done: ${state?.message ?? 'clusters are not ready'}` : `done at ${instantText(to)}`}`;
}

const stageName = ({ name, isRollback }: RolloutStage): string =>
  name === undefined ? 'all' : isRollback ? `${name} (rollback)` : name;

function clustersText({ clusters }: RolloutStage): string {
  const done = clusters.filter(({ to }) => to !== undefined).length;
  return clusters.length === 0 ? '-' : `${done}/${clusters.length}`;
}

const notesOf = ({ stages, waits }: Rollout): string[] => [
  ...waits.map((wait) => noteOf(wait, undefined)),
  ...stages.flatMap((stage) => stage.waits.map((wait) => noteOf(wait, stage.name))),
];

function noteOf({ kind, from, to, approval }: Wait, stage: string | undefined): string {
  const span = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
  const where = stage === undefined ? '' : `stage ${stage}: `;
  switch (kind) {
    case 'approval':
      return `${where}needs approval ${approval ?? ''}, requested at ${instantText(from)}${to === undefined ? ', not given' : `, given at ${instantText(to)}`}`;
    case 'soak':
      return `${where}soaks ${span}`;
    case 'freeze':
      return `${where}frozen ${span}`;
  }
}

/** Every cluster with its times, in order of its start: what a table lists below the chart. */
export const clusterRows = ({ rollouts }: Forecast): readonly (readonly string[])[] =>
  rollouts
    .flatMap((rollout) => rollout.stages.flatMap((stage) => stage.clusters.map((span) => ({ rollout, stage, span }))))
    .sort((a, b) => (parseInstant(a.span.from) ?? 0) - (parseInstant(b.span.from) ?? 0))
    .map(({ rollout, stage, span }) => [
      instantText(span.from),
      span.to === undefined ? '' : instantText(span.to),
      span.action,
      nameOf(rollout),
      stageName(stage),
      span.clusterName,
    ]);
