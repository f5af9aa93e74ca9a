import type { ApprovalFile, ListedApprovals, RequestedBranch } from '../git/approval-branches.ts';
import type { GitSource } from '../git/source.ts';
import type { StatusBranch } from '../git/status-branch.ts';
import type { VerifiedSource } from '../git/verify/verified-source.ts';
import type { RepoTree } from '../repo/tree.ts';

/** Where desired state comes from: the branch of a fleet repo. */
export interface DesiredState {
  /** Tip of the branch now; cheap enough to read every few seconds. */
  poll(): Promise<string>;
  /** The files of a commit. */
  tree(commit: string): Promise<RepoTree>;
  /** False when the files of a commit are no longer available. */
  has(commit: string): Promise<boolean>;
  /** False also when `ancestor` is no longer available. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** Where a commit is among those that were the tip: see GitSource. */
  readonly heightOf: GitSource['heightOf'];
  /** First parent of a commit; undefined if it has none or cannot be read. */
  parentOf(commit: string): Promise<string | undefined>;
  /** The commit that brought the present content of a file: see GitSource. */
  readonly broughtBy: GitSource['broughtBy'];
  /** Where commits are verified: those that are not acted on, as of the last `poll`. */
  readonly unverified?: VerifiedSource['unverified'];
  readonly actsOn?: VerifiedSource['actsOn'];
  readonly signatureOf?: VerifiedSource['signatureOf'];
  /** Commits between two versions: see GitSource. */
  readonly commitsBetween: GitSource['commitsBetween'];
  /** Of these the ones with more than approvals: see GitSource. */
  readonly changingMoreThan: GitSource['changingMoreThan'];
  /** When a commit was made, milliseconds since the epoch; undefined if it cannot be read. */
  madeAt(commit: string): Promise<number | undefined>;
  /** Who wrote a commit: see GitSource. */
  readonly authorOf: GitSource['authorOf'];
}

/** The status branch, as far as passes use it. */
export type Status = Pick<StatusBranch, 'tip' | 'read' | 'isAncestor' | 'publish'>;

/** Branches that request an approval. */
export interface Approvals {
  /**
   * Pushes `gitfleet/approve/<name>` with one file on top of the desired branch; does nothing if it exists already. Where the
   * desired branch took it and dropped it again, it starts anew. A branch that others
   * added to stays as it is.
   */
  request(approval: ApprovalFile): Promise<RequestedBranch>;
  withdraw(name: string): Promise<void>;
  list(): Promise<ListedApprovals>;
}
