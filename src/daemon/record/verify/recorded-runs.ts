import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { isInitialized, isOver, isRunOf, placementOfRun } from '../../../engine/update-run.ts';
import type { FollowedHistory } from './followed-history.ts';
import { latestFinished } from './latest-finished.ts';
import { withLostWork } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import {
  broughtBy,
  isGone,
  type ProvenRun,
  type RunVerdict,
  type Silent,
  type Unshown,
  verifyRun,
} from './update-runs.ts';

interface VerifiedRuns {
  readonly record: FleetRecord;
  readonly proven: readonly ProvenRun[];
  readonly problems: readonly Problem[];
}

/** Runs that are not trusted count as lost: they are held until their file changes. */
export function runVerifier() {
  /** With the verified contents: others would need another approval. */
  let known = new WeakMap<StagedUpdateRun, Trusted & { readonly contents: unknown }>();
  const latestOf = latestFinished();
  let silent: Silent = new Map();
  /** Of the record as last verified, by name. */
  const unshown = new Map<string, { readonly run: StagedUpdateRun; readonly of: Unshown }>();

  /** Verifies a run after the finished ones before it, as far as its claims rest on theirs. */
  async function verified(run: StagedUpdateRun, record: FleetRecord, history: FollowedHistory): Promise<RunVerdict> {
    return verifyRun(run, record, {
      history,
      silent,
      async earlier() {
        const others = [...record.runs.values()].filter((other) => other !== run);
        const start = commitsOf(run).initializedFrom;
        const before = isOver(run.status ?? {}) ? await initializedBefore(others, start, history) : others;
        const [last] = [...(await latestOf(before.filter(isOfSamePlacement(run)), history))];
        const verdict = last && (await verified(last, { ...record, runs: new Map(before.map(keyed)) }, history));
        return verdict && 'proven' in verdict ? verdict.proven?.clusters : undefined;
      },
    });
  }

  return {
    async verify(record: FleetRecord, history: FollowedHistory, unreachable: Silent): Promise<VerifiedRuns> {
      silent = unreachable;
      // In a record without placements, runs cannot be verified.
      if (!record.exists && record.runs.size > 0)
        return { record: { ...record, runs: new Map() }, proven: [], problems: [] };
      const proven: ProvenRun[] = [];
      const problems: Problem[] = [];
      const lost: string[] = [];
      const tip = (await history.fleetAt(history.tip))!;
      const latest = await latestOf(record.runs.values(), history);
      const limited = new Map<string, StagedUpdateRun>();
      unshown.clear();
      for (const [key, run] of record.runs) {
        // Without its file nothing moves it any more.
        if (isGone(run, tip)) continue;
        const isFinished = isOver(run.status ?? {});
        if (isFinished && !latest.has(run)) continue;
        const contents = contentsOf(run, record);
        const isOrphan = isWithoutPlacement(run, record);
        const before = isOrphan ? undefined : known.get(run);
        const verdict =
          before && before.contents === contents
            ? before
            : isOrphan
              ? { fault: 'the record has nothing of its placement' }
              : await verified(run, record, history);
        if ('fault' in verdict) {
          // A finished run moves nothing: it is no proof, and not lost.
          if (isFinished) continue;
          lost.push(key);
          problems.push(lostRun(key, verdict.fault));
          continue;
        }
        known.set(run, { ...verdict, contents });
        if (verdict.proven) proven.push(verdict.proven);
        if (verdict.unshown) unshown.set(key, { run, of: verdict.unshown });
        if (verdict.limited === undefined || isFinished) continue;
        limited.set(key, verdict.limited.run);
        problems.push(mismatch(`runs/${key}.yaml`, verdict.limited.why));
      }
      const trusted = limited.size === 0 ? record : { ...record, runs: new Map([...record.runs, ...limited]) };
      return { record: withLostWork(trusted, 'runs', new Set(lost)), proven, problems };
    },
    /** Runs of the record as last verified that a cluster must show, by name. */
    unshown: (): ReadonlyMap<string, Unshown> => new Map([...unshown].map(([name, { of }]) => [name, of])),
    /** The record without them. */
    withoutUnshown: (record: FleetRecord): FleetRecord => withLostWork(record, 'runs', new Set(unshown.keys())),
    /** A cluster shows that the run started there. */
    shown(name: string): void {
      const { run, of } = unshown.get(name)!;
      const { unshown: _, ...trusted } = known.get(run)!;
      known.set(run, { ...trusted, proven: of.proven });
      unshown.delete(name);
    },
    /** Reports the runs that {@link withoutUnshown} leaves out. */
    notShown: (): readonly Problem[] => [...unshown.keys()].map((key) => lostRun(key, notShown)),
    /** Every run is verified as at a start. */
    forget(): void {
      known = new WeakMap();
    },
    published(record: FleetRecord): void {
      for (const run of record.runs.values()) {
        const { status = {} } = run;
        const isUnderWay = isInitialized(status) && !isOver(status);
        const started = allStages(status).flatMap(({ clusters }) => clusters.filter(hasStarted));
        known.set(run, { proven: isUnderWay ? broughtBy(run, started) : undefined, contents: contentsOf(run, record) });
      }
    },
  };
}

const notShown =
  'its last approval is no longer on the followed branch, and no cluster shows that it had started before';

const lostRun = (key: string, why: string): Problem =>
  mismatch(`runs/${key}.yaml`, `the run counts as lost, and its clusters keep what they have: ${why}`);

type Trusted = Exclude<RunVerdict, { readonly fault: string }>;

const keyed = (run: StagedUpdateRun): [string, StagedUpdateRun] => [placementKey(run.metadata), run];

const isOfSamePlacement = (run: StagedUpdateRun) => (other: StagedUpdateRun) => isRunOf(other, placementOfRun(run));

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

const contentsOf = (run: StagedUpdateRun, { placements }: FleetRecord): unknown =>
  placements.get(placementKey(placementOfRun(run)))?.snapshots.get(Number(run.status?.resourceSnapshotIndexUsed));

/** Whether the record lacks the placement of an active run, which it must have. */
const isWithoutPlacement = (run: StagedUpdateRun, { placements }: FleetRecord): boolean =>
  run.status !== undefined &&
  isInitialized(run.status) &&
  !isOver(run.status) &&
  !placements.has(placementKey(placementOfRun(run)));
