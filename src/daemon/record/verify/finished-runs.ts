import { placementKey } from '../../../api/placement.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import { isMereHold } from '../../../engine/recovery/held-since-loss.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { isOver } from '../../../engine/update-run.ts';
import type { FollowedHistory } from './followed-history.ts';
import { latestFinished } from './latest-finished.ts';
import type { RunBefore } from './previous-snapshots.ts';
import { isGone, keyOf, type ProvenRun, type RunVerdict, type Silent, verifyRun } from './update-runs.ts';

/** What was verified, and what with. */
export interface VerifiedWith {
  readonly record: FleetRecord;
  readonly history: FollowedHistory;
}

/** Finished runs as proof of what clusters have, or had before a run. */
export function finishedRuns() {
  const latestOf = latestFinished();
  let silent: Silent = new Map();
  /** As far as they were read since `begin`: what many clusters have may rest on each. */
  let read = new Map<StagedUpdateRun, RunVerdict>();

  /** Verifies a run after the finished ones before it, as far as its claims rest on theirs. */
  const verified = (run: StagedUpdateRun, { record, history }: VerifiedWith): Promise<RunVerdict> =>
    verifyRun(run, record, { history, silent, earlier: () => runsBefore(run, { record, history }) });

  /** Finished runs of one placement, up to one before a run whose record is lost: what that gave to whom is not known. */
  async function* newestFirst(
    runs: readonly StagedUpdateRun[],
    { record, history }: VerifiedWith,
  ): AsyncGenerator<StagedUpdateRun> {
    let left = runs;
    for (;;) {
      const [last] = await latestOf(left, history);
      if (last === undefined || (await isBeforeLost(last, { record, history }))) return;
      left = left.filter((run) => run !== last);
      yield last;
    }
  }

  /** Up to one that is not trusted. */
  async function* runsBefore(run: StagedUpdateRun, { record, history }: VerifiedWith): AsyncGenerator<RunBefore> {
    const others = [...record.runs.values()].filter((other) => other !== run && keyOf(other) === keyOf(run));
    const start = commitsOf(run).initializedFrom;
    const runs = isOver(run.status ?? {}) ? await initializedBefore(others, start, history) : others;
    for await (const last of newestFirst(runs, { record, history })) {
      const verdict = read.get(last) ?? (await verified(last, { record, history }));
      read.set(last, verdict);
      if ('fault' in verdict || verdict.proven === undefined) return;
      yield { ...runBefore(last), given: verdict.proven.clusters };
    }
  }

  /** What finished runs gave: each counts for the clusters that no later one reached. */
  async function provenBy(
    runs: readonly StagedUpdateRun[],
    {
      record,
      history,
      tip,
      verdictOf,
    }: VerifiedWith & { readonly tip: Fleet; readonly verdictOf: (run: StagedUpdateRun) => Promise<RunVerdict> },
  ): Promise<ProvenRun[]> {
    const proven: ProvenRun[] = [];
    for (const [placement, own] of Map.groupBy(runs, keyOf)) {
      const bindings = record.placements.get(placement)?.state.bindings ?? [];
      const left = new Set<string>(bindings.map(({ targetCluster }) => targetCluster));
      let isEarlier = false;
      for await (const run of newestFirst(own, { record, history })) {
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

const ofSamePlacement = (run: StagedUpdateRun) => (of: StagedUpdateRun) => keyOf(of) === keyOf(run);

/** Runs that are held since their record was lost: what they gave to whom is not known. */
const heldOf = (run: StagedUpdateRun, { runs }: FleetRecord): StagedUpdateRun[] =>
  [...runs.values()].filter(isMereHold).filter(ofSamePlacement(run));

/**
 * Whether a run of the same placement may have come after this one, and its record is lost: it is lost now, or is held since it was, and
 * the followed branch did not have its file when this one was initialized.
 */
async function isBeforeLost(run: StagedUpdateRun, { record, history }: VerifiedWith): Promise<boolean> {
  const { runs: files } = (await history.fleetAt(history.tip))!;
  const isLost = ({ metadata }: StagedUpdateRun): boolean => record.unread?.runs.has(placementKey(metadata)) === true;
  if (files.filter(ofSamePlacement(run)).some(isLost)) return true;
  const held = heldOf(run, record);
  const from = held.length === 0 ? undefined : await history.fleetAt(commitsOf(run).initializedFrom ?? history.tip);
  const hasFile = ({ kind, metadata }: StagedUpdateRun): boolean =>
    from?.runs.some((of) => of.kind === kind && placementKey(of.metadata) === placementKey(metadata)) === true;
  return !held.every(hasFile);
}

/** Those that were initialized from a commit before another one. */
async function initializedBefore(
  runs: readonly StagedUpdateRun[],
  commit: string | undefined,
  history: FollowedHistory,
): Promise<StagedUpdateRun[]> {
  const found: StagedUpdateRun[] = [];
  for (const run of runs) {
    const { initializedFrom } = commitsOf(run);
    if (commit === undefined || initializedFrom === undefined || initializedFrom === commit) continue;
    if (await history.holds(initializedFrom, commit)) found.push(run);
  }
  return found;
}
