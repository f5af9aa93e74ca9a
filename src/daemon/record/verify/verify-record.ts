import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { type Fleet, type FleetRecord, noneUnread } from '../../../engine/input.ts';
import type { Instant } from '../../../engine/kernel/instant.ts';
import { byText } from '../../../engine/kernel/ordering.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { allStages, hasStarted } from '../../../engine/staged/step.ts';
import { isInitialized, isOver, isRunOf, placementOfRun } from '../../../engine/update-run.ts';
import type { RepoTree } from '../../../repo/tree.ts';
import type { DesiredState } from '../../ports.ts';
import type { Metrics } from '../../report/metrics.ts';
import { type BindingVerifier, bindingVerifier } from './binding-claims.ts';
import { type FollowedHistory, followedHistory } from './followed-history.ts';
import { withForgotten } from './forgotten-work.ts';
import { latestFinished } from './latest-finished.ts';
import { mismatch, mismatchCode } from './mismatch.ts';
import { timeVerifier } from './recorded-times.ts';
import { versionVerifier } from './recorded-versions.ts';
import { snapshotVerifier, type VerifiedContents } from './snapshot-contents.ts';
import { withUsableIndexes } from './snapshot-indexes.ts';
import { broughtBy, isGone, type ProvenRun, type RunVerdict, verifyRun } from './update-runs.ts';
import { type DoubtedOperations, upgradeVerifier } from './upgrade-claims.ts';

export interface VerifiedRecord {
  /** The part that the followed branch confirms. */
  readonly record: FleetRecord;
  /** Snapshots that are not verified yet: the record is without their contents. */
  readonly waiting: VerifiedContents['waiting'];
  /** Claims that it does not confirm. */
  readonly problems: readonly Problem[];
}

export interface RecordVerifier extends Omit<BindingVerifier, 'verify' | 'published'>, DoubtedOperations {
  /** `followed`: the newest commit known to be on the followed branch, with its files. `reported`: by the status branch. */
  verify(
    record: FleetRecord,
    of: {
      readonly followed: { readonly commit: string; readonly fleet: Fleet };
      readonly reported: readonly Problem[];
      readonly now: Instant;
    },
  ): Promise<VerifiedRecord>;
  /** This daemon published the record, on top of a verified one: it is trusted. */
  published(record: FleetRecord): void;
  /** A plan of this daemon decided the same as the record has. */
  confirmed(record: FleetRecord): void;
  /** Reports what the members show: mismatches, and claims that are unproven as long as this is called with them. Returns new ones. */
  unreported(mismatches: readonly Problem[], unproven: readonly Problem[]): readonly Problem[];
}

/**
 * Whoever can push to the status branch must not decide what clusters get: every part of the record with that power is compared with
 * the followed branch (docs/security.md). Mismatches stay reported until its next commit, since a fix ends them at once; also those that
 * another daemon reports, or each would remove what the other wrote.
 */
export function recordVerifier(of: {
  readonly desired: DesiredState;
  readonly loadPast: (tree: RepoTree) => Promise<Fleet>;
  readonly metrics: Metrics;
}): RecordVerifier {
  const historyUpTo = followedHistory(of.desired, of.loadPast);
  const times = timeVerifier();
  const versions = versionVerifier();
  const contents = snapshotVerifier();
  const runs = runVerifier();
  const bindings = bindingVerifier();
  const upgrades = upgradeVerifier();
  /** The last result: at rest nothing is verified again. */
  let last:
    | { readonly claimed: FleetRecord; readonly tip: Fleet; readonly verified: Omit<VerifiedRecord, 'problems'> }
    | undefined;
  let kept: { readonly commit: string; readonly problems: Map<string, Problem> } | undefined;
  let counted: ReadonlySet<string> = new Set();

  /** Keeps mismatches, and returns those that were not kept before. */
  function keep(found: readonly Problem[]): readonly Problem[] {
    const fresh = found.filter((problem) => !kept?.problems.has(textOf(problem)));
    for (const problem of fresh) kept?.problems.set(textOf(problem), problem);
    for (const _ of fresh) of.metrics.count('gitfleet_record_mismatch_total');
    return fresh;
  }

  const allKept = (): readonly Problem[] =>
    [...(kept?.problems ?? [])].sort(([a], [b]) => byText(a, b)).map(([, problem]) => problem);

  return {
    ...bindings,
    isDoubtedOperation: upgrades.isDoubtedOperation,
    withoutUnrequested: upgrades.withoutUnrequested,
    async verify(claimed, { followed, reported, now }) {
      if (last?.claimed === claimed && last.tip === followed.fleet) return { ...last.verified, problems: allKept() };
      const history = historyUpTo(followed);
      const limited = withUsableIndexes(times(claimed, now));
      const versioned = await versions.verify(limited.record, history);
      const filled = await contents(versioned.record, history);
      const ran = await runs.verify(filled.record, history);
      const upgraded = await upgrades.verify(ran.record, history);
      const forgotten = await withForgotten(upgraded.record, history);
      const record = bindings.verify(forgotten.record, { tip: followed.fleet, runs: ran.proven });
      const found = [limited, versioned, filled, ran, upgraded, forgotten].flatMap(({ problems }) => problems);
      const { waiting } = filled;
      const { commit } = followed;
      if (kept?.commit !== commit) kept = { commit, problems: new Map() };
      keep(found);
      if (claimed.commit === commit)
        for (const problem of reported) if (problem.code === mismatchCode) kept.problems.set(textOf(problem), problem);
      const verified = { record, waiting };
      last = waiting.size === 0 ? { claimed, tip: followed.fleet, verified } : undefined;
      return { ...verified, problems: allKept() };
    },
    published(record) {
      versions.trust(record);
      runs.trust(record);
      upgrades.trust(record);
      bindings.published(record);
    },
    confirmed: bindings.published,
    unreported(mismatches, unproven) {
      const texts = new Set(unproven.map(textOf));
      for (const _ of texts.difference(counted)) of.metrics.count('gitfleet_record_mismatch_total');
      counted = texts;
      return [...keep(mismatches), ...unproven];
    },
  };
}

const textOf = ({ file, message }: Problem): string => `${file} ${message}`;

/** Runs that are not trusted count as lost: they are held until their file changes. */
function runVerifier() {
  /** With the verified contents: others would need another approval. */
  const known = new WeakMap<StagedUpdateRun, Trusted & { readonly contents: unknown }>();
  const latestOf = latestFinished();

  /** Verifies a run after the finished ones before it, as far as its claims rest on theirs. */
  async function verified(run: StagedUpdateRun, record: FleetRecord, history: FollowedHistory): Promise<RunVerdict> {
    return verifyRun(run, record, {
      history,
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
    async verify(
      record: FleetRecord,
      history: FollowedHistory,
    ): Promise<{
      readonly record: FleetRecord;
      readonly proven: readonly ProvenRun[];
      readonly problems: readonly Problem[];
    }> {
      // In a record without placements, runs cannot be verified.
      if (!record.exists && record.runs.size > 0)
        return { record: { ...record, runs: new Map() }, proven: [], problems: [] };
      const proven: ProvenRun[] = [];
      const problems: Problem[] = [];
      const lost: string[] = [];
      const tip = (await history.fleetAt(history.tip))!;
      const latest = await latestOf(record.runs.values(), history);
      const limited = new Map<string, StagedUpdateRun>();
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
          problems.push(
            mismatch(
              `runs/${key}.yaml`,
              `the run counts as lost, and its clusters keep what they have: ${verdict.fault}`,
            ),
          );
          continue;
        }
        known.set(run, { ...verdict, contents });
        if (verdict.proven) proven.push(verdict.proven);
        if (verdict.limited === undefined || isFinished) continue;
        limited.set(key, verdict.limited.run);
        problems.push(mismatch(`runs/${key}.yaml`, verdict.limited.why));
      }
      const trusted = limited.size === 0 ? record : { ...record, runs: new Map([...record.runs, ...limited]) };
      return { record: lost.length === 0 ? trusted : withoutRuns(trusted, lost), proven, problems };
    },
    trust(record: FleetRecord): void {
      for (const run of record.runs.values()) {
        const { status = {} } = run;
        const isUnderWay = isInitialized(status) && !isOver(status);
        const started = allStages(status).flatMap(({ clusters }) => clusters.filter(hasStarted));
        known.set(run, { proven: isUnderWay ? broughtBy(run, started) : undefined, contents: contentsOf(run, record) });
      }
    },
  };
}

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

function withoutRuns(record: FleetRecord, lost: readonly string[]): FleetRecord {
  const { unread = noneUnread } = record;
  const names = new Set(lost);
  return {
    ...record,
    runs: new Map([...record.runs].filter(([key]) => !names.has(key))),
    unread: { ...unread, runs: unread.runs.union(names) },
  };
}
