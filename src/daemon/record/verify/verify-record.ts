import type { ClusterName } from '../../../api/meta.ts';
import type { Binding } from '../../../api/placement-state.ts';
import type { Problem } from '../../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import type { Instant } from '../../../engine/kernel/instant.ts';
import type { RepoTree } from '../../../repo/tree.ts';
import type { DesiredState } from '../../ports.ts';
import type { Metrics } from '../../report/metrics.ts';
import { type BindingVerifier, bindingVerifier, type OnCluster, type Shown } from './binding-claims.ts';
import { exchangedOverrides } from './exchanged-overrides.ts';
import { type FollowedHistory, followedHistory } from './followed-history.ts';
import { forgottenWork } from './forgotten-work.ts';
import { keptMismatches } from './kept-mismatches.ts';
import { nodeVerifier } from './node-commands.ts';
import { runVerifier } from './recorded-runs.ts';
import { timeVerifier } from './recorded-times.ts';
import { versionVerifier } from './recorded-versions.ts';
import { removalApprovalVerifier } from './removal-approvals.ts';
import { evictionVerifier, type SettledRecord } from './removal-claims.ts';
import { rollbackVerifier } from './rollback-targets.ts';
import { snapshotVerifier, type VerifiedContents } from './snapshot-contents.ts';
import { withUsableIndexes } from './snapshot-indexes.ts';
import type { Silent } from './update-runs.ts';
import { type DoubtedOperations, upgradeVerifier } from './upgrade-claims.ts';
import { profileVerifier } from './upgrade-profiles.ts';
import type { PartVerifier, Verified } from './verified.ts';

export interface VerifiedRecord {
  /** The part that the followed branch confirms. */
  readonly record: FleetRecord;
  /** Snapshots that are not verified yet: the record is without their contents. */
  readonly waiting: VerifiedContents['waiting'];
  /** Claims that it does not confirm. */
  readonly problems: readonly Problem[];
}

export interface RecordVerifier
  extends Omit<
      BindingVerifier,
      'verify' | 'published' | 'doubt' | 'doubtedRemovals' | 'withoutRemovals' | 'removalStarted' | 'withoutInvented'
    >,
    Omit<DoubtedOperations, 'withoutUnrequested'> {
  /**
   * `followed`: the newest commit known to be on the followed branch, with its files. `reported`: by the status branch, for this commit.
   * `refused`: the tip of the status branch is, so the record is an earlier one. `replacements`: of that branch. `isPublished`: false =
   * the record is a plan of this daemon that waits for its push.
   */
  verify(
    record: FleetRecord,
    of: {
      readonly followed: { readonly commit: string; readonly fleet: Fleet };
      readonly reported: readonly Problem[];
      readonly refused?: Problem | undefined;
      readonly replacements: number;
      readonly silent: Silent;
      readonly isPublished: boolean;
      readonly now: Instant;
    },
  ): Promise<VerifiedRecord>;
  /** The record without runs that a cluster must show first. */
  withoutUnshown(record: FleetRecord): FleetRecord;
  /** The verified record without what the members do not confirm, and mismatches of that. */
  observed(
    record: FleetRecord,
    of: Shown & {
      /** Doubted bindings of a record that their clusters show. */
      readonly shownBy: (record: FleetRecord) => readonly OnCluster[];
      readonly now: Instant;
      /** False = the record is a plan of this daemon that waits for its push. */
      readonly isPublished: boolean;
    },
  ): Promise<SettledRecord>;
  /** This daemon published the record, on top of a verified one: it is trusted. */
  published(record: FleetRecord): void;
  /** This daemon published which removals must be approved, also with a refused plan. */
  requested(record: FleetRecord): void;
  /** A plan of this daemon decided the same as the record has. */
  confirmed(record: FleetRecord): void;
  /** Counts mismatches and unproven claims that the members show. Returns the mismatches not reported before, and all of `unproven`. */
  unreported(mismatches: readonly Problem[], unproven: readonly Problem[]): readonly Problem[];
}

/**
 * Those who can push to the status branch must not decide what clusters get: every part of the record with that power is compared with
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
  const overrides = exchangedOverrides();
  const contents = snapshotVerifier();
  const forgotten = forgottenWork();
  const runs = runVerifier();
  const approvals = removalApprovalVerifier();
  const bindings = bindingVerifier();
  const evictions = evictionVerifier(bindings);
  const upgrades = upgradeVerifier();
  /** In this order, each on top of those before. */
  const parts: readonly PartVerifier[] = [rollbackVerifier(), upgrades, profileVerifier()];
  const nodes = nodeVerifier();
  let history: FollowedHistory | undefined;
  let replaced = 0;
  /** The last result: at rest nothing is verified again. */
  let last:
    | { readonly claimed: FleetRecord; readonly tip: Fleet; readonly verified: Omit<VerifiedRecord, 'problems'> }
    | undefined;
  const mismatches = keptMismatches(of.metrics);

  /** Runs are trusted of which a cluster has what they give it. */
  function showRuns(record: FleetRecord, shown: readonly OnCluster[]): void {
    for (const [name, { placement, index, clusters }] of runs.unshown()) {
      const isShown = ({ targetCluster, resourceSnapshotIndex }: Binding): boolean =>
        resourceSnapshotIndex === index &&
        clusters.includes(targetCluster) &&
        shown.some(({ key, cluster }) => key === placement && cluster === targetCluster);
      if (!record.placements.get(placement)?.state.bindings.some(isShown)) continue;
      runs.shown(name);
      for (const cluster of clusters) bindings.shown(placement, cluster as ClusterName);
      last = undefined;
    }
  }

  return {
    ...bindings,
    isDoubtedOperation: upgrades.isDoubtedOperation,
    async verify(claimed, { followed, reported, refused, replacements, silent, isPublished, now }) {
      const { commit } = followed;
      if (refused !== undefined) mismatches.keepAt(commit, { found: [refused], reported: [] });
      if (last?.claimed === claimed && last.tip === followed.fleet)
        return { ...last.verified, problems: mismatches.all() };
      history = historyUpTo(followed);
      const limited = withUsableIndexes(times(claimed, now));
      const versioned = await versions.verify(limited.record, history);
      const kept = overrides.verify(versioned.record, { isReplaced: replacements !== replaced, isPublished });
      replaced = replacements;
      if (kept.exchanged.size > 0) runs.forget();
      bindings.doubt(kept.exchanged);
      const filled = await contents(kept.record, history);
      const remembered = await forgotten.verify(filled.record, history);
      const ran = await runs.verify(remembered.record, history, silent);
      let proven: Verified = ran;
      const found = [limited, versioned, kept, filled, remembered, ran].flatMap(({ problems }) => problems);
      for (const part of parts) {
        proven = await part.verify(proven.record, history);
        found.push(...proven.problems);
      }
      const approved = await approvals.verify(proven.record, history);
      await evictions.started(approved, history);
      const record = bindings.verify(approved, { tip: followed.fleet, runs: ran.proven });
      const { waiting } = filled;
      mismatches.keepAt(commit, { found, reported });
      const verified = { record, waiting };
      last = waiting.size === 0 ? { claimed, tip: followed.fleet, verified } : undefined;
      return { ...verified, problems: mismatches.all() };
    },
    withoutUnshown: runs.withoutUnshown,
    async observed(claimed, { observations, swept, shownBy, ...at }) {
      const requested = upgrades.withoutUnrequested(claimed, observations);
      const ofNodes = nodes.withoutUnproven(requested, { observations, ...at });
      const invented = bindings.withoutInvented(ofNodes.record, { observations, swept });
      const settled = await evictions.settle(invented.record, { observations, swept, history: history! });
      if (runs.unshown().size > 0) showRuns(settled.record, shownBy(runs.withoutUnshown(settled.record)));
      return {
        record: runs.withoutUnshown(settled.record),
        problems: [...ofNodes.problems, ...invented.problems, ...settled.problems, ...runs.notShown()],
        unconfirmed: settled.unconfirmed,
      };
    },
    published(record) {
      for (const part of [versions, overrides, forgotten, runs, ...parts, nodes, approvals, bindings])
        part.published(record);
    },
    requested: approvals.requested,
    confirmed(record) {
      nodes.published(record);
      bindings.published(record);
    },
    unreported: mismatches.unreported,
  };
}
