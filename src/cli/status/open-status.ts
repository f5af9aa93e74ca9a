import type { ClusterName, Manifest } from '../../api/meta.ts';
import type { Problem } from '../../api/problem.ts';
import type { FleetRecord } from '../../engine/input.ts';
import type { Pool } from '../../engine/node-pools/pool.ts';
import type { FleetBudget } from '../../engine/nodes/fleet-budgets.ts';
import type { ClusterPlan } from '../../engine/nodes/plan-cluster.ts';
import type { NotRolledOut } from '../../engine/staged/not-rolled-out.ts';
import { parseAddress } from '../../git/address.ts';
import type { Branches } from '../../git/branches.ts';
import { fleetTimeOf, presentOf } from '../../git/fleet-time.ts';
import { followedBranch } from '../../git/followed-branch.ts';
import { isWorkingTree } from '../../git/local/locate.ts';
import { branchRef } from '../../git/source.ts';
import { readFiles } from '../../git/status-branch.ts';
import type { UnreachableMember } from '../../repo/record/daemon-memory.ts';
import { readRecord } from '../../repo/record/read.ts';
import type { RemovalToApprove, UnusedApproval } from '../../repo/record/removals-to-approve.ts';
import type { Held, NotInEffect, RequestPage } from '../../repo/record/summary.ts';
import { openClone } from '../fleet-repo/open-git.ts';
import { publishedTip } from '../fleet-repo/published-tip.ts';
import { CliError, exitCodes } from '../terminal/exit.ts';

export interface StatusOptions {
  readonly repo: string;
  /** Folder of the fleet in the repo: see fleetFolder. */
  readonly path?: string;
  readonly statusBranch: string;
  /** Only local data: no server is contacted. */
  readonly offline?: boolean;
}

/** The status branch at one of its commits. */
export interface Status {
  /** The commit of the status branch. */
  readonly tip: string;
  /**
   * The present, milliseconds: of this machine, or of the status commit where that is later. Clocks differ, and that of a demo
   * runs faster, but no recorded time may be in the future.
   */
  readonly now: number;
  readonly record: FleetRecord;
  /** The branch of desired state that it was planned from; undefined where it is not recorded. */
  readonly branch: string | undefined;
  /** Members that did not respond then. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** Removals that need approval. */
  readonly removals: readonly RemovalToApprove[];
  /** Approvals of removals that are on the followed branch and have allowed nothing yet. */
  readonly unusedApprovals?: readonly UnusedApproval[];
  /** Approval branches are in this repo, which has a working tree to merge them; false: merge them in a clone. */
  readonly inPlace: boolean;
  /** What was held then. */
  readonly holds: readonly Held[];
  /** Problems that the daemon reported. */
  readonly reported: readonly Problem[];
  /** What of the commit that it was planned from is not in effect. */
  readonly notInEffect: NotInEffect;
  /** External placements of which no update run brings what the repo holds. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Pull requests, by the name of their approval. */
  readonly pages?: ReadonlyMap<string, RequestPage>;
  /** Text by path, of the folders that were asked for. */
  readonly files: ReadonlyMap<string, string>;
  /** Only of a plan that is made from files: what it knows of the nodes of each member. */
  readonly nodes?: ReadonlyMap<string, NodesInPlan>;
}

/** The pools of a member, what the cluster shows of them, and what is planned for its nodes; undefined plan = they were not observed. */
export interface NodesInPlan {
  readonly pools: ReadonlyMap<string, Pool>;
  /** NodePools and NodeClaims of the cluster, and Karpenter's events. */
  readonly live: readonly Manifest[];
  readonly plan: ClusterPlan | undefined;
  readonly fleetBudgets: readonly FleetBudget[];
}

/** A status branch that stays open, for commands that look more than once. */
export interface StatusReader {
  readonly branches: Branches;
  readonly folder: string;
  readonly statusBranch: string;
  /** `refs/heads/fleet-status` */
  readonly ref: string;
  /** Undefined before the first reconciliation. */
  tip(): Promise<string | undefined>;
  /** Reads all files, or those of some top folders only, as parsing takes time. Error: CliError, exit code 3, when there is no status. */
  read(folders?: readonly string[]): Promise<Status>;
  close(): Promise<void>;
}

/** Opens a status branch: that of `origin` in a clone, unless `offline`. Errors: CliError and GitError. */
export async function openStatus({
  repo,
  path: folder = '',
  statusBranch,
  offline,
}: StatusOptions): Promise<StatusReader> {
  const ref = branchRef(statusBranch);
  if (offline && parseAddress(repo).kind !== 'local') throw notYet(repo, statusBranch);
  const branches = await openClone(repo);
  const tip = offline
    ? async () => (await followedBranch(branches, statusBranch)).tip
    : publishedTip(branches, statusBranch);
  return {
    branches,
    folder,
    statusBranch,
    ref,
    tip,
    async read(folders) {
      const commit = await tip();
      if (commit === undefined) throw notYet(branches.name, statusBranch);
      await branches.obtain(ref, commit);
      const inPlace = (await isWorkingTree(branches.name)) && (await branches.list([ref])).get(ref) === commit;
      const files = await readFiles(branches, commit, inFolders(folders));
      const of = readRecord(files);
      const now = presentOf(fleetTimeOf(await branches.objects.commit(commit)));
      return { ...of, tip: commit, now, inPlace, files };
    },
    close: () => branches.close(),
  };
}

const notYet = (name: string, statusBranch: string): CliError =>
  new CliError(
    `${name} has no branch ${statusBranch} yet: gitfleet run creates it with its first reconciliation`,
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

/** Whether a path is in one of the top folders; always true for the files with the commit that the status was planned from. */
export const inFolders =
  (folders: readonly string[] | undefined) =>
  (path: string): boolean =>
    folders === undefined ||
    path === 'summary.yaml' ||
    path === 'daemon.yaml' ||
    folders.some((folder) => path.startsWith(`${folder}/`));
