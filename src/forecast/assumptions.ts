import type { ClusterName } from '../api/meta.ts';
import type { Fleet } from '../engine/input.ts';
import { progressDeadlineOf } from '../engine/staged/failure-policy.ts';

/** What a forecast supposes of members and people. Milliseconds. */
export interface Assumptions {
  /** From the start of an update, or of a removal, until the cluster is done. */
  readonly readyAfterMs: number;
  /** From the start of an upgrade of a cluster until it runs the new versions. Each step of several minors takes as long. */
  readonly upgradedAfterMs: number;
  /** From the request of an approval until it is merged; undefined = never. */
  readonly approveAfterMs: number | undefined;
  /** False: nobody approves removals that the guard refuses, or that are held. */
  readonly approvesRemovals?: boolean | undefined;
  /** Where the forecast ends if the fleet has not settled before. */
  readonly untilMs: number;
  /** False: nodes stay as they are. A caller that asks for placements need not wait for thousands of them. */
  readonly disruptsNodes?: boolean | undefined;
  /** Members that never respond, in addition to those that the observations say so of. */
  readonly silent?: ReadonlySet<ClusterName> | undefined;
  /** Members that the first plan has no contact with, and that respond from then on, with nothing of the fleet on them. */
  readonly joining?: ReadonlySet<ClusterName> | undefined;
}

/** The assumptions as far as they can hold for a fleet: while its fleet.yaml is not valid, no approval counts. */
export const supposedOf = <A extends Pick<Assumptions, 'approveAfterMs'>>(
  { noApprovalCounts }: Pick<Fleet, 'noApprovalCounts'>,
  assumptions: A,
): A => (noApprovalCounts ? { ...assumptions, approveAfterMs: undefined } : assumptions);

/** After how long clusters are supposed to be ready where nothing says otherwise. */
const usualReadyAfterMs = 90_000;

/** The same, or half the time that a staged run of the fleets gives a cluster, if that is less: whoever wrote a deadline expects that. */
export const readyAfterIn = (...fleets: readonly Fleet[]): number =>
  Math.min(
    usualReadyAfterMs,
    ...fleets.flatMap(({ runs }) =>
      runs.flatMap((run) => {
        const deadlineMs = progressDeadlineOf(run);
        return deadlineMs === undefined ? [] : [Math.floor(deadlineMs / 2_000) * 1_000];
      }),
    ),
  );
