import { listUpTo } from '../../engine/kernel/short-list.ts';
import type { TotalEffect } from '../../forecast/total-effect.ts';
import type { ChangedUpgrade } from '../../forecast/upgrades-in-progress.ts';
import { instantText } from '../forecast/instant-text.ts';

/** Clusters named in one line. */
const mostNamed = 10;

const verbs = { stop: 'stops', removal: 'removes', rejection: 'rejects' };

/** Cluster update runs in progress, for the title. Approvals are supposed to be given: one that is given has no effect of its own. */
export const inProgressTexts = ({ upgradesInProgress }: Pick<TotalEffect, 'upgradesInProgress'>): string[] =>
  upgradesInProgress.flatMap(({ run, by, kept, moved }) => {
    if (by === 'approval') return [];
    const as = kept.length === 1 ? 'it is' : 'they are';
    const leaves = kept.length === 0 ? '' : `, which leaves ${clustersText(kept)} as ${as}`;
    if (by !== undefined) return [`${verbs[by]} cluster update run ${run}${leaves}`];
    const times = moved.length === 0 ? '' : ` for ${clustersText(moved)} at other times`;
    return times + leaves === '' ? [] : [`cluster update run ${run} continues${times}${leaves}`];
  });

const clustersText = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? 'cluster' : 'clusters'}`;

/** Whom it leaves as they are, and when it upgrades others at other times. */
export function inProgressLines({ run, kept, moved }: ChangedUpgrade): string[] {
  const start = (at: string | undefined): string => (at === undefined ? 'not' : `from ${instantText(at)} on`);
  const alike = Map.groupBy(
    moved,
    ({ before, after }) => `upgraded ${start(after)}, without the change ${start(before)}`,
  );
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ['upgraded only without the change', kept],
    ...[...alike].map(([times, of]) => [times, of.map(({ clusterName }) => clusterName)] as const),
  ];
  return lines.flatMap(([text, of]) => (of.length === 0 ? [] : [`${run}: ${listUpTo(of, mostNamed)}: ${text}`]));
}
