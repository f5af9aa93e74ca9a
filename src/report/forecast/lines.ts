import type { Timestamp } from '../../api/meta.ts';
import { formatDuration } from '../../engine/kernel/duration.ts';
import { parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { Assumptions } from '../../forecast/assumptions.ts';
import { failureOf } from '../../forecast/failure.ts';
import type { Forecast, Rollout } from '../../forecast/forecast.ts';
import { heldRemovals, needsRemovals } from '../../forecast/refusals.ts';
import type { ClusterSpan, RolloutStage, Wait } from '../../forecast/spans.ts';
import type { UpgradeForecast } from '../../forecast/upgrade-forecasts.ts';
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

/** Of one list. */
const mostNamed = 5;

export const forecastHeadings = ['STAGE', 'CLUSTERS', 'START', 'END', 'TIMELINE'];

/** All of a forecast in a few sentences. */
export function forecastSummary(forecast: Forecast, { approveAfterMs }: Pick<Assumptions, 'approveAfterMs'>): string {
  const { guard, end } = forecast;
  if (guard.length > 0 && end === 'refused') return `Refused: ${guard[0]!.message}.`;
  const short = listUpTo(forecast.shortages.map(titleOf), mostNamed);
  return [
    summaryOf(forecast, short !== ''),
    ...reappliedText(forecast),
    ...stagesText(forecast, approveAfterMs),
    ...proposedText(forecast),
    ...(short === '' ? [] : [`Not fully scheduled: ${short} (gitfleet explain placement NAME explains why).`]),
  ].join(' ');
}

/** Times in which the guard refuses plans, or a removal waits for its approval. */
export const refusalNotes = ({ refusals }: Pick<Forecast, 'refusals'>): string[] =>
  refusals.map(({ rule, subject, message, removalDigest, from, to, approved }) => {
    const what = rule !== undefined ? `the guard refuses the plan: ${message}` : `${titleOf(subject!)}: ${message}`;
    const asked = `approved by a RemovalApproval with removalDigest ${removalDigest}, requested at ${instantText(from)}`;
    const end = to === undefined ? 'not given' : `${approved ? 'given' : 'no longer needed'} at ${instantText(to)}`;
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
    : [`Proposed, and not started before it is merged (gitfleet approve NAME): ${listUpTo(names, mostNamed)}.`];
}

/** No stage and no number of clusters limits it. */
const reappliedText = ({ reapplied }: Forecast): string[] =>
  reapplied.map(
    ({ placement, clusters }) =>
      `At once, by no rollout: ${titleOf(placement)} is applied again on ${listUpTo(clusters, mostNamed)}.`,
  );

function summaryOf(forecast: Forecast, isShort: boolean): string {
  const { rollouts, reapplied, upgrades, nodes, doneAt, end, until } = forecast;
  if (rollouts.length + upgrades.length === 0)
    return reapplied.length > 0
      ? 'Nothing is rolled out.'
      : isShort || nodes.some(({ commands }) => commands.length > 0)
        ? 'No placement changes any cluster.'
        : 'Nothing changes on any cluster.';
  // Of nodes a sentence of their own follows.
  const isPart = isShort || nodes.some(({ commands }) => commands.length > 0);
  const allowed = allowedText(rollouts);
  if (doneAt !== undefined)
    return `${isPart ? 'All rollouts are' : 'Everything is'} done at ${instantText(doneAt)}${allowed}.`;
  const all = [...rollouts, ...upgrades];
  const failing = listUpTo(
    all.flatMap((of) => failsText(of, nameOf(of)) ?? []),
    mostNamed,
    '; ',
  );
  const open = [...all.filter(({ to }) => to === undefined).map(openText), ...heldTexts(forecast)];
  if (open.length > 0) {
    const when = end === 'horizon' ? `by ${instantText(until)}` : 'until something else changes';
    return `Not done ${when}: ${listUpTo(open, mostNamed)}.${failing === '' ? '' : ` ${failing}.`}`;
  }
  const others = all.flatMap((of) => (failureOf(of) === undefined ? (of.to ?? []) : [])).sort();
  return others.length === 0 ? `${failing}.` : `Done at ${instantText(others.at(-1)!)}, but ${failing}.`;
}

/** `web (needs an approval of removals on b)`, where a rollout that is not done does not say it. */
function heldTexts(forecast: Forecast): string[] {
  const open = new Set(forecast.rollouts.flatMap((of) => (of.to === undefined && !of.run ? [nameOf(of)] : [])));
  const held = [...Map.groupBy(heldRemovals(forecast.refusals), titleOf)].filter(([name]) => !open.has(name));
  return held.map(([name, subjects]) => `${name} (${needsRemovals(subjects)})`);
}

/** With what it waits for, if someone can do something about it. */
function openText(of: Rollout | UpgradeForecast): string {
  const { waitsFor, stages } = of;
  const asked = stages
    .flatMap(({ waits }): readonly Wait[] => waits)
    .find(({ kind, to }) => kind === 'approval' && to === undefined);
  const why = silentText(of) ?? waitsFor ?? (asked && `needs approval ${asked.approval ?? ''}`) ?? keptText(of);
  return `${nameOf(of)}${why === undefined ? '' : ` (${why})`}`;
}

/** `ams keeps what it has: the override fails` */
function keptText(of: Rollout | UpgradeForecast): string | undefined {
  const kept = 'ends' in of ? of.ends?.find(({ why }) => why !== undefined) : undefined;
  if (kept === undefined) return undefined;
  const { clusters, why } = kept;
  return `${listUpTo(clusters, mostNamed)} ${clusters.length === 1 ? 'keeps what it has' : 'keep what they have'}: ${why}`;
}

function silentText({ notResponding = [] }: Pick<Rollout, 'notResponding'>): string | undefined {
  const names = listUpTo(notResponding, mostNamed);
  return names === '' ? undefined : `${names} ${notResponding.length === 1 ? 'is' : 'are'} not responding`;
}

/** `web-1: dev done at 2026-11-20 14:00 UTC, prod done at 2026-11-20 14:10 UTC if approved within 1h0m0s.` */
function stagesText({ rollouts, from }: Forecast, approveAfterMs: number | undefined): string[] {
  const texts = rollouts.flatMap((rollout) => {
    const stages = rollout.stages.filter(({ name, to }) => name !== undefined && (to === undefined || to > from));
    const last = stages.findLastIndex(({ to }) => to !== undefined);
    if (last < 0 || failureOf(rollout) !== undefined) return [];
    const waits = stages.flatMap((stage) => stage.waits);
    const isApproved = waits.some(({ kind, to }) => kind === 'approval' && to !== undefined && to > from);
    const supposed =
      isApproved && approveAfterMs !== undefined ? ` if approved within ${formatDuration(approveAfterMs)}` : '';
    const times = stages.map((stage, at) => {
      const { to } = stage;
      return `${stageName(stage)} ${to === undefined ? 'not done' : `done at ${instantText(to)}${at === last ? supposed : ''}`}`;
    });
    const left = times.length - mostNamed;
    // The last stages matter most.
    const shown = left > 0 ? [times[0], `${left} more stages`, ...times.slice(1 - mostNamed)] : times;
    return [`${nameOf(rollout)}: ${shown.join(', ')}`];
  });
  return texts.length === 0 ? [] : [`${listUpTo(texts, mostNamed, '; ')}.`];
}

/** One part for each rollout, then one for each cluster update run; bars of all of them have one scale. */
export function forecastParts({ rollouts, upgrades, from, until }: Forecast): readonly ForecastPart[] {
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
      title: rolloutTitle(rollout),
      rows: rowsOf(rollout.stages),
      notes: [...notesOf(rollout, from), ...endNotes(rollout)],
    })),
    ...upgrades.map((upgrade) => ({
      title: upgradeTitle(upgrade),
      rows: rowsOf(upgrade.stages),
      notes: [...notesOf(upgrade, from), ...leftNotes(upgrade)],
    })),
  ];
}

const rowOf = ({ from, to, waits, clusters }: RolloutStage): GanttRow => ({ from, to, waits, clusters });

/** A cluster update run has no placement. */
type Named = Pick<Rollout, 'run'> & Partial<Pick<Rollout, 'placement'>>;

const nameOf = ({ run, placement }: Named): string => run ?? (placement ? titleOf(placement) : '');

/** `web-1 (placement web): done at 2026-11-20 14:00 UTC` */
export function rolloutTitle(rollout: Rollout): string {
  const { run, placement, to, state, waitsFor } = rollout;
  const what = run === undefined ? titleOf(placement) : `${run} (placement ${titleOf(placement)})`;
  const fails = failsText(rollout, `${what}:`);
  if (fails !== undefined) return fails;
  if (to !== undefined) return `${what}: done at ${instantText(to)}${allowedText([rollout])}`;
  const why = [silentText(rollout), waitsFor ?? state?.message].filter((text) => text !== undefined);
  return `${what}: not done: ${why.join('; ') || 'clusters are not ready'}`;
}

/** `; ams failed, which max-failures allows`: of those that are done. */
function allowedText(rollouts: readonly Rollout[]): string {
  const failed = rollouts.flatMap(({ stages }) =>
    stages.flatMap(({ clusters }) => clusters.flatMap((span) => (span.failed ? [span.clusterName] : []))),
  );
  return failed.length === 0 ? '' : `; ${listUpTo([...new Set(failed)], mostNamed)} failed, which max-failures allows`;
}

/** `web-1 fails at 2026-11-20 14:00 UTC: cluster ams was not available within 1m0s` */
function failsText(of: Parameters<typeof failureOf>[0] & Pick<Rollout, 'to'>, name: string): string | undefined {
  const failure = failureOf(of);
  return failure && `${name} fails${of.to === undefined ? '' : ` at ${instantText(of.to)}`}: ${failure}`;
}

const stageName = ({ name, isRollback }: RolloutStage): string =>
  name === undefined ? 'all' : isRollback ? `${name} (rollback)` : name;

function clustersText({ clusters, notStarted }: RolloutStage): string {
  const names = (of: readonly ClusterSpan[]) => new Set(of.map(({ clusterName }) => clusterName));
  // A cluster that is upgraded in several steps is one.
  const open = names(clusters.filter(({ to }) => to === undefined));
  const failed = names(clusters.filter((span) => span.failed));
  const all = names(clusters).size + notStarted;
  if (all === 0) return '-';
  return `${all - notStarted - open.size - failed.size}/${all}${failed.size === 0 ? '' : ` (${failed.size} failed)`}`;
}

/** Of waits that are not over when the forecast begins, and of those that what it begins with cuts short. */
function notesOf({ stages, waits }: Pick<Rollout, 'stages' | 'waits'>, begin: Timestamp): string[] {
  const all = [
    ...waits.map((wait) => ({ wait, stage: undefined })),
    ...stages.flatMap(({ name: stage, waits: of }) => of.map((wait) => ({ wait, stage }))),
  ];
  const isOver = ({ to, unmet }: Wait): boolean => to !== undefined && (unmet ? to < begin : to <= begin);
  return all.flatMap(({ wait, stage }) => (isOver(wait) ? [] : [noteOf(wait, stage)]));
}

/** `web ends with snapshot 1 on fra, nyc; with snapshot 0 on ams, as an override fails` */
function endNotes({ placement, ends = [] }: Rollout): string[] {
  const texts = ends.map(({ resourceSnapshotIndex: index, clusters, why }) => {
    const what = index === undefined ? 'with nothing of it' : `with snapshot ${index}`;
    return `${what} on ${listUpTo(clusters, mostNamed)}${why === undefined ? '' : ` (${why})`}`;
  });
  return texts.length === 0 ? [] : [`${titleOf(placement)} ends ${texts.join('; ')}`];
}

function answerText({ to, unmet, rejected }: Pick<Wait, 'to' | 'unmet' | 'rejected'>): string {
  if (to === undefined) return 'not given';
  if (rejected) return `rejected at ${instantText(to)}`;
  return unmet ? 'not given' : `given at ${instantText(to)}`;
}

function noteOf(wait: Wait, stage: string | undefined): string {
  const { kind, from, to, approval, freeze } = wait;
  const span = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
  const where = stage === undefined ? '' : `stage ${stage}: `;
  switch (kind) {
    case 'approval':
      return `${where}needs approval ${approval ?? ''}, requested at ${instantText(from)}, ${answerText(wait)}`;
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

function rowFor(of: Named, stage: RolloutStage, span: ClusterSpan, change = '') {
  const { from, to, clusterName } = span;
  const action = span.failed ? `${span.action} failed` : span.action;
  const end = to === undefined ? '' : instantText(to);
  return {
    at: parseInstant(from) ?? 0,
    cells: [instantText(from), end, action, nameOf(of), stageName(stage), clusterName, change],
  };
}
