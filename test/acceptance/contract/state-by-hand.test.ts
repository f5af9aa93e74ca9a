import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Document, type Files, removeFolders } from '../../support/folders.ts';
import { app, deployment, members, moves, namespace, placement, Story, T0 } from '../rollout/world.ts';
import { plan, shop, state, stateOf } from './recorded-plan.ts';

afterEach(removeFolders);

describe('a state.yaml written by hand', () => {
  it('needs the clusters and states of its bindings and no more; what it has is kept', async () => {
    const step = await plan(
      shop,
      state(`
policySnapshots:
- {index: 0, policy: {placementType: PickN}, numberOfClusters: 2}
bindings:
- {targetCluster: eu-1, state: Bound, resourceSnapshotIndex: 3}
- {targetCluster: eu-2, state: Bound, resourceSnapshotIndex: 3}
`),
    );
    expect(step.plan.problems).toEqual([]);
    expect(step.plan.placements[0].decisions.slice(0, 2).map(({ clusterName }: Document) => clusterName)).toEqual([
      'eu-2',
      'eu-1',
    ]);
  });

  it('without any latest the highest index is latest', async () => {
    const step = await plan(
      shop,
      state(`
policySnapshots:
- {index: 4, policy: {placementType: PickN}, numberOfClusters: 2}
- {index: 2, policy: {placementType: PickN}, numberOfClusters: 1}
resourceSnapshots:
- {index: 7, hash: "07"}
- {index: 6, hash: "06"}
`),
    );
    expect(step.plan.placements[0]).toMatchObject({ policySnapshotIndex: 4, resourceSnapshotIndex: 8 });
  });

  it('the number of an entry wins over the one in its policy, and a changed number alone is no new policy', async () => {
    const snapshots = (own: string) =>
      state(
        `policySnapshots:\n- {index: 5, latest: true, policy: {placementType: PickN, numberOfClusters: 1}${own}}\n`,
      );
    for (const own of ['', ', numberOfClusters: 2', ', numberOfClusters: 1']) {
      const step = await plan(shop, snapshots(own));
      expect(step.plan.placements[0].policySnapshotIndex).toBe(5);
      expect(stateOf(step).policySnapshots).toEqual([
        expect.objectContaining({ index: 5, latest: true, numberOfClusters: 2 }),
      ]);
    }
  });

  it('a nil policy is {}: PickAll, and may become any', async () => {
    const all = {
      ...shop,
      'web.yaml': placement('{placementType: PickAll}').replace('  policy: {placementType: PickAll}\n', ''),
    };
    const step = await plan(all, state('policySnapshots:\n- {index: 3, latest: true, policy: {}}\n'));
    expect(step.plan.placements[0].policySnapshotIndex).toBe(3);
    const picksTwo = await plan(shop, state('policySnapshots:\n- {index: 3, latest: true, policy: {}}\n'));
    expect([picksTwo.plan.problems, picksTwo.plan.placements[0].policySnapshotIndex]).toEqual([[], 4]);
  });

  it('a hash that is absent is recomputed from the snapshot file; a foreign one counts where there is no file', async () => {
    const first = await plan(shop, {});
    const contents = { 'placements/web/snapshots/3.yaml': first.plan.record['placements/web/snapshots/0.yaml'] };
    const indexed = async (entry: string): Promise<number> => {
      const step = await plan(shop, {
        ...state(`resourceSnapshots:\n- {index: 3, latest: true${entry}}\n`),
        ...contents,
      });
      return step.plan.placements[0].resourceSnapshotIndex;
    };
    expect(await indexed('')).toBe(3);
    expect(await indexed(', hash: "0123"')).toBe(3);
    expect(stateOf(first).resourceSnapshots[0].hash).toMatch(/^[0-9a-f]{64}$/);
    const bare = async (entry: string): Promise<number> => {
      const step = await plan(shop, state(`resourceSnapshots:\n- {index: 3, latest: true${entry}}\n`));
      return step.plan.placements[0].resourceSnapshotIndex;
    };
    expect(await bare('')).toBe(3);
    expect(await bare(', hash: "0123"')).toBe(4);
    expect(await indexed(`, hash: "${stateOf(first).resourceSnapshots[0].hash}"`)).toBe(3);
  });

  it('a policyHash that is absent is recomputed; one of another program does not make the same policy another', async () => {
    const indexed = async (entry: string): Promise<number> => {
      const step = await plan(shop, state(`policySnapshots:\n- {index: 3, policy: {placementType: PickN}${entry}}\n`));
      return step.plan.placements[0].policySnapshotIndex;
    };
    expect(await indexed('')).toBe(3);
    expect(await indexed(', policyHash: "0123"')).toBe(3);
  });

  it('a binding without clusterDecision is unscored and the first to go', async () => {
    const one = { ...shop, 'web.yaml': placement('{placementType: PickN, numberOfClusters: 1}') };
    const step = await plan(
      one,
      state(`
policySnapshots:
- {index: 0, latest: true, numberOfClusters: 2, policy: {placementType: PickN}}
bindings:
- {targetCluster: eu-1, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0, clusterDecision: {selected: true, clusterScore: {affinityScore: 0, topologySpreadScore: 0}}}
- {targetCluster: us-1, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 0}
`),
    );
    expect(
      step.plan.placements[0].bindings.map(({ clusterName, state: is }: Document) => `${clusterName} ${is}`),
    ).toEqual(['eu-1 Bound', 'us-1 Unscheduled']);
  });

  it('a binding without an index may have resources: its cluster, when it is gone, is released', async () => {
    const { record } = (await plan(shop, {})).plan;
    const path = 'placements/web/state.yaml';
    const known = record[path].replace('\nbindings:\n', '\nbindings:\n  - {targetCluster: gone-1, state: Bound}\n');
    const step = await plan(shop, { ...record, [path]: known });
    expect([known === record[path], step.code, stateOf(step)]).toEqual([false, 1, parse(record[path])]);
  });

  it('previousState stands for the annotation of an Unscheduled binding, deleting for a deletionTimestamp', async () => {
    const story = new Story(
      {
        ...members('eu-1 eu-2'),
        'web.yaml': placement('{placementType: PickFixed, clusterNames: [eu-1]}'),
        'resources/web.yaml': app('web:1'),
      },
      state(`
policySnapshots:
- {index: 0, latest: true, policy: {placementType: PickFixed, clusterNames: [eu-1]}}
bindings:
- {targetCluster: eu-2, state: Unscheduled, previousState: Bound, resourceSnapshotIndex: 0, deleting: true}
`),
    );
    story.seen = { 'eu-2': { objects: [namespace, deployment(2)] } };
    const step = await story.plan();
    expect(moves(step)).toEqual(['eu-1 Bound 1 add', 'eu-2 Unscheduled 0 remove']);
    expect(step.plan.targets.map(({ clusterName, remove }: Document) => [clusterName, remove])).toEqual([
      ['eu-1', false],
      ['eu-2', true],
    ]);
    story.seen = {};
    expect(moves(await story.plan(1))).toEqual(['eu-1 Bound 1 keep']);
  });

  it('that writes defaults out comes out as one that leaves them out, also where nothing moves', async () => {
    const record = (snapshot: string, condition: string, binding: string): Files =>
      state(`
policySnapshots:
- {index: 0, latest: true, numberOfClusters: 2, policy: {placementType: PickN}}
resourceSnapshots:
- {index: 3, latest: true${snapshot}}
bindings:
- {targetCluster: eu-1, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 3, clusterDecision: {selected: true, clusterScore: {affinityScore: 0, topologySpreadScore: 0}}${binding}, conditions: [{type: RolloutStarted, status: "True", lastTransitionTime: "${T0}"${condition}}, {type: Overridden, status: "True"${condition && ', reason: NoOverrideSpecified'}}]}
- {targetCluster: eu-2, state: Bound, policySnapshotIndex: 0, resourceSnapshotIndex: 3}
`);
    const written = record(
      ', hash: "", commit: "", overrides: [], numberOfResourceSnapshots: 1, numberOfEnvelopedObjects: 0',
      '',
      ', deleting: false, reason: "", clusterResourceOverrideSnapshots: [], resourceOverrideSnapshots: [], failedPlacements: [], driftedPlacements: [], diffedPlacements: []',
    );
    const [full, short] = [await plan(shop, written), await plan(shop, record('', ', reason: RolloutStarted', ''))];
    expect(full.plan.placements[0].bindings.map(({ move }: Document) => move)).toEqual(['keep', 'keep']);
    expect(full.plan.record).toEqual(short.plan.record);
    const again = await plan(shop, full.plan.record);
    expect([again.plan.record, again.code]).toEqual([full.plan.record, 0]);
  });

  it('fields of a hub that we do not keep refuse nothing', async () => {
    const step = await plan(
      shop,
      state(`
policySnapshots:
- {index: 0, policyHash: "", spec: {}, policy: {placementType: PickN}}
bindings:
- {targetCluster: eu-1, state: Bound, schedulingPolicySnapshotName: web-0, resourceSnapshotName: web-0-snapshot, creationTimestamp: ${T0}}
`),
    );
    expect(step.plan.problems.filter(({ code }: Document) => code === 'record-unreadable')).toEqual([]);
  });
});
