import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { isInitialized, isOver } from '../../../engine/update-run.ts';
import { finishedRuns, type VerifiedWith } from './finished-runs.ts';
import type { FollowedHistory } from './followed-history.ts';
import { withLostWork } from './lost-work.ts';
import { mismatch } from './mismatch.ts';
import { publishedPrevious } from './previous-snapshots.ts';
import { broughtBy, isGone, keyOf, type ProvenRun, type RunVerdict, type Silent, type Unshown } from './update-runs.ts';

interface VerifiedRuns {
  readonly record: FleetRecord;
  readonly proven: readonly ProvenRun[];
  readonly problems: readonly Problem[];
}

/** Runs that are not trusted count as lost: they are held until their file changes. */
export function runVerifier() {
  /** With the verified contents: others would need another approval. */
  let known = new WeakMap<StagedUpdateRun, Trusted & { readonly contents: readonly unknown[] }>();
  const previous = publishedPrevious();
  const finished = finishedRuns(previous);
  /** Of the record as last verified, by name. */
  const unshown = new Map<string, { readonly run: StagedUpdateRun; readonly of: Unshown }>();

  /** As known, or verified. */
  async function verdictOf(run: StagedUpdateRun, of: VerifiedWith): Promise<RunVerdict> {
    const contents = contentsOf(run, of.record);
    const before = known.get(run);
    if (before && sameItems(before.contents, contents)) return before;
    const verdict = await finished.verified(run, of);
    if (!('fault' in verdict)) known.set(run, { ...verdict, contents });
    return verdict;
  }

  return {
    async verify(record: FleetRecord, history: FollowedHistory, unreachable: Silent): Promise<VerifiedRuns> {
      finished.begin(unreachable);
      // In a record without placements, runs cannot be verified.
      if (!record.exists && record.runs.size > 0)
        return { record: { ...record, runs: new Map() }, proven: [], problems: [] };
      const proven: ProvenRun[] = [];
      const problems: Problem[] = [];
      const lost: string[] = [];
      const tip = (await history.fleetAt(history.tip))!;
      const limited = new Map<string, StagedUpdateRun>();
      unshown.clear();
      for (const [key, run] of record.runs) {
        // Without its file nothing moves it any more.
        if (isOver(run.status ?? {}) || isGone(run, tip)) continue;
        const verdict = isWithoutPlacement(run, record)
          ? { fault: 'the record has nothing of its placement' }
          : await verdictOf(run, { record: withLostWork(record, 'runs', new Set(lost)), history });
        if ('fault' in verdict) {
          lost.push(key);
          problems.push(lostRun(key, verdict.fault));
          continue;
        }
        if (verdict.proven) proven.push(verdict.proven);
        if (verdict.unshown) unshown.set(key, { run, of: verdict.unshown });
        if (verdict.limited === undefined) continue;
        limited.set(key, verdict.limited.run);
        problems.push(mismatch(`runs/${key}.yaml`, verdict.limited.why));
      }
      const over = [...record.runs.values()].filter(({ status = {} }) => isOver(status));
      const without = withLostWork(record, 'runs', new Set(lost));
      const of = {
        record: without,
        history,
        tip,
        verdictOf: (run: StagedUpdateRun) => verdictOf(run, { record: without, history }),
      };
      proven.push(...(await finished.provenBy(over, of)));
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
      previous.forget();
    },
    published(record: FleetRecord): void {
      previous.published(record);
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

/** Of the snapshot that the run rolls out, and of those that its clusters had before. */
function contentsOf(run: StagedUpdateRun, { placements }: FleetRecord): readonly unknown[] {
  const snapshots = placements.get(keyOf(run))?.snapshots;
  const { resourceSnapshotIndexUsed: used, stagesStatus = [] } = run.status ?? {};
  const had = stagesStatus.flatMap(({ clusters }) =>
    clusters.flatMap(({ previous }) => previous?.resourceSnapshotIndex ?? []),
  );
  return [...new Set([Number(used), ...had])].map((index) => snapshots?.get(index));
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);

/** Whether the record lacks the placement of an active run, which it must have. */
const isWithoutPlacement = (run: StagedUpdateRun, { placements }: FleetRecord): boolean =>
  run.status !== undefined && isInitialized(run.status) && !isOver(run.status) && !placements.has(keyOf(run));
