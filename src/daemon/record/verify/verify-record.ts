import type { Problem } from '../../../api/problem.ts';
import type { Fleet, FleetRecord } from '../../../engine/input.ts';
import type { RepoTree } from '../../../repo/tree.ts';
import type { DesiredState } from '../../ports.ts';
import type { Logger } from '../../report/log.ts';
import type { Metrics } from '../../report/metrics.ts';
import { followedHistory } from './followed-history.ts';
import { snapshotVerifier } from './snapshot-contents.ts';

/** The record with what the followed branch bears out, and what of it that does not. `followed`: what is known to be of that branch. */
export type RecordVerifier = (
  record: FleetRecord,
  followed: { readonly commit: string; readonly fleet: Fleet },
) => Promise<{ readonly record: FleetRecord; readonly problems: readonly Problem[] }>;

/**
 * Whoever can push to the status branch must not decide what clusters get: whatever in the record has that power is compared with
 * the followed branch (docs/security.md). What was found stays reported until the next commit there, since healing ends it at once.
 */
export function recordVerifier(of: {
  readonly desired: DesiredState;
  readonly loadPast: (tree: RepoTree) => Promise<Fleet>;
  readonly log: Logger;
  readonly metrics: Metrics;
}): RecordVerifier {
  const historyUpTo = followedHistory(of.desired, of.loadPast);
  const contents = snapshotVerifier();
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

  return async (record, followed) => {
    const verified = await contents(record, historyUpTo(followed));
    return { record: verified.record, problems: report(followed.commit, verified.problems) };
  };
}

const textOf = ({ file, message }: Problem): string => `${file} ${message}`;
