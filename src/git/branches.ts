import type { ListRefs } from './list-refs.ts';
import type { RefChange } from './local/local-refs.ts';
import type { NewObject } from './objects/new-objects.ts';
import type { Objects } from './objects/objects.ts';

/** Requests to a server: where its refs point, objects, or to move a ref. */
export type GitRequest = 'list' | 'fetch' | 'push';

export interface BranchChange extends RefChange {
  /** Objects of the change that the repository may not have yet. */
  readonly objects: readonly NewObject[];
}

/** For a ref that someone wrote who should cost little. */
export interface FetchBounds {
  /** A commit whose whole history is here: the ref is fetched with all of its history that this one does not have. */
  readonly base: string;
  /** Bytes that the server sends. Beyond it: error `too-large`. */
  readonly mostBytes: number;
}

/** The branches of one repository, wherever it is. */
export interface Branches {
  /** The path or URL, for messages. */
  readonly name: string;
  readonly remote: boolean;
  /** Full names of refs and their commits, as they are now: under prefixes that end in a slash, or of exactly a name. */
  list: ListRefs;
  /** After this the commit and its files can be read through `objects`, and as much of its history as a first fetch includes. */
  obtain(ref: string, oid: string, bounds?: FetchBounds): Promise<void>;
  /** Fetches the history of a ref that its first fetch left out. False when nothing was left out. */
  deepen(ref: string): Promise<boolean>;
  /** Forgets what was read of all other refs. Objects of theirs may be gone then. */
  keepOnly(refs: ReadonlySet<string>): Promise<void>;
  readonly objects: Objects;
  /** Compare-and-swap of one ref; never by force. Errors: `push-refused` when a hook rejects it, `locked` when a lock stays. */
  change(change: BranchChange): Promise<'done' | 'moved'>;
  /** True when a working tree of a local repository has this branch checked out. */
  checkedOut(ref: string): Promise<boolean>;
  close(): Promise<void>;
}
