import type { ClusterName } from '../../api/meta.ts';
import type { FleetRecord } from '../../engine/input.ts';
import { parseAddress } from '../../git/address.ts';
import type { Branches } from '../../git/branches.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { isWorkingTree } from '../../git/local/locate.ts';
import { branchRef } from '../../git/source.ts';
import { readFiles } from '../../git/status-branch.ts';
import type { Silence } from '../../repo/record/daemon-memory.ts';
import { readRecord } from '../../repo/record/read.ts';
import type { RemovalToApprove } from '../../repo/record/removals-to-approve.ts';
import type { Held, NotInEffect } from '../../repo/record/summary.ts';
import { openClone } from '../fleet-repo/open-git.ts';
import { publishedTip } from '../fleet-repo/published-tip.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';

export interface StatusOptions {
  readonly repo: string;
  readonly statusBranch: string;
  /** Only what this machine knows already: no server is asked. */
  readonly offline?: boolean;
}

/** What the status branch says at one commit of it. */
export interface Status {
  /** The commit of the status branch. */
  readonly tip: string;
  /**
   * The present, milliseconds: of this machine, or that of the status commit where it is later. The daemon of a demo lives
   * faster than we do, and clocks differ: nothing that it wrote down lies in the future.
   */
  readonly now: number;
  readonly record: FleetRecord;
  /** The branch of desired state that it was planned from; undefined where nobody wrote it down. */
  readonly branch: string | undefined;
  /** Members that did not answer then. */
  readonly silent: ReadonlyMap<ClusterName, Silence>;
  /** Removals that a person may allow. */
  readonly removals: readonly RemovalToApprove[];
  /** Approvals are branches of this very repo, which has a working tree to merge them in; false: a clone merges them. */
  readonly inPlace: boolean;
  /** What was held then. */
  readonly holds: readonly Held[];
  /** What of the commit that it was planned from is not in force. */
  readonly notInEffect: NotInEffect;
  /** Text by path, of the folders that were asked for. */
  readonly files: ReadonlyMap<string, string>;
}

/** A status branch that stays open, for commands that look more than once. */
export interface StatusReader {
  readonly branches: Branches;
  readonly statusBranch: string;
  /** `refs/heads/fleet-status` */
  readonly ref: string;
  /** Undefined before the first pass. */
  tip(): Promise<string | undefined>;
  /** Only the files of some top folders, when named: parsing costs. Error: CliError, exit code 3, when nothing is there. */
  read(folders?: readonly string[]): Promise<Status>;
  close(): Promise<void>;
}

/** Opens a status branch: that of `origin` in a clone, unless `offline`. Errors: CliError and GitError. */
export async function openStatus({ repo, statusBranch, offline }: StatusOptions): Promise<StatusReader> {
  const ref = branchRef(statusBranch);
  if (offline && parseAddress(repo).kind !== 'local') throw notYet(repo, statusBranch);
  const branches = await openClone(repo);
  const tip = offline
    ? async () => (await followedBranch(branches, statusBranch)).tip
    : publishedTip(branches, statusBranch);
  return {
    branches,
    statusBranch,
    ref,
    tip,
    async read(folders) {
      const commit = await tip();
      if (commit === undefined) throw notYet(branches.name, statusBranch);
      await branches.obtain(ref, commit);
      const inPlace = (await isWorkingTree(branches.name)) && (await branches.list([ref])).get(ref) === commit;
      const files = await readFiles(branches, commit, inFolders(folders));
      const { committer } = await branches.objects.commit(commit);
      const { record, branch, silent, removals, holds, notInEffect } = readRecord(files);
      const now = Math.max(Date.now(), committer.at);
      return { tip: commit, now, inPlace, record, branch, silent, removals, holds, notInEffect, files };
    },
    close: () => branches.close(),
  };
}

const notYet = (name: string, statusBranch: string): CliError =>
  new CliError(
    `${name} has no branch ${statusBranch} yet: it appears with the first pass of gitfleet run`,
    exitCodes.unreachable,
  );

/** Opens a status branch, uses it, closes it. */
export async function withStatus<T>(options: StatusOptions, use: (reader: StatusReader) => Promise<T>): Promise<T> {
  const reader = await openStatus(options);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

/** Paths in some top folders, or all; always those that name the commit that the status was planned from. */
export const inFolders =
  (folders: readonly string[] | undefined) =>
  (path: string): boolean =>
    folders === undefined ||
    path === 'summary.yaml' ||
    path === 'daemon.yaml' ||
    folders.some((folder) => path.startsWith(`${folder}/`));
