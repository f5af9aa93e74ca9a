import type { Condition } from '../api/meta.ts';
import type { DriftedPlacement } from '../api/placement.ts';
import { reportedDifferences } from '../engine/bindings/conditions/reported-differences.ts';
import { conditionIs } from '../engine/kernel/condition.ts';
import { parseInstant } from '../engine/kernel/instant.ts';
import { shortList } from '../engine/kernel/short-list.ts';
import { describeRef } from '../engine/selection/object-key.ts';
import type { ObjectEvent } from './object-event.ts';
import { isAllRepaired, isOpen, newDifferences } from './placements/new-differences.ts';

/** What the status of a placement lists of one cluster. */
export interface ClusterDrifts {
  readonly clusterName?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly driftedPlacements?: readonly DriftedPlacement[] | undefined;
}

/** Drift that was found, corrected, or is over, between two versions of a placement: equal ones of several clusters as one. */
export function driftEvents(
  before: readonly ClusterDrifts[] = [],
  after: readonly ClusterDrifts[] = [],
  committedAt: number,
): ObjectEvent[] {
  const old = new Map(before.map((status) => [status.clusterName, status]));
  const found = after.flatMap((status) => {
    const was = old.get(status.clusterName)?.driftedPlacements;
    return [...newDrifts(was, status, committedAt), ...endedDrifts(was, status, committedAt)].map((event) => ({
      event,
      cluster: status.clusterName ?? '',
    }));
  });
  const alike = Map.groupBy(found, ({ event }) => `${event.reason} ${event.message}`);
  return [...alike.values()].map((group) => {
    const { event } = group[0]!;
    const clusters = shortList(group.map(({ cluster }) => cluster));
    return { ...event, message: `${event.message} on ${clusters}`, at: Math.max(...group.map((one) => one.event.at)) };
  });
}

const newDrifts = (
  was: ClusterDrifts['driftedPlacements'],
  { driftedPlacements = [] }: ClusterDrifts,
  committedAt: number,
) =>
  newDifferences(was, driftedPlacements).map(({ object, details }): ObjectEvent => {
    const { observationTime = '' } = object as DriftedPlacement;
    const of = { message: reportedDifferences(object, details), at: parseInstant(observationTime) ?? committedAt };
    return isAllRepaired(details)
      ? { type: 'Normal', reason: 'DriftCorrected', ...of }
      : { type: 'Warning', reason: 'DriftFound', ...of };
  });

/** An object that is no longer listed matches only where the cluster was looked at since. */
function endedDrifts(
  was: ClusterDrifts['driftedPlacements'] = [],
  { conditions, driftedPlacements = [] }: ClusterDrifts,
  committedAt: number,
): ObjectEvent[] {
  const listed = new Set(driftedPlacements.map(describeRef));
  if (!conditionIs(conditions, 'Applied', 'True')) return [];
  return was
    .filter((object) => isOpen(object) && !listed.has(describeRef(object)))
    .map((object) => ({
      type: 'Normal',
      reason: 'DriftEnded',
      message: `${describeRef(object)} matches its manifest again`,
      at: committedAt,
    }));
}
