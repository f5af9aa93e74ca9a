import type { ClusterName } from '../api/meta.ts';
import type { Fleet } from '../engine/input.ts';
import type { NotRolledOut } from '../engine/staged/not-rolled-out.ts';
import type { UnreachableMember } from '../repo/record/daemon-memory.ts';
import type { RequestPage } from '../repo/record/summary.ts';
import type { Published } from './in-effect.ts';

/** What the dashboard shows besides the plan. */
export interface DashboardInput {
  /** The branch that is followed. */
  readonly branch: string;
  /** The branch that has the dashboard, if it is another one than by default. */
  readonly statusBranch?: string | undefined;
  /** The repo has a working tree, where approval branches are merged; otherwise that happens in a clone. */
  readonly inPlace?: boolean | undefined;
  /** Members that do not respond. */
  readonly unreachable: ReadonlyMap<ClusterName, UnreachableMember>;
  /** What waits for an update run that is not committed yet. */
  readonly notRolledOut: readonly NotRolledOut[];
  /** Pull requests, by the name of their approval. */
  readonly pages?: ReadonlyMap<string, RequestPage> | undefined;
  /** What was published last. */
  readonly before: Published;
  /** What of the commit is not valid, and what it approves or rejects. */
  readonly fleet: Fleet;
}
