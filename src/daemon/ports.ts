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
}

/** What the status branch held when a plan was based on it. */
export interface StatusTip {
  /** Undefined while the branch does not exist. */
  readonly commit: string | undefined;
  readonly files: ReadonlyMap<string, string>;
}

export type Published =
  | { readonly kind: 'published' | 'unchanged'; readonly tip: StatusTip }
  /** Another writer was faster: look again. */
  | { readonly kind: 'moved' };

export interface Status {
  /** Commit of the tip now, without reading it. */
  tip(): Promise<string | undefined>;
  read(): Promise<StatusTip>;
  /** False also when either commit is not known any more. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** Makes `files` the whole content of the branch, on top of `base`; never by force. */
  publish(base: StatusTip, files: ReadonlyMap<string, string>, message: string): Promise<Published>;
}

/** Branches that ask a person for a yes. */
export interface Approvals {
  /** Pushes `gitfleet/approve/<name>` with one file on top of the desired branch; nothing when it is there already. */
  ask(request: { readonly name: string; readonly path: string; readonly content: string }): Promise<void>;
  withdraw(name: string): Promise<void>;
  /** Names of the branches that are there. */
  list(): Promise<readonly string[]>;
}
