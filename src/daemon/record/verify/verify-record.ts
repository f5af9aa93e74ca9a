import { placementKey } from '../../../api/placement.ts';
import type { Problem } from '../../../api/problem.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { type Fleet, type FleetRecord, noneUnread } from '../../../engine/input.ts';
import { hasStarted } from '../../../engine/staged/step.ts';
import { isInitialized, isOver, placementOfRun } from '../../../engine/update-run.ts';
import type { RepoTree } from '../../../repo/tree.ts';
import type { DesiredState } from '../../ports.ts';
import type { Logger } from '../../report/log.ts';
import type { Metrics } from '../../report/metrics.ts';
import { type BindingVerifier, bindingVerifier, type UnprovenBindings } from './external-bindings.ts';
import { type FollowedHistory, followedHistory } from './followed-history.ts';
import { mismatch } from './mismatch.ts';
import { isExternalIn, versionVerifier } from './recorded-versions.ts';
import { snapshotVerifier } from './snapshot-contents.ts';
import { type ProvenRun, verifyRun } from './update-runs.ts';

export interface VerifiedRecord {
  /** The part that the followed branch confirms. */
  readonly record: FleetRecord;
  readonly unproven: UnprovenBindings;
  /** Claims that it does not confirm. */
  readonly problems: readonly Problem[];
}

export interface RecordVerifier extends Pick<BindingVerifier, 'shown'> {
  /** `followed`: the newest commit known to be on the followed branch, with its files. */
  verify(record: FleetRecord, followed: { readonly commit: string; readonly fleet: Fleet }): Promise<VerifiedRecord>;
  /** This daemon published the record, on top of a verified one: it is trusted. */
  published(record: FleetRecord): void;
  /** Reports problems that the members show; returns those that are new. */
  unreported(found: readonly Problem[]): readonly Problem[];
}

/**
 * Whoever can push to the status branch must not decide what clusters get: every part of the record with that power is compared with
 * the followed branch (docs/security.md). Problems stay reported until its next commit, since a fix ends them at once.
 */
export function recordVerifier(of: {
  readonly desired: DesiredState;
  readonly loadPast: (tree: RepoTree) => Promise<Fleet>;
  readonly log: Logger;
  readonly metrics: Metrics;
}): RecordVerifier {
  const historyUpTo = followedHistory(of.desired, of.loadPast);
  const versions = versionVerifier();
  const contents = snapshotVerifier();
  const runs = runVerifier();
  const bindings = bindingVerifier();
  let reported: { readonly commit: string; readonly problems: ReadonlyMap<string, Problem> } | undefined;

  function report(commit: string, found: readonly Problem[]): readonly Problem[] {
    const before = reported?.commit === commit ? reported.problems : new Map<string, Problem>();
    const problems = new Map([...before, ...found.map((problem) => [textOf(problem), problem] as const)]);
    for (const [text, { file, message }] of problems) {
      if (before.has(text)) continue;
      of.metrics.count('gitfleet_record_mismatch_total');
      of.log.error({ file }, `the record does not match the followed branch: ${message}`);
    }
    reported = { commit, problems };
    return [...problems.values()];
  }

  return {
    async verify(claimed, followed) {
      const history = historyUpTo(followed);
      const versioned = await versions.verify(claimed, history);
      const filled = await contents(versioned.record, history);
      const ran = await runs.verify(filled.record, history);
      const isExternal = isExternalIn(followed.fleet, ran.record);
      const unproven = bindings.verify(ran.record, { isExternal, runs: ran.proven });
      const found = [...versioned.problems, ...filled.problems, ...ran.problems];
      return { record: ran.record, unproven, problems: report(followed.commit, found) };
    },
    published(record) {
      versions.trust(record);
      runs.trust(record);
      bindings.published(record);
    },
    shown: bindings.shown,
    unreported(found) {
      const before = reported?.problems ?? new Map();
      const fresh = found.filter((problem) => !before.has(textOf(problem)));
      if (reported && fresh.length > 0) report(reported.commit, fresh);
      return fresh;
    },
  };
}

const textOf = ({ file, message }: Problem): string => `${file} ${message}`;

/** Runs that are not trusted count as lost: they are held until their file changes. */
function runVerifier() {
  const known = new WeakMap<StagedUpdateRun, ProvenRun | 'nothing'>();
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
      for (const [key, run] of record.runs) {
        const isOrphan = isWithoutPlacement(run, record);
        const before = isOrphan ? undefined : known.get(run);
        const verdict = before
          ? { proven: before === 'nothing' ? undefined : before }
          : isOrphan
            ? { fault: 'the record has nothing of its placement' }
            : await verifyRun(run, record, history);
        if ('fault' in verdict) {
          lost.push(key);
          problems.push(
            mismatch(
              `runs/${key}.yaml`,
              `the run counts as lost, and its clusters keep what they have: ${verdict.fault}`,
            ),
          );
          continue;
        }
        known.set(run, verdict.proven ?? 'nothing');
        if (verdict.proven) proven.push(verdict.proven);
      }
      return { record: lost.length === 0 ? record : withoutRuns(record, lost), proven, problems };
    },
    trust({ runs }: FleetRecord): void {
      for (const run of runs.values()) known.set(run, broughtBy(run) ?? 'nothing');
    },
  };
}

/** Whether the record lacks the placement of an active run, which it must have. */
const isWithoutPlacement = (run: StagedUpdateRun, { placements }: FleetRecord): boolean =>
  run.status !== undefined &&
  isInitialized(run.status) &&
  !isOver(run.status) &&
  !placements.has(placementKey(placementOfRun(run)));

/** What a run of this daemon's own plans has rolled out. */
function broughtBy(run: StagedUpdateRun): ProvenRun | undefined {
  const { resourceSnapshotIndexUsed, stagesStatus = [] } = run.status ?? {};
  if (resourceSnapshotIndexUsed === undefined) return undefined;
  const started = stagesStatus.flatMap(({ clusters }) => clusters.filter(hasStarted));
  return {
    placement: placementKey(placementOfRun(run)),
    index: Number(resourceSnapshotIndexUsed),
    clusters: new Set(started.map(({ clusterName }) => clusterName)),
  };
}

function withoutRuns(record: FleetRecord, lost: readonly string[]): FleetRecord {
  const { unread = noneUnread } = record;
  const names = new Set(lost);
  return {
    ...record,
    runs: new Map([...record.runs].filter(([key]) => !names.has(key))),
    unread: { ...unread, runs: unread.runs.union(names) },
  };
}
