import { describe, expect, it } from 'vitest';
import type { ClusterName, Condition, PlacementName } from '../../src/api/meta.ts';
import { metrics } from '../../src/daemon/report/metrics.ts';
import { reportPlacements } from '../../src/daemon/report/placement-metrics.ts';
import type { Plan, PlannedBinding, PlannedPlacement } from '../../src/engine/plan-document.ts';
import { objectEvents, type Versioned } from '../../src/report/object-events.ts';
import { hasFailed, stateOf } from '../../src/report/placement-state-text.ts';

const unmet = (type: string, reason: string): Condition => ({ type, status: 'False', reason });

/** A placement with one binding for each condition. */
function placed(type: string, reason: string, own: readonly Condition[]): PlannedPlacement {
  const bindings = own.map(
    (condition, at): PlannedBinding => ({
      clusterName: `c-${at}` as ClusterName,
      state: 'Bound',
      resourceSnapshotIndex: 0,
      move: 'keep',
      conditions: [condition],
    }),
  );
  return {
    kind: 'ClusterResourcePlacement',
    name: 'web' as PlacementName,
    scheduled: { status: 'True', reason: 'SchedulingPolicyFulfilled' },
    decisions: [],
    bindings,
    conditions: [unmet(`ClusterResourcePlacement${type}`, reason)],
  };
}

describe.each<[string, string, string, readonly string[], string, string]>([
  ['being applied', 'Applied', 'ApplyFailed', ['ApplyInProgress'], 'being applied', 'progressing'],
  ['that cannot be applied', 'Applied', 'ApplyFailed', ['NotAllWorkHaveBeenApplied'], 'apply failed', 'failed'],
  [
    'that cannot be applied on one of two clusters',
    'Applied',
    'ApplyFailed',
    ['ApplyInProgress', 'NotAllWorkHaveBeenApplied'],
    'apply failed',
    'failed',
  ],
  [
    'being compared',
    'DiffReported',
    'DiffReportingIncompleteOrFailed',
    ['DiffReportInProgress'],
    'being compared',
    'progressing',
  ],
])('a placement %s', (_, type, reason, own, text, state) => {
  const placement = placed(
    type,
    reason,
    own.map((each) => unmet(type, each)),
  );

  it('is so in words, and has failed only where a cluster has', () => {
    expect(stateOf(placement)).toEqual([text]);
    expect(hasFailed(placement)).toBe(state === 'failed');
  });

  it('counts so in the metrics', () => {
    const measured = metrics();
    reportPlacements({ placements: [placement], runs: [], record: new Map() } as unknown as Plan, measured);
    const series = measured.render().match(/^gitfleet_placement_clusters\{.*$/gm);
    expect(series).toContain(`gitfleet_placement_clusters{placement="web",state="${state}"} 1`);
  });

  it('has an event only where it has failed', () => {
    const version: Versioned = {
      kind: placement.kind,
      status: {
        conditions: placement.conditions,
        placementStatuses: placement.bindings.map(({ clusterName, conditions }) => ({ clusterName, conditions })),
      },
    };
    expect(objectEvents(undefined, version, 1).map((event) => event.reason)).toEqual(
      state === 'failed' ? [reason] : [],
    );
  });
});

it('a placement whose apply fails after it was in progress has an event then', () => {
  const version = (own: string): Versioned => ({
    kind: 'ClusterResourcePlacement',
    status: {
      conditions: [unmet('ClusterResourcePlacementApplied', 'ApplyFailed')],
      placementStatuses: [{ clusterName: 'a', conditions: [unmet('Applied', own)] }],
    },
  });
  const [begun, failed] = [version('ApplyInProgress'), version('NotAllWorkHaveBeenApplied')];
  expect(objectEvents(begun, failed, 7)).toMatchObject([{ type: 'Warning', reason: 'ApplyFailed', at: 7 }]);
  expect(objectEvents(failed, failed, 8)).toEqual([]);
});
