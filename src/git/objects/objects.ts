import type { RepoTree } from '../../repo/tree.ts';
import type { Commit } from './commit.ts';
import type { TreeEntry } from './new-objects.ts';

export interface StoredObject {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * Nothing larger is ever read whole: 64 MiB are enough for a snapshot of 40 of the largest objects that Kubernetes accepts, or a
 * folder of a million files. Readers of files check their sizes first, and have lower limits.
 */
export const largestObject = 64 * 1024 * 1024;

/** Access to the objects of a repository. Error `object-missing`. */
export interface ObjectStore {
  read(oids: readonly string[]): Promise<Map<string, StoredObject>>;
  /** Bytes of their contents, without reading them. */
  sizes(oids: readonly string[]): Promise<Map<string, number>>;
  /** Both in one call, where that is faster: the sizes of all, and the objects that are not larger than `largestObject`. */
  readSmall?(
    oids: readonly string[],
  ): Promise<{ readonly sizes: Map<string, number>; readonly objects: Map<string, StoredObject> }>;
}

/** The objects of one repository, read in bulk. */
export interface Objects {
  /** Errors: `object-missing`, `too-large` when one is larger than `largestObject`. */
  read(oids: readonly string[]): Promise<Map<string, StoredObject>>;
  /** Bytes of contents, without reading them. Error `object-missing`. */
  sizes(oids: readonly string[]): Promise<Map<string, number>>;
  has(oid: string): Promise<boolean>;
  commit(oid: string): Promise<Commit>;
  /** Many in one call, in the order of the ids. */
  commits(oids: readonly string[]): Promise<readonly Commit[]>;
  /** A commit and its ancestors, newest first, at most `most`; with a path, only those that changed something there. */
  log(tip: string, options: { readonly most: number; readonly path?: string }): Promise<readonly string[]>;
  /** A commit and its first parents, newest first, at most `most`; ends where history was left out. */
  firstParents(tip: string, most: number): Promise<readonly string[]>;
  tree(oid: string): Promise<readonly TreeEntry[]>;
  /**
   * Every file of a commit, or of one folder (`apps/fleet/`) with paths from there, none if there is no such folder. Folders that did
   * not change since the last call are not read again.
   */
  files(commit: string, folder?: string): Promise<RepoTree>;
  /** Every object under a commit's tree, and the tree itself. */
  oidsOf(commit: string): Promise<Set<string>>;
  /** False also when one of the two does not exist. Errors: GitError, if history cannot be read. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** The newest commits that are in the history of both, whatever their dates say: more than one where branches were merged crosswise. */
  mergeBases(ours: string, theirs: string): Promise<readonly string[]>;
}
