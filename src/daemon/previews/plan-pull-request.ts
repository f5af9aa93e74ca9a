import type { Fleet, PlanInput } from '../../engine/input.ts';
import { listUpTo } from '../../engine/kernel/short-list.ts';
import { previewAssumptions, totalEffectInSteps } from '../../forecast/total-effect.ts';
import type { Forge, PullRequest } from '../../forge/forge.ts';
import type { Branches } from '../../git/branches.ts';
import { GitError, type GitErrorCode } from '../../git/git-error.ts';
import { mergeTrees } from '../../git/merge-trees.ts';
import { branchRef } from '../../git/source.ts';
import { withAddedWarnings } from '../../repo/fleet/fleet-warnings.ts';
import { placeProblems } from '../../repo/fleet/place-problems.ts';
import type { RepoTree } from '../../repo/tree.ts';
import { effectText, mergedText } from '../../report/effect/effect-text.ts';
import { instantText } from '../../report/forecast/instant-text.ts';
import { addedFault } from './added-files.ts';
import { effectPreview, failedPreview, type PreviewText } from './preview-text.ts';
import { type Spending, workWithin } from './work-within.ts';

/** Conflicting files named in a text. */
const mostNamed = 20;
/** Of computing, milliseconds: a change of 1,000 clusters takes 2 s. */
const mostMs = 30_000;
/** Of a pull request, beyond the followed branch: people's manifests are far smaller. */
const mostFetchedBytes = 64 * 1024 ** 2;

export interface PreviewedPull extends Pick<Spending, 'pause' | 'stopwatch'> {
  readonly pull: PullRequest;
  readonly forge: Pick<Forge, 'kind' | 'mostCharacters'>;
  readonly branches: Branches;
  /** The followed branch, and the input of its last plan; its commit is what the pull request is merged into. */
  readonly branch: string;
  readonly folder?: string | undefined;
  readonly input: PlanInput;
  readonly statusBranch: string;
  readonly load: (tree: RepoTree) => Promise<Fleet>;
}

export interface PlannedPull {
  readonly text: PreviewText;
  /** Milliseconds of computing, and of reading files. */
  readonly spentMs: number;
  /** It is not worth another try with the same head. */
  readonly isTooCostly: boolean;
}

/**
 * What merging a pull request does to the live fleet. Files are read as data; only the forge's settings of the followed branch count.
 * Errors: GitError, where its commits cannot be read.
 */
export async function planPullRequest(of: PreviewedPull): Promise<PlannedPull> {
  const { pull, forge, branches, branch, folder, input, statusBranch, stopwatch } = of;
  const ours = input.commit;
  const theirs = pull.headCommit;
  const head = `${mergedText({ commit: theirs, into: ours }, branch)}; the fleet as of ${instantText(input.now)}`;
  const place = { pull, forge, statusBranch, head };
  if (!(await obtain(of))) {
    const limit = `${mostFetchedBytes / 1024 ** 2} MiB`;
    const details = `Its commits have more than ${limit} that ${branch} does not have. Remove large files from all of them.`;
    return { text: failedPreview({ title: 'too large to be fetched', details }, place), spentMs: 0, isTooCostly: true };
  }
  const began = stopwatch();
  const failed = (title: string, details: string) => ({
    text: failedPreview({ title, details }, place),
    spentMs: stopwatch() - began,
    isTooCostly: false,
  });
  try {
    const { tree, conflicts } = await mergeTrees(branches.objects, { ours, theirs, folder });
    if (conflicts.length > 0)
      return failed(
        `conflicts with ${branch} in ${conflicts.length} ${conflicts.length === 1 ? 'file' : 'files'}`,
        `Both branches changed ${listUpTo(conflicts, mostNamed)}. Merge ${branch} into the branch; then gitfleet plans it.`,
      );
    const fault = await addedFault(tree, await branches.objects.files(ours, folder));
    if (fault !== undefined) return failed('too large to be planned', `${fault}. Split it into several pull requests.`);
    const loaded = withAddedWarnings(await of.load(tree), input.fleet, input.record);
    const fleet = { ...loaded, approvers: input.fleet.approvers };
    const work = totalEffectInSteps(input, { fleet, commit: theirs }, previewAssumptions(input.fleet, fleet));
    const { done, spentMs } = await workWithin(work, { ...of, spentMs: stopwatch() - began, mostMs });
    if (done === undefined) {
      const details = `After ${mostMs / 1000} s of computing it was not done. It is planned again when commits are pushed.`;
      return { ...failed('takes too long to be planned', details), spentMs, isTooCostly: true };
    }
    const problems = await placeProblems(done.value.first.plan.problems, async () => tree);
    return { text: effectPreview(effectText(done.value), problems, place), spentMs, isTooCostly: false };
  } catch (error) {
    const title = error instanceof GitError ? notMerged[error.code] : undefined;
    if (title === undefined) throw error;
    return failed(`${title} with ${branch}`, `${(error as GitError).message}. Rebase the branch onto ${branch}.`);
  }
}

const notMerged: Partial<Record<GitErrorCode, string>> = {
  'not-found': 'no common history',
  'several-bases': 'merged crosswise',
};

/** Gets its commits, with their history up to where the two parted. False: they are too large. */
async function obtain({ pull, forge, branches, branch, input }: PreviewedPull): Promise<boolean> {
  const { objects } = branches;
  const main = branchRef(branch);
  if (!(await objects.has(input.commit))) await branches.obtain(main, input.commit);
  if (branches.remote) await branches.deepen(main);
  if (await objects.has(pull.headCommit)) return true;
  try {
    const bounds = { base: input.commit, mostBytes: mostFetchedBytes };
    await branches.obtain(pullRef(pull, forge.kind), pull.headCommit, bounds);
    return true;
  } catch (error) {
    if (error instanceof GitError && error.code === 'too-large') return false;
    throw error;
  }
}

/** Where its commits are in the repository that they would be merged into. */
export const pullRef = ({ isFork, number, head }: PullRequest, kind: Forge['kind']): string =>
  isFork ? forkRef(number, kind) : branchRef(head);

const forkRef = (number: number, kind: Forge['kind']): string =>
  kind === 'gitlab' ? `refs/merge-requests/${number}/head` : `refs/pull/${number}/head`;
