import { placementKey } from '../../../api/placement.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import { memoizePair } from '../../../engine/kernel/memoize.ts';
import { isMereHold } from '../../../engine/recovery/held-since-loss.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { isOver } from '../../../engine/update-run.ts';
import type { FollowedHistory } from './followed-history.ts';
import { latestFinished, startOf } from './latest-finished.ts';
import type { PublishedPrevious, RunBefore } from './previous-snapshots.ts';
import { fileOf, isGone, keyOf, type ProvenRun, type RunVerdict, type Silent, verifyRun } from './update-runs.ts';

/** What was verified, and what with. */
export interface VerifiedWith {
  readonly record: FleetRecord;
  readonly history: FollowedHistory;
}

/** Finished runs as proof of what clusters have, or had before a run. */
export function finishedRuns(known: PublishedPrevious) {
  const latestOf = latestFinished();
  let silent: Silent = new Map();
  /** As far as they were read since `begin`: what many clusters have may rest on each. */
  let read = new Map<StagedUpdateRun, RunVerdict>();

  /** Verifies a run after the finished ones before it, as far as its claims rest on theirs. */
  const verified = (run: StagedUpdateRun, of: VerifiedWith): Promise<RunVerdict> =>
    verifyRun(run, of.record, { history: of.history, silent, known, earlier: () => runsBefore(run, of) });

  /** Finished runs of one placement, up to one before a run whose record is lost: what that gave to whom is not known. */
  async function* newestFirst(runs: readonly StagedUpdateRun[], of: VerifiedWith): AsyncGenerator<StagedUpdateRun> {
    let left = runs;
    for (;;) {
      const [last] = await latestOf(left, of.history);
      if (last === undefined || (await isBeforeLost(last, of))) return;
      left = left.filter((run) => run !== last);
      yield last;
    }
  }

  /** Up to one that is not trusted. */
  async function* runsBefore(run: StagedUpdateRun, of: VerifiedWith): AsyncGenerator<RunBefore> {
    const others = [...of.record.runs.values()].filter((other) => other !== run && keyOf(other) === keyOf(run));
    const runs = isOver(run.status ?? {}) ? await initializedBefore(run, others, of.history) : others;
    for await (const last of newestFirst(runs, of)) {
      const verdict = read.get(last) ?? (await verified(last, of));
      read.set(last, verdict);
      if ('fault' in verdict || verdict.proven === undefined) return;
      yield { ...runBefore(last), given: verdict.proven.clusters };
    }
  }

  /** What finished runs gave: each counts for the clusters that no later one reached. */
  async function provenBy(
    runs: readonly StagedUpdateRun[],
    {
      tip,
      verdictOf,
      ...of
    }: VerifiedWith & { readonly tip: Fleet; readonly verdictOf: (run: StagedUpdateRun) => Promise<RunVerdict> },
  ): Promise<ProvenRun[]> {
    const proven: ProvenRun[] = [];
    for (const [placement, own] of Map.groupBy(runs, keyOf)) {
      const bindings = of.record.placements.get(placement)?.state.bindings ?? [];
      const left = new Set<string>(bindings.map(({ targetCluster }) => targetCluster));
      let isEarlier = false;
      for await (const run of newestFirst(own, of)) {
        // Without its file nothing moves it any more. It is no proof if it is not trusted, and not lost.
        const verdict = isGone(run, tip) ? undefined : await verdictOf(run);
        if (verdict === undefined || 'fault' in verdict || verdict.proven === undefined) break;
        const { clusters, emptied } = verdict.proven;
        proven.push(
          isEarlier
            ? {
                ...verdict.proven,
                isEarlier,
                clusters: new Map([...clusters].filter(([name]) => left.has(name))),
                emptied: emptied.intersection(left),
              }
            : verdict.proven,
        );
        isEarlier = true;
        for (const name of runBefore(run).reached) left.delete(name);
        if (left.size === 0) break;
      }
    }
    return proven;
  }

  return {
    /** Forgets what was read of an earlier record. */
    begin(unreachable: Silent): void {
      silent = unreachable;
      read = new Map();
    },
    verified,
    provenBy,
  };
}

/** Whom a finished run reached with what. */
function runBefore({ status = {} }: StagedUpdateRun): Omit<RunBefore, 'given'> {
  const started = allStages(status).flatMap(({ clusters }) => clusters.filter(hasStarted));
  const reached = new Set(started.map(({ clusterName }): string => clusterName));
  return { index: Number(status.resourceSnapshotIndexUsed), reached };
}

/** Runs whose record is lost now (`lost`), or that are held since it was: what they gave to whom is not known. By placement. */
const unknownRuns = memoizePair(({ runs, unread }: FleetRecord, tip: Fleet) => ({
  lost: new Set(tip.runs.filter(({ metadata }) => unread?.runs.has(placementKey(metadata))).map(keyOf)),
  held: Map.groupBy([...runs.values()].filter(isMereHold), keyOf),
}));

/**
 * Whether a run of the same placement may have come after this one, and its record is lost: it is lost now, or is held since it was, and
 * the followed branch did not have its file when this one was initialized.
 */
async function isBeforeLost(run: StagedUpdateRun, { record, history }: VerifiedWith): Promise<boolean> {
  const { lost, held } = unknownRuns(record, (await history.fleetAt(history.tip))!);
  if (lost.has(keyOf(run))) return true;
  const others = held.get(keyOf(run));
  if (others === undefined) return false;
  const from = await history.fleetAt(commitsOf(run).initializedFrom ?? history.tip);
  return from === undefined || others.some((of) => fileOf(of, from) === undefined);
}

/** Runs that were initialized from a commit before that of another one; from the same commit, those that started before it. */
async function initializedBefore(
  last: StagedUpdateRun,
  runs: readonly StagedUpdateRun[],
  history: FollowedHistory,
): Promise<StagedUpdateRun[]> {
  const commit = commitsOf(last).initializedFrom;
  const found: StagedUpdateRun[] = [];
  for (const run of runs) {
    const { initializedFrom } = commitsOf(run);
    if (commit === undefined || initializedFrom === undefined) continue;
    const isBefore =
      initializedFrom === commit ? startOf(run) < startOf(last) : await history.holds(initializedFrom, commit);
    if (isBefore) found.push(run);
  }
  return found;
}
