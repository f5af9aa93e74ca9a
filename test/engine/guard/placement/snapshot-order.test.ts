import { describe, expect, it } from 'vitest';
import type { UpdateRunStatus } from '../../../../src/api/staged.ts';
import type { PlannedRun } from '../../../../src/engine/plan-document.ts';
import { placementOf, runOf } from '../../staged/world.ts';
import { inputOf, members, objects, on, planned, planOf, remembered, rolling, rules } from '../world.ts';

describe('versions', () => {
  const record = (index: number) => [remembered(rolling(), [on('a', index)], { 0: objects(1), 1: objects(1) })];
  it('RollingUpdate puts no older snapshot back', () => {
    const fleet = { members: members('a'), placements: [rolling()] };
    expect(
      rules(inputOf({ fleet, placements: record(1) }), planOf({ placements: { web: [planned('a', 0, 'update')] } })),
    ).toEqual(['older-snapshot']);
    expect(
      rules(inputOf({ fleet, placements: record(0) }), planOf({ placements: { web: [planned('a', 1, 'update')] } })),
    ).toEqual([]);
  });
  it('of two bindings on one cluster, in whatever order, none has gone back', () => {
    const other = { clusterResourceOverrideSnapshots: ['by-zone-0'] };
    const two = [on('a', 1), on('a', 0, { state: 'Unscheduled', previousState: 'Bound', ...other })];
    const fleet = { members: members('a'), placements: [rolling()] };
    const after = [planned('a', 1, 'keep'), planned('a', 0, 'wait', { state: 'Unscheduled' })];
    for (const before of [two, two.toReversed()])
      for (const bindings of [after, after.toReversed()]) {
        const placements = [remembered(rolling(), before, { 0: objects(1), 1: objects(1) })];
        expect(rules(inputOf({ fleet, placements }), planOf({ placements: { web: bindings } }))).toEqual([]);
      }
  });
  it('an External placement moves by a run alone', () => {
    const input = inputOf({ fleet: { members: members('a'), placements: [placementOf()] }, placements: record(0) });
    expect(rules(input, planOf({ placements: { web: [planned('a', 1, 'update')] } }))).toEqual(['moved-without-run']);
    const started: UpdateRunStatus = {
      resourceSnapshotIndexUsed: '1',
      stagesStatus: [
        {
          stageName: 's',
          clusters: [{ clusterName: 'a', conditions: [{ type: 'Started', status: 'True', reason: 'x' }] }],
        },
      ],
    };
    const run: PlannedRun = { kind: 'ClusterStagedUpdateRun', name: 'web-1', status: started };
    const withRun = { ...input, fleet: { ...input.fleet, runs: [runOf()] } };
    expect(rules(withRun, planOf({ placements: { web: [planned('a', 1, 'update')] }, runs: [run] }))).toEqual([]);
    expect(
      rules(
        withRun,
        planOf({
          placements: { web: [planned('a', 1, 'update')] },
          runs: [{ ...run, status: { ...started, resourceSnapshotIndexUsed: '0' } }],
        }),
      ),
    ).toEqual(['moved-without-run']);
  });
});
