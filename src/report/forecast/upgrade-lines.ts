import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { LeftMember, UpgradeForecast, UpgradeSpan } from '../../forecast/upgrade-forecasts.ts';
import { upgradeTarget, versionChange } from '../upgrades/progress.ts';
import { instantText } from './instant-text.ts';

/** Clusters named in one line, and operations listed of one run. */
const mostNamed = 5;
const mostListed = 30;

/** `k8s-1-31 (Full to 1.31.5): done at 2026-11-20 14:00 UTC` */
export function upgradeTitle(upgrade: UpgradeForecast): string {
  const { run, managedClusterUpdate, to, status, waitsFor, done, total } = upgrade;
  const { type } = managedClusterUpdate.upgrade;
  const name = `${run} (${type} to ${upgradeTarget({ spec: { managedClusterUpdate } })})`;
  const why = status.error === undefined ? '' : `: ${status.error.message}`;
  switch (status.state) {
    case 'Completed':
      return `${name}: done at ${instantText(to ?? '')}`;
    case 'Failed':
      return `${name}: fails${to === undefined ? '' : ` at ${instantText(to)}`}${why}`;
    case 'Skipped':
      return `${name}: upgrades no cluster${why}`;
    default:
      return `${name}: only ${done} of ${total} clusters done${waitsFor === undefined ? '' : `: ${waitsFor}`}`;
  }
}

/** Clusters that a run leaves as they are, or that still wait at its end: a line for each reason. */
export function leftNotes({ stages }: Pick<UpgradeForecast, 'stages'>): string[] {
  const left = stages.flatMap((stage) =>
    stage.left.map((member) => ({ stage: stage.name, name: member.clusterName, why: whyLeft(member) })),
  );
  return [...Map.groupBy(left, ({ stage, why }) => `${stage} ${why}`).values()].map((of) => {
    const { stage, why } = of[0]!;
    return `stage ${stage}: ${listUpTo(
      of.map(({ name }) => name),
      mostNamed,
    )}: ${why}`;
  });
}

function whyLeft({ clusterName, status: { state, error } }: LeftMember): string {
  // A reason that names the cluster would make a line for each.
  const why = error === undefined ? '' : `, ${error.code}: ${withoutName(error.message, clusterName)}`;
  switch (state) {
    case 'Skipped':
      return `skipped${why}`;
    case 'Failed':
      return `failed${why}`;
    default:
      return error === undefined ? 'not reached' : `waiting${why}`;
  }
}

const withoutName = (message: string, name: string): string =>
  message.replaceAll(new RegExp(`(?<![\\w-])${name.replaceAll('.', '\\.')}(?![\\w-])`, 'g'), 'it');

/** `eu-1 v1.30.9 → v1.31.5, 2026-11-20 14:00 UTC to 2026-11-20 14:30 UTC`: each operation of a run, then who is left out and why. */
export function upgradeLines(upgrade: UpgradeForecast): string[] {
  const spans = upgrade.stages
    .flatMap((stage) => stage.clusters.map((span) => ({ stage: stage.name, span })))
    .sort((a, b) => a.span.from.localeCompare(b.span.from));
  const more = spans.length - mostListed;
  return [
    upgradeTitle(upgrade),
    ...[
      ...spans.slice(0, mostListed).map(({ stage, span }) => `stage ${stage}: ${spanText(span)}`),
      ...(more > 0 ? [`${more} more clusters`] : []),
      ...leftNotes(upgrade),
    ].map((line) => `${upgrade.run}, ${line}`),
  ];
}

function spanText(span: UpgradeSpan): string {
  const { clusterName, from, to } = span;
  const change = changeOf(span);
  const times = to === undefined ? `from ${instantText(from)} on` : `${instantText(from)} to ${instantText(to)}`;
  return `${clusterName}${change === undefined ? '' : ` ${change}`}, ${times}`;
}

/** `v1.30.9 → v1.31.5` */
export const changeOf = ({ versions }: UpgradeSpan): string | undefined => versionChange(versions);
