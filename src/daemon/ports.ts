import type { StatusBranch } from '../git/status-branch.ts';
import type { RepoTree } from '../repo/tree.ts';

/** Where desired state comes from: the branch of a fleet repo. */
export interface DesiredState {
  /** Tip of the branch now; cheap enough to ask every few seconds. */
  poll(): Promise<string>;
  /** The files of a commit. */
  tree(commit: string): Promise<RepoTree>;
  /** False when the files of a commit cannot be read any more. */
  has(commit: string): Promise<boolean>;
  /** False also when `ancestor` is not known any more. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** First parent of a commit; undefined where it has none or cannot be read. */
  parentOf(commit: string): Promise<string | undefined>;
}

/** Where plans are recorded: the status branch, without what only its owner does with it. */
export type Status = Pick<StatusBranch, 'tip' | 'read' | 'isAncestor' | 'publish'>;

/** Branches that ask a person for a yes. */
export interface Approvals {
  /** Pushes `gitfleet/approve/<name>` with one file on top of the desired branch; nothing when it is there already. */
  ask(request: { readonly name: string; readonly path: string; readonly content: string }): Promise<void>;
  withdraw(name: string): Promise<void>;
  /** Names of the branches that are there. */
  list(): Promise<readonly string[]>;
}
