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

it('a run that names the next free index reports no lost snapshot, and one that uses it does until it is over', async () => {
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

  const problemsWith = async (status: object) => {
    const used = { ...fleet.runs[0]!, status: { resourceSnapshotIndexUsed: '0', ...status } } as never;
    const { problems } = await snapshotVerifier()({ ...record, runs: new Map([['web-1', used]]) }, history);
    return problems.map(({ code }) => code);
  };
  expect(await problemsWith({})).toEqual(['record-mismatch']);
  // The history limit has removed it since.
  expect(await problemsWith({ conditions: [{ type: 'Succeeded', status: 'True' }] })).toEqual([]);
});

it('a snapshot with an object that was accepted once and is refused now says so, and not that the branch had another', async () => {
  const web = deployment('web', 'web', 'web:1');
  const files = (resource: string) =>
    treeOf({
      'clusters/a.yaml': member('a'),
      'web.yaml': placement('web', '{placementType: PickAll}'),
      'resources/web.yaml': resource,
    });
  const then = await loadFleet(files(web));
  const now = await loadFleet(files(web.replace('spec:', 'spec:\n  pausd: true')));
  expect(now.refused.map(({ kind }) => kind)).toEqual(['Deployment']);
  const commit = '2'.repeat(40);
  const entry = { index: 0, hash: 'a', commit };
  const state = { observedGeneration: 1, resourceSnapshots: [entry], bindings: [] };
  const snapshots = new Map([[0, then.resources.map(({ manifest }) => manifest)]]);
  const record = {
    ...readRecord(new Map()).record,
    placements: new Map([['web', { object: now.placements[0], state, snapshots }]]),
  } as unknown as FleetRecord;
  const history = { tip: '1'.repeat(40), fleetAt: async () => now } as unknown as FollowedHistory;
  const { problems } = await snapshotVerifier()(record, history);
  expect(problems.map(({ message, fix }) => [message, fix])).toEqual([
    [
      expect.stringMatching(
        /: at its commit 222222222222 an object is refused: Deployment web\/web: there is no field spec.pausd$/,
      ),
      expect.stringMatching(/^nothing, if an earlier version of gitfleet accepted it/),
    ],
  ]);
});
