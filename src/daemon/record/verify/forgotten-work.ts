import { waitsUnrecorded } from '../../../api/kinds.ts';
import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import { commitsIn } from '../../../engine/gate/recorded-commits.ts';
import type { Fleet, FleetRecord, WorkFolder } from '../../../engine/input.ts';
import { latestOf } from '../../../engine/kernel/latest-of.ts';
import { sameValue } from '../../../engine/kernel/same-value.ts';
import { mostHolds } from '../../../report/grouped-holds.ts';
import type { FollowedHistory } from './followed-history.ts';
import { type Work, withLostWork, workFolders, workIn } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import type { PartVerifier } from './verified.ts';
import { isBehind, type Progress, progressIn } from './work-progress.ts';

const pathOf = (folder: WorkFolder, { metadata }: Work): string => `${folder}/${placementKey(metadata)}.yaml`;

/**
 * Work whose record was removed or set back counts as lost, or it would be carried out twice: this daemon published it, or a plan was
 * made from a commit that has its file, so it was recorded.
 */
export function forgottenWork(): PartVerifier {
  let tip: Fleet | undefined;
  /** How far the record had work, with its file, by path of the record. */
  let known: ReadonlyMap<string, { readonly file: Work; readonly progress: Progress }> = new Map();

  const remember = (record: FleetRecord): void => {
    known = new Map(
      workFolders.flatMap((folder) =>
        (tip ? workIn(tip, folder) : []).map(
          (file) => [pathOf(folder, file), { file, progress: progressIn(record, folder, file) }] as const,
        ),
      ),
    );
  };
  const isSetBack = (record: FleetRecord, folder: WorkFolder, file: Work): boolean => {
    const before = known.get(pathOf(folder, file));
    return (
      before !== undefined &&
      isBehind(progressIn(record, folder, file), before.progress) &&
      sameValue(before.file, file)
    );
  };

  return {
    async verify(record, history) {
      tip = await history.fleetAt(history.tip);
      if (tip === undefined) return { record, problems: [] };
      const all = workFolders.flatMap((folder) => workIn(tip!, folder).map((file) => [folder, file] as const));
      const isMissing = ([folder, file]: (typeof all)[number]): boolean => progressIn(record, folder, file) === 'none';
      const planned = all.some(isMissing) ? await plannedFleet(record, history) : undefined;
      const lost = all.filter(
        ([folder, file]) =>
          isSetBack(record, folder, file) ||
          (planned &&
            isMissing([folder, file]) &&
            !(waitsUnrecorded(file.kind) && mayHaveWaited(file, record)) &&
            workIn(planned, folder).some((before) => sameValue(before, file))),
      );
      const next = lost.reduce(
        (rest, [folder, { metadata }]) => withLostWork(rest, folder, new Set([placementKey(metadata)])),
        record,
      );
      remember(next);
      return { record: next, problems: lost.map(([folder, file]) => forgotten(pathOf(folder, file))) };
    },
    published: remember,
  };
}

/** Commits of snapshots and runs that are looked at, the newest ones. */
const mostCommits = 5;

/**
 * The fleet that the plan in effect was made from, at least: that of its commit, or of a later one that a snapshot or run names. If
 * none of them is in the history, the present one. Undefined for a record without commits, which was written by hand.
 */
async function plannedFleet(record: FleetRecord, history: FollowedHistory): Promise<Fleet | undefined> {
  const { inEffect, placements, runs } = record;
  const named = new Set([
    ...[...placements.values()].flatMap(({ state }) => latestOf(state.resourceSnapshots)?.commit ?? []),
    ...[...runs.values()].flatMap((run) => commitsIn(run.metadata.annotations).initializedFrom ?? []),
  ]);
  if (inEffect?.commit === undefined && named.size === 0) return undefined;
  const dated: { readonly commit: string; readonly at: number }[] = [];
  for (const commit of named) dated.push({ commit, at: (await history.madeAt(commit)) ?? 0 });
  const newest = dated.sort((a, b) => b.at - a.at).slice(0, mostCommits);
  let planned: { readonly commit: string; readonly fleet: Fleet } | undefined;
  for (const commit of [inEffect?.commit ?? [], newest.map((it) => it.commit)].flat()) {
    if (planned && (commit === planned.commit || !(await history.holds(planned.commit, commit)))) continue;
    const fleet = await history.fleetAt(commit);
    if (fleet) planned = { commit, fleet };
  }
  return planned?.fleet ?? history.fleetAt(history.tip);
}

/** What waits unrecorded has a hold, which a long list may leave out. */
const mayHaveWaited = ({ kind, metadata: { name } }: Work, { inEffect }: FleetRecord): boolean =>
  inEffect === undefined ||
  inEffect.holds.length >= mostHolds ||
  inEffect.holds.some(({ subject }) => subject.kind === kind && subject.name === name);

const forgotten = (path: string): Problem =>
  mismatch(
    path,
    'the file is missing, or lacks what gitfleet recorded: it counts as lost, and nothing of it starts until its file on the followed branch changes',
  );
