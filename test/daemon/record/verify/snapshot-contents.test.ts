import { expect, it } from 'vitest';
import type { FollowedHistory } from '../../../../src/daemon/record/verify/followed-history.ts';
import { snapshotVerifier } from '../../../../src/daemon/record/verify/snapshot-contents.ts';
import type { FleetRecord } from '../../../../src/engine/input.ts';
import { loadFleet } from '../../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../../src/repo/record/read.ts';
import { deployment, member, placement, treeOf } from '../../../support/paper-fleet.ts';

const run = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterStagedUpdateRun
metadata: {name: web-1}
spec: {placementName: web, resourceSnapshotIndex: "0", stagedRolloutStrategyName: careful, state: Run}
`;

it('a run that names the next free index reports no lost snapshot, and one that has used it does', async () => {
  const fleet = await loadFleet(
    treeOf({
      'clusters/a.yaml': member('a'),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'resources/web.yaml': deployment('web', 'web', 'web:1'),
      'run.yaml': run,
    }),
  );
  const [web] = fleet.placements;
  const state = { observedGeneration: 1, resourceSnapshots: [], bindings: [] };
  const record = {
    ...readRecord(new Map()).record,
    exists: true,
    placements: new Map([['web', { object: web, state, snapshots: new Map() }]]),
  } as unknown as FleetRecord;
  const history = { tip: '1'.repeat(40), fleetAt: async () => fleet } as unknown as FollowedHistory;
  expect(fleet.runs.length).toBe(1);
  expect((await snapshotVerifier()(record, history)).problems).toEqual([]);

  const used = { ...fleet.runs[0]!, status: { resourceSnapshotIndexUsed: '0' } } as never;
  const { problems } = await snapshotVerifier()({ ...record, runs: new Map([['web-1', used]]) }, history);
  expect(problems.map(({ code }) => code)).toEqual(['record-mismatch']);
});
