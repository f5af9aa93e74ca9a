import type { PlacementKey } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { StagedUpdateRun } from '../../../api/staged.ts';
import { commitsOf } from '../../../engine/staged/run-commits.ts';
import { isInitialized, isOver, placementOfRun } from '../../../engine/update-run.ts';
import type { FollowedHistory } from './followed-history.ts';

/** Answers about commits are remembered: they never change. */
const mostAnswers = 10_000;

/**
 * Of each placement the finished run that was initialized last. It explains what a cluster has until a later run reaches it. An
 * earlier one does only where the cluster is empty: else with its index all clusters could be rolled back.
 */
export function latestFinished(): (
  runs: Iterable<StagedUpdateRun>,
  history: FollowedHistory,
) => Promise<ReadonlySet<StagedUpdateRun>> {
  const answers = new Map<string, boolean>();

  async function isBefore(commit: string, other: string, history: FollowedHistory): Promise<boolean> {
    const question = `${commit} ${other}`;
    const known = answers.get(question);
    if (known !== undefined) return known;
    if (answers.size >= mostAnswers) answers.clear();
    const answer = await history.holds(commit, other);
    answers.set(question, answer);
    return answer;
  }

  async function isLater(run: StagedUpdateRun, other: StagedUpdateRun, history: FollowedHistory): Promise<boolean> {
    const [from, before] = [run, other].map((each) => commitsOf(each).initializedFrom);
    if (from === undefined || before === undefined) return before === undefined && from !== undefined;
    return from === before ? startOf(run) > startOf(other) : isBefore(before, from, history);
  }

  return async (runs, history) => {
    const found = new Map<PlacementKey, StagedUpdateRun>();
    for (const run of runs) {
      if (run.status === undefined || !isInitialized(run.status) || !isOver(run.status)) continue;
      const key = placementKey(placementOfRun(run));
      const other = found.get(key);
      if (other === undefined || (await isLater(run, other, history))) found.set(key, run);
    }
    return new Set(found.values());
  };
}

/** When its first stage started; empty: none has. */
export const startOf = ({ status }: StagedUpdateRun): string =>
  (status?.stagesStatus ?? []).flatMap(({ startTime }) => startTime ?? []).sort()[0] ?? '';
