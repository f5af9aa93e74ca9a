import { join } from 'node:path';
import { recordFolder } from '../repo/record/folders/rows.ts';
import { noneRead, notRead, reasonNotRead } from '../repo/record/not-read.ts';
import { isRead } from '../repo/record/path.ts';
import {
  boundsOf,
  bytesIn,
  contentOf,
  type PackedText,
  packed,
  type StatusText,
  valuesIn,
} from '../repo/record/status-text.ts';
import { recordFault, recordLimits } from '../repo/too-large.ts';
import type { TreeFile } from '../repo/tree.ts';
import { separatorsIn } from '../repo/yaml/separators.ts';
import { parseAddress } from './address.ts';
import type { Branches, GitRequest } from './branches.ts';
import { withFleetTime } from './fleet-time.ts';
import { GitError } from './git-error.ts';
import type { Credentials } from './http/credentials.ts';
import { type Content, isFolder, type Kept, type NewObject, newCommit, newFileTree } from './objects/new-objects.ts';
import { openBranches } from './open-branches.ts';
import type { Person } from './person.ts';
import { alwaysAsk, type RefPoll } from './ref-poll.ts';
import { branchRef } from './source.ts';
import type { OpenSigning, RefusedTip } from './verify/status-signing.ts';

/** The contents of the status branch that a plan is based on. */
export interface StatusTip {
  /** Undefined while the branch does not exist. */
  readonly commit: string | undefined;
  /** Empty where the commit is refused: what others write is not looked at. */
  readonly files: ReadonlyMap<string, StatusText>;
  /** Where status commits are signed: the tip is not one of ours. */
  readonly refused?: RefusedTip & {
    /** Contents of `record`. */
    readonly files: ReadonlyMap<string, StatusText>;
  };
}

export type Published =
  | { readonly kind: 'published' | 'unchanged'; readonly tip: StatusTip }
  /** Another writer was faster: read again. */
  | { readonly kind: 'moved' };

export interface StatusBranch {
  /** Commit of the tip now, without reading it. */
  tip(): Promise<string | undefined>;
  read(): Promise<StatusTip>;
  /** False also when either commit is no longer known. */
  isAncestor(ancestor: string, of: string): Promise<boolean>;
  /** Commits `files` as the whole content of the branch, on top of `base`; never by force. */
  publish(base: StatusTip, files: ReadonlyMap<string, StatusText>, message: string): Promise<Published>;
  readonly remote: boolean;
  close(): Promise<void>;
}

/**
 * The branch of the record. A remote one has a mirror of its own, apart from the fleet's files, so that a push costs only what
 * changed. Errors: GitError; `checked-out` when a working tree has the branch checked out.
 */
export async function openStatusBranch(input: {
  readonly repo: string;
  readonly statusBranch: string;
  readonly cacheDir: string;
  readonly credentials: Credentials;
  readonly native?: boolean;
  readonly author: Person;
  /** Milliseconds since the epoch, for the time of commits. */
  readonly now: () => number;
  /** The fleet's time, where it is another. */
  readonly fleetTime?: (() => number) | undefined;
  readonly requested?: (request: GitRequest) => void;
  readonly pending?: (by: 1 | -1) => void;
  /** How often the tip of the branch is read from the server; by default at every call. */
  readonly refs?: RefPoll;
  readonly signing?: OpenSigning | undefined;
}): Promise<StatusBranch> {
  const ref = branchRef(input.statusBranch);
  const branches = await openBranches({
    address: parseAddress(input.repo),
    mirrorDir: join(input.cacheDir, 'status'),
    credentials: input.credentials,
    native: input.native,
    requested: input.requested,
    pending: input.pending,
  });
  return statusBranch(branches, ref, { ...input, refs: input.refs ?? alwaysAsk(branches) });
}

/** The branch in a repository that is open already. */
export function statusBranch(
  branches: Branches,
  ref: string,
  {
    author,
    now,
    fleetTime,
    refs,
    signing: openSigning,
  }: {
    readonly author: Person;
    readonly now: () => number;
    readonly fleetTime?: (() => number) | undefined;
    readonly refs: RefPoll;
    /** Signs status commits and refuses those of others. */
    readonly signing?: OpenSigning | undefined;
  },
): StatusBranch {
  const signing = openSigning?.(branches, ref);
  /** Objects that the repository has, since they are reachable from a tip: only the others are sent. */
  const reachable = new WeakMap<
    StatusTip,
    { readonly root?: string; readonly oids: ReadonlySet<string>; readonly notRead: FilesAt['notRead'] }
  >();

  /** The record of an earlier commit. Without a root the next commit is written even if it changes no file. */
  async function insteadOf(commit: string, refused: RefusedTip): Promise<StatusTip> {
    const { record } = refused;
    const { files, notRead } = record === undefined ? nothing : await filesAt(branches, record);
    const tip: StatusTip = { commit, files: new Map(), refused: { ...refused, files: packedFiles(files) } };
    reachable.set(tip, { oids: record === undefined ? new Set() : await branches.objects.oidsOf(record), notRead });
    return tip;
  }

  return {
    remote: branches.remote,
    tip: async () => (await refs.list([ref])).get(ref),
    async read() {
      const commit = (await branches.list([ref])).get(ref);
      refs.know(ref, commit);
      if (commit === undefined) return { commit, files: new Map() };
      await branches.obtain(ref, commit);
      const refused = await signing?.refused(commit);
      if (refused !== undefined) return insteadOf(commit, refused);
      const { files: texts, notRead } = await filesAt(branches, commit);
      const tip = { commit, files: packedFiles(texts) };
      const root = (await branches.objects.commit(commit)).tree;
      reachable.set(tip, { root, oids: await branches.objects.oidsOf(commit), notRead });
      return tip;
    },
    isAncestor: (ancestor, of) => branches.objects.isAncestor(ancestor, of),
    async publish(base, files, message) {
      if (await branches.checkedOut(ref))
        throw new GitError(
          'checked-out',
          `${ref} is checked out in a working tree of ${branches.name}: switch to another branch there, status commits would look like deletions`,
        );
      const fault = writtenFault(files);
      if (fault !== undefined)
        throw new GitError('too-large', `${ref} is not written, since it could not be read again: ${fault}`);
      const known = reachable.get(base);
      const notRead = known?.notRead ?? new Map<string, Kept>();
      const objects = newFileTree(contentsOf(files, notRead));
      const root = objects.at(-1)!.oid;
      if (known?.root === root) return { kind: 'unchanged', tip: base };
      const parents = base.commit === undefined ? [] : [base.commit];
      const unsigned = newCommit({
        tree: root,
        parents,
        message: withFleetTime(message, fleetTime?.()),
        author,
        at: now(),
      });
      const commit = (await signing?.sign(unsigned)) ?? unsigned;
      const fresh = new Map([...objects, commit].map((object) => [object.oid, object]));
      for (const oid of known?.oids ?? []) fresh.delete(oid);
      const outcome = await branches.change({ ref, from: base.commit, to: commit.oid, objects: [...fresh.values()] });
      if (outcome === 'moved') {
        refs.expire();
        return { kind: 'moved' };
      }
      refs.know(ref, commit.oid);
      signing?.wrote(commit.oid);
      const tip: StatusTip = { commit: commit.oid, files };
      const kept = [...notRead.values()].map(({ oid }) => oid);
      reachable.set(tip, { root, oids: new Set([...objects.map(({ oid }) => oid), ...kept]), notRead });
      return { kind: 'published', tip };
    },
    close: () => branches.close(),
  };
}

const packedFiles = (texts: ReadonlyMap<string, string>): Map<string, StatusText> =>
  new Map([...texts].map(([path, text]) => [path, packed(text)]));

/** The files of the record at a commit, or some of them; see `filesAt`. */
export const readFiles = async (
  branches: Pick<Branches, 'objects'>,
  commit: string,
  isAsked?: (path: string) => boolean,
): Promise<Map<string, string>> => (await filesAt(branches, commit, isAsked)).files;

/** The files of a commit. Links and submodules that someone added are left out, so that the next commit deletes them. */
interface FilesAt {
  /** `notRead` is the text of those that are not of the record, or too large. */
  readonly files: Map<string, string>;
  /** What these are, by path. */
  readonly notRead: ReadonlyMap<string, Kept>;
}

async function filesAt(
  branches: Pick<Branches, 'objects'>,
  commit: string,
  isAsked: (path: string) => boolean = () => true,
): Promise<FilesAt> {
  const tree = await branches.objects.files(commit);
  const listed = (await tree.files()).filter(({ mode, path }) => isKept(mode) && isAsked(path));
  const unlisted = listed.find(
    ({ mode, path }) => isFolder({ mode }) && recordFolder(path.split('/')[0]) !== undefined,
  );
  if (unlisted) return none(`the folder ${unlisted.path} has too many files to be listed`);
  const asked = listed.filter(({ path, mode }) => isText(mode) && isRead(path));
  const sizes = await tree.sizes!(asked.map(({ oid }) => oid));
  const fault = recordFault(asked.map(({ oid }) => sizes.get(oid)!));
  if (fault !== undefined) return none(fault);
  const small = asked.filter(({ oid }) => sizes.get(oid)! <= recordLimits.file);
  const contents = await tree.read(small.map(({ oid }) => oid));
  const texts = new Map(small.map(({ path, oid }) => [path, Buffer.from(contents.get(oid)!).toString('utf8')]));
  const tooMany = valuesFault([...texts.values()].reduce((sum, text) => sum + separatorsIn(text), 0));
  if (tooMany !== undefined) return none(tooMany);
  const reason = ({ oid }: TreeFile): string =>
    sizes.has(oid)
      ? `the file has ${sizes.get(oid)} bytes, of at most ${recordLimits.file}`
      : 'it is no file of the record';
  return {
    files: new Map(listed.map((file) => [file.path, texts.get(file.path) ?? notRead(reason(file))])),
    notRead: new Map(listed.flatMap(({ path, mode, oid }) => (texts.has(path) ? [] : [[path, { mode, oid }]]))),
  };
}

const nothing: FilesAt = { files: new Map(), notRead: new Map() };

const none = (reason: string): FilesAt => ({ files: noneRead(reason), notRead: new Map() });

/** The texts to publish. Those that were not read stay what they are. */
function contentsOf(files: ReadonlyMap<string, StatusText>, kept: ReadonlyMap<string, Kept>): Map<string, Content> {
  const contents = new Map<string, Content>();
  for (const [path, text] of files) {
    const content = typeof text === 'object' ? blobOf(text) : reasonNotRead(text) === undefined ? text : kept.get(path);
    if (content !== undefined) contents.set(path, content);
  }
  return contents;
}

/** Its bytes are unpacked only if the repository does not have the object. */
const blobOf = (text: PackedText): NewObject => ({
  oid: text.oid,
  type: 'blob',
  get content() {
    return contentOf(text);
  },
});

const valuesFault = (separators: number): string | undefined =>
  separators > recordLimits.separators
    ? `its files have more values together than fit into memory, of at most ${Math.floor(recordLimits.separators)}`
    : undefined;

/** Why texts could not be read again once they are written, by the limits with which they are read. */
function writtenFault(files: ReadonlyMap<string, StatusText>): string | undefined {
  if (isFarFromLimits(files)) return undefined;
  const counted = [...files].filter(([path]) => isRead(path));
  for (const [path, text] of counted) {
    if (bytesIn(text) > recordLimits.file) return `${path} has ${bytesIn(text)} bytes, of at most ${recordLimits.file}`;
    if (valuesIn(text) > recordLimits.fileSeparators)
      return `${path} has ${valuesIn(text)} values, of at most ${recordLimits.fileSeparators}`;
  }
  return (
    recordFault(counted.map(([, text]) => bytesIn(text))) ??
    valuesFault(counted.reduce((sum, [, text]) => sum + valuesIn(text), 0))
  );
}

/** Nearly every record is, and most of its files are the same as before. */
function isFarFromLimits(files: ReadonlyMap<string, StatusText>): boolean {
  let [bytes, values] = [0, 0];
  for (const text of files.values()) {
    const most = boundsOf(text);
    if (most.bytes > recordLimits.file || most.values > recordLimits.fileSeparators) return false;
    bytes += most.bytes;
    values += most.values;
  }
  return files.size <= recordLimits.files && bytes <= recordLimits.total && values <= recordLimits.separators;
}

const isText = (mode: string): boolean => mode === '100644' || mode === '100755';
const isKept = (mode: string): boolean => isText(mode) || isFolder({ mode });
