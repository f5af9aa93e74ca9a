import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import { type Fleet, type FleetRecord, noneUnread } from '../../../engine/input.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { mostHolds } from '../../../report/grouped-holds.ts';
import type { FollowedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';

/**
 * Runs and evictions whose record was removed count as lost, or they would be carried out twice: the plan in effect was made from a
 * commit that has their files, so it recorded them.
 */
export async function withForgotten(
  record: FleetRecord,
  history: FollowedHistory,
): Promise<{ readonly record: FleetRecord; readonly problems: readonly Problem[] }> {
  const { inEffect, unread = noneUnread } = record;
  const planned = record.exists && inEffect?.commit !== undefined ? await history.fleetAt(inEffect.commit) : undefined;
  const tip = await history.fleetAt(history.tip);
  if (planned === undefined || tip === undefined) return { record, problems: [] };
  const runs = missing({ planned: planned.runs, tip: tip.runs, recorded: record.runs, unread: unread.runs });
  const upgrades = missing({
    planned: planned.upgradeRuns,
    tip: tip.upgradeRuns,
    recorded: record.upgrades,
    unread: unread.upgrades,
  });
  const evictions = missing({
    planned: planned.evictions.filter(({ metadata }) => !mayHaveWaited(metadata.name, record)),
    tip: tip.evictions,
    recorded: record.evictions,
    unread: unread.evictions,
  });
  if (runs.length + upgrades.length + evictions.length === 0) return { record, problems: [] };
  return {
    record: {
      ...record,
      unread: {
        ...unread,
        runs: unread.runs.union(new Set(runs)),
        upgrades: unread.upgrades.union(new Set(upgrades)),
        evictions: unread.evictions.union(new Set(evictions)),
      },
    },
    problems: [
      ...runs.map((name) => removed(`runs/${name}.yaml`)),
      ...upgrades.map((name) => removed(`upgrades/${name}.yaml`)),
      ...evictions.map((name) => removed(`evictions/${name}.yaml`)),
    ],
  };
}

/** Evictions that wait have no record, only a hold, which a long list may leave out. */
const mayHaveWaited = (eviction: string, { inEffect }: FleetRecord): boolean =>
  inEffect === undefined ||
  inEffect.holds.length >= mostHolds ||
  inEffect.holds.some(
    ({ subject }) => subject.kind === 'ClusterResourcePlacementEviction' && subject.name === eviction,
  );

type Work = Fleet['runs'][number] | Fleet['upgradeRuns'][number] | Fleet['evictions'][number];

function missing(of: {
  readonly planned: readonly Work[];
  readonly tip: readonly Work[];
  readonly recorded: ReadonlyMap<string, unknown>;
  readonly unread: ReadonlySet<string>;
}): string[] {
  const present = new Map(of.tip.map((file) => [placementKey(file.metadata) as string, file]));
  return of.planned.flatMap((file) => {
    const name = placementKey(file.metadata);
    if (of.recorded.has(name) || of.unread.has(name)) return [];
    return sameValue(present.get(name), file) ? [name] : [];
  });
}

const removed = (path: string): Problem =>
  mismatch(
    path,
    'the file is missing, although gitfleet recorded it: it counts as lost, and is held until its file on the followed branch changes',
  );
