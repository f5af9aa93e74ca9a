import type { RepoTree } from '../../repo/tree.ts';
import type { Commit } from './commit.ts';
import type { TreeEntry } from './new-objects.ts';

export interface StoredObject {
  readonly type: string;
  readonly content: Buffer;
}

/**
 * Nothing larger is ever read whole, whatever it is: 64 MiB hold a snapshot of 40 of the largest objects that Kubernetes takes, or
 * a folder of a million files. Who reads files asks for their sizes first, and has lower limits.
 */
export const largestObject = 64 * 1024 * 1024;

/** How the objects of a repository are reached. Error `object-missing` when one is not there. */
export interface ObjectStore {
  read(oids: readonly string[]): Promise<Map<string, StoredObject>>;
  /** Bytes of their contents, without reading these. */
  sizes(oids: readonly string[]): Promise<Map<string, number>>;
  /** Both at once, where that is quicker: the sizes of all, and those objects that are not larger than `largestObject`. */
  readSmall?(
    oids: readonly string[],
  ): Promise<{ readonly sizes: Map<string, number>; readonly objects: Map<string, StoredObject> }>;
}

/** The objects of one repository, read in bulk. */
export interface Objects {
  /** Errors: `object-missing` when one is not there, `too-large` when one is larger than `largestObject`. */
  read(oids: readonly string[]): Promise<Map<string, StoredObject>>;
  /** Bytes of contents, without reading these. Error `object-missing` when one is not there. */
  sizes(oids: readonly string[]): Promise<Map<string, number>>;
  has(oid: string): Promise<boolean>;
  commit(oid: string): Promise<Commit>;
  /** Many at once, in the order asked. */
  commits(oids: readonly string[]): Promise<readonly Commit[]>;
  /** A commit and those before it, newest first, at most `most`; with a path only those that changed something there. */
  log(tip: string, options: { readonly most: number; readonly path?: string }): Promise<readonly string[]>;
  tree(oid: string): Promise<readonly TreeEntry[]>;
  /** Every file of a commit; folders that did not change since the last call are not read again. */
  files(commit: string): Promise<RepoTree>;
  /** Every object under a commit's tree, and the tree itself. */
  oidsOf(commit: string): Promise<Set<string>>;
  /** False also when one of the two is not there. Errors: GitError, where history cannot be read. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
}
