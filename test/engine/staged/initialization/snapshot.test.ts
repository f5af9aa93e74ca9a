import { describe, expect, it } from 'vitest';
import type { PlacementWork } from '../../../../src/engine/placement-work.ts';
import { Rollout, runOf, stage, strategyOf, workOf } from '../world.ts';
import { bindings, type Case, clusters, plan } from './setting.ts';

describe('the snapshot of a run', () => {
  const indexOf = (given: Case) => {
    const rollout = plan(given);
    return [
      rollout.status.resourceSnapshotIndexUsed,
      rollout.outcome.work.resourceSnapshots.map(({ index, latest }) => (latest ? `${index}!` : `${index}`)).join(' '),
    ];
  };
  const latestHash = (work: PlacementWork): PlacementWork => ({
    ...work,
    resourceSnapshots: work.resourceSnapshots.map((entry) =>
      entry.latest && work.selection.ok ? { ...entry, hash: work.selection.hash } : entry,
    ),
  });
  it.each<[string, Case, [string, string]]>([
    ['without an index is taken now', {}, ['0', '0!']],
    ['without an index is a new one when contents changed', { work: { snapshots: [0, 1] } }, ['2', '0 1 2!']],
    ['an empty index is none', { run: { resourceSnapshotIndex: '' } }, ['0', '0!']],
    ['a known index is that one', { work: { snapshots: [0, 1] }, run: { resourceSnapshotIndex: '0' } }, ['0', '0 1!']],
    [
      'the next free index is taken now',
      { work: { snapshots: [0, 1] }, run: { resourceSnapshotIndex: '2' } },
      ['2', '0 1 2!'],
    ],
    ['index 0 on a fresh placement is taken now', { run: { resourceSnapshotIndex: '0' } }, ['0', '0!']],
    [
      'the next free index exists even when nothing changed',
      { work: latestHash(workOf({ bindings, snapshots: [0] })) as never, run: { resourceSnapshotIndex: '1' } },
      ['1', '0 1!'],
    ],
  ])('%s', (name, given, expected) => {
    if (name.startsWith('the next free index exists')) {
      const rollout = new Rollout(latestHash(workOf({ bindings, snapshots: [0] })), {
        runs: [runOf({ state: 'Initialize', resourceSnapshotIndex: '1' })],
        strategies: [strategyOf(stage('canary'), stage('prod'))],
        clusters,
      }).plan();
      expect(rollout.status.resourceSnapshotIndexUsed).toBe('1');
      expect(rollout.outcome.work.contents.get(1)).toEqual(rollout.outcome.work.contents.get(0));
    } else expect(indexOf(given)).toEqual(expected);
  });

  it('is the latest again when contents are the same', () => {
    const rollout = new Rollout(latestHash(workOf({ bindings, snapshots: [0] })), {
      runs: [runOf({ state: 'Initialize' })],
      strategies: [strategyOf(stage('canary'), stage('prod'))],
      clusters,
    }).plan();
    expect(rollout.status.resourceSnapshotIndexUsed).toBe('0');
  });

  it('records the override snapshots that it is rolled out with, and freezes them by cluster', () => {
    const rollout = plan({
      input: {
        overridesFor: (_, name) =>
          name === 'eu-1'
            ? {
                clusterResourceOverrideSnapshots: ['cro-1'],
                resourceOverrideSnapshots: [{ namespace: 'web', name: 'ro-0' }],
              }
            : { clusterResourceOverrideSnapshots: [], resourceOverrideSnapshots: [] },
      },
    });
    expect(rollout.status.stagesStatus!.map(({ clusters: list }) => list)).toEqual([
      [
        {
          clusterName: 'eu-1',
          clusterResourceOverrideSnapshots: ['cro-1'],
          resourceOverrideSnapshots: [{ namespace: 'web', name: 'ro-0' }],
        },
      ],
      [{ clusterName: 'us-1' }],
    ]);
    expect(rollout.outcome.work.resourceSnapshots[0]!.overrides).toEqual(['cro-1', 'web/ro-0']);
  });
});
