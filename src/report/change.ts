import type { ClusterName } from '../api/meta.ts';
import type { Problem } from '../api/problem.ts';
import type { FleetRecord } from '../engine/input.ts';
import type { Plan } from '../engine/plan-document.ts';
import type { RequestPage } from '../repo/record/summary.ts';
import type { Currencies } from './money.ts';

/** From one plan to the next: what events are made from. */
export interface Change {
  /** The record that the plan is based on, and the one that it makes. */
  readonly before: FleetRecord;
  readonly after: FleetRecord;
  readonly plan: Plan;
  /** Who wrote the commits that the plan and its snapshots are from, as far as that is known: names by commit. */
  readonly authors?: ReadonlyMap<string, string> | undefined;
  /** Absent = amounts are shown without. */
  readonly currencies?: Currencies | undefined;
  /** Absent = not known. Holds, problems and refusals are compared with those of this plan. */
  readonly earlier?: Plan | undefined;
  /** Problems that the status branch reports already. */
  readonly reported?: readonly Problem[] | undefined;
  /** Pull requests for approvals, by the name of the approval. Absent = not compared. */
  readonly pages?: {
    readonly before: ReadonlyMap<string, RequestPage>;
    readonly after: ReadonlyMap<string, RequestPage>;
  };
  /** Clusters that do not respond. Absent = not compared. */
  readonly unreachable?: {
    readonly before: ReadonlyMap<ClusterName, unknown>;
    readonly after: ReadonlyMap<ClusterName, unknown>;
  };
}
