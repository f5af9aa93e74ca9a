import { afterEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { cleanUp, type Document, type Files, filesOf, folder, gitfleet } from '../door.ts';
import { app, deployment, members, moves, namespace, placement, rolling, Story, T0, told } from '../rollout/world.ts';

afterEach(cleanUp);

async function plan(files: Files, record: Files, ...flags: string[]): Promise<{ code: number; plan: Document }> {
  const [repo, recorded] = await Promise.all([folder(files), folder(record)]);
  const { out, code } = await gitfleet(
    ...['plan', '--repo', repo, '--recorded', recorded, '--now', T0, '-o', 'json', ...flags],
  );
  return { code, plan: JSON.parse(out) };
}
const stateOf = ({ plan: { record } }: { readonly plan: Document }): Document =>
  parse(record['placements/web/state.yaml']);

const shop: Files = {
  ...members('eu-1 eu-2 us-1'),
  'web.yaml': placement('{placementType: PickN, numberOfClusters: 2}', rolling(1, 1)),
  'resources/web.yaml': app('web:1'),
};
const state = (body: string): Files => ({
  'placements/web/state.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: PlacementState\nmetadata: {name: web}\n${body}`,
});

const otherPlacement = placement('{placementType: PickAll}').replace('name: web}\nspec', 'name: other}\nspec');

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

describe('a record', () => {
  it('may hold only some files: what is missing is not remembered', async () => {
    const first = await plan(shop, {});
    const { record } = first.plan;
    expect((await plan(shop, record)).code).toBe(0);
    const only = (...paths: string[]): Files => Object.fromEntries(paths.map((path) => [path, record[path]]));
    const kept = await plan(shop, only('placements/web/state.yaml'));
    expect(kept.plan.placements[0].bindings.map(({ move }: Document) => move)).toEqual(['keep', 'keep']);
    expect(kept.plan.problems).toEqual([]);
    const forgotten = await plan(shop, only('placements/web/status.yaml', 'placements/web/snapshots/0.yaml'));
    expect(forgotten.plan.placements[0].bindings.map(({ move }: Document) => move)).toEqual(['add', 'add']);
  });

  it('is written whole, unchanged files too, and a step on it writes the same', async () => {
    const out = await folder();
    const first = await plan(shop, {}, '--out-recorded', out);
    expect(await filesOf(out)).toEqual(first.plan.record);
    const next = await folder();
    const second = await plan(shop, first.plan.record, '--out-recorded', next);
    expect(await filesOf(next)).toEqual(first.plan.record);
    expect(second.plan.digest).toBe(first.plan.digest);
  });

  it('a file in it that is written anew anyway is a warning, and a missing one, when it cannot be used', async () => {
    const { record } = (await plan(shop, {})).plan;
    const step = await plan(shop, { ...record, 'clusters/eu-1.yaml': 'kind: [' });
    expect(step.plan.problems.map(({ severity, code }: Document) => `${severity} ${code}`)).toEqual([
      'warning record-unreadable',
    ]);
    const kept = 'clusters/eu-1.yaml';
    expect([step.code, step.plan.record[kept]]).toEqual([0, record[kept]]);
  });

  const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `c${at}`);
  const bound = (count: number): Files =>
    state(
      `bindings:\n${names(count)
        .map((name) => `- {targetCluster: ${name}, state: Bound, resourceSnapshotIndex: 3}\n`)
        .join('')}`,
    );
  const resources = { 'resources/web.yaml': app('web:1') };
  const approved = (digest: string): Files => ({
    'yes.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: x}\nspec: {removalDigest: "${digest}"}\n`,
  });
  it.each<[what: string, Files, clusters: number, rules: string[]]>([
    ['the placement that vanished was the only one', { ...members('c0'), ...resources }, 1, ['everything-vanished']],
    ['the repo is empty', {}, 1, ['everything-vanished']],
    [
      'more than ten clusters are emptied',
      { ...members(names(11).join(' ')), ...resources, 'other.yaml': otherPlacement },
      11,
      ['blast-radius-clusters'],
    ],
    [
      'ten clusters are emptied',
      { ...members(names(10).join(' ')), ...resources, 'other.yaml': otherPlacement },
      10,
      [],
    ],
  ])(
    'that does not know what a placement held lets the guard count it all the same: %s',
    async (_, files, count, said) => {
      const step = await plan(files, bound(count));
      expect([step.plan.guard.map(({ rule }: Document) => rule), step.code]).toEqual([said, said.length > 0 ? 4 : 1]);
      const [finding] = step.plan.guard;
      if (finding)
        expect((await plan({ ...files, ...approved(finding.removalDigest) }, bound(count))).plan.guard).toEqual([]);
    },
  );

  const snapshotFile = 'placements/web/snapshots/0.yaml';
  it.each([
    ['a List', (text: string) => stringify({ apiVersion: 'v1', kind: 'List', items: parseAllDocuments(text) }), []],
    ['a text', () => 'web', ['warning record-unreadable']],
    ['an object without a name', () => 'apiVersion: v1\nkind: Namespace\n', ['warning record-unreadable']],
    ['a List of nothing', () => 'kind: List\nitems: [null]\n', ['warning record-unreadable']],
    ['aliases that lead nowhere', () => 'kind: *nowhere\n', ['warning record-unreadable']],
  ])('the file of a snapshot may be %s: it is read, or told and taken as missing', async (_, written, said) => {
    const { record } = (await plan(shop, {})).plan;
    const step = await plan(shop, { ...record, [snapshotFile]: written(record[snapshotFile]) });
    expect(step.plan.problems.map(({ severity, code }: Document) => `${severity} ${code}`)).toEqual(said);
    expect([step.code, step.plan.placements[0].resourceSnapshotIndex, step.plan.record[snapshotFile]]).toEqual([
      0,
      0,
      record[snapshotFile],
    ]);
  });

  it('a state that cannot be used is an error with its place and what to write; nothing is planned as if never placed', async () => {
    const written = state(`
bindings:
- targetCluster: eu-1
  state: bound
  resourceSnapshotIndex: "3"
`);
    const step = await plan({ ...shop, 'other.yaml': otherPlacement }, written);
    const file = '(status branch) placements/web/state.yaml';
    const common = { severity: 'error', code: 'record-unreadable', file };
    expect(step.plan.problems).toEqual([
      {
        ...common,
        ...{ line: 7, column: 3, path: 'bindings.0.state', value: 'bound' },
        message: 'this file of the record cannot be used: state must be "Scheduled" or "Bound" or "Unscheduled"',
        fix: 'did you mean Bound?; a status branch is best left to gitfleet',
      },
      {
        ...common,
        ...{ line: 8, column: 3, path: 'bindings.0.resourceSnapshotIndex', value: '3' },
        message: 'this file of the record cannot be used: resourceSnapshotIndex must be of type number',
        fix: 'write a number, without quotes; a status branch is best left to gitfleet',
      },
    ]);
    expect(step.code).toBe(2);
    expect(step.plan.placements.map(({ name }: Document) => name)).toEqual(['other']);
    expect(step.plan.targets.every(({ placement: { name } }: Document) => name === 'other')).toBe(true);
    expect(step.plan.holds).toEqual([
      expect.objectContaining({ subject: { kind: 'ClusterResourcePlacement', name: 'web' }, reason: 'RecordLost' }),
    ]);
    expect(step.plan.guard).toEqual([]);
    expect(step.plan.record['placements/web/state.yaml']).toBe(written['placements/web/state.yaml']);
  });

  it('a state that is no YAML is an error at its place', async () => {
    const step = await plan(shop, { 'placements/web/state.yaml': 'bindings:\n- {targetCluster: eu-1\n' });
    expect(step.plan.problems).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'record-unreadable',
        line: 3,
        fix: expect.stringContaining('close the { with }'),
      }),
    ]);
  });

  it('a state that cannot be used is made of what members show; a cluster that shows nothing keeps what its status said', async () => {
    const story = new Story({ ...shop, 'web.yaml': placement('{placementType: PickAll}', rolling(1, 0)) });
    const carried = { placements: [told(0)], objects: [namespace, deployment(2)] };
    story.seen = {};
    await story.plan();
    story.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': carried };
    await story.plan(100);
    story.record = { ...story.record, 'placements/web/state.yaml': 'bindings: [' };
    story.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': { reachable: false } };
    const step = await story.planOnce();
    expect(step.code).toBe(2);
    expect(step.plan.guard).toEqual([]);
    expect(moves(step)).toEqual(['eu-1 Bound 0 wait', 'eu-2 Bound 0 wait', 'us-1 Bound 0 wait']);
    expect(step.plan.targets.filter(({ remove }: Document) => remove)).toEqual([]);
  });

  it('a run or an eviction whose result cannot be read does not happen again', async () => {
    const evicted = {
      ...shop,
      'evict.yaml':
        'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: once}\nspec: {placementName: web, clusterName: eu-1}\n',
    };
    const { record } = (await plan(shop, {})).plan;
    const step = await plan(evicted, { ...record, 'evictions/once.yaml': 'status: [' });
    expect(step.code).toBe(2);
    expect(step.plan.holds.map(({ reason, subject: { name } }: Document) => `${reason} ${name}`)).toEqual([
      'RecordLost once',
    ]);
    expect(step.plan.evictions).toEqual([expect.objectContaining({ name: 'once', status: { conditions: [] } })]);
  });

  it('is lost only when it has no placements/ at all while members carry our label', async () => {
    const repo = { ...shop, 'web.yaml': placement('{placementType: PickAll}', rolling(1, 1)) };
    const carried = { placements: [told(4)], objects: [namespace, deployment(2)] };
    const lost = new Story(repo);
    lost.seen = { 'eu-1': carried, 'eu-2': carried, 'us-1': carried };
    const rebuilt = await lost.plan();
    expect(moves(rebuilt)).toEqual(['eu-1 Bound 5 update', 'eu-2 Bound 4 wait', 'us-1 Bound 4 wait']);
    expect(rebuilt.plan.placements[0].resourceSnapshotIndex).toBe(5);
    const known = new Story(repo, {
      'placements/other/state.yaml': state('')['placements/web/state.yaml']!.replace('web', 'other'),
    });
    known.seen = lost.seen;
    const forgotten = await known.plan();
    expect(moves(forgotten)).toEqual(['eu-1 Bound 5 add', 'eu-2 Bound 5 add', 'us-1 Bound 5 add']);
  });

  it('a placement whose state is in it and whose file is gone is being deleted', async () => {
    const story = new Story({
      ...shop,
      'other.yaml': otherPlacement,
    });
    story.seen = {};
    await story.plan();
    const carried = { placements: [told(0)], objects: [namespace, deployment(2)] };
    const { 'web.yaml': _, ...rest } = story.files;
    story.files = rest;
    story.seen = { 'eu-2': carried, 'us-1': carried };
    const step = await story.plan(1);
    expect(step.plan.placements.map(({ name }: Document) => name)).toEqual(['other']);
    expect(step.plan.targets.filter(({ placement: { name } }: Document) => name === 'web')).toEqual([
      expect.objectContaining({ clusterName: 'eu-2', remove: true, objects: [] }),
      expect.objectContaining({ clusterName: 'us-1', remove: true, objects: [] }),
    ]);
  });

  it('with nothing but the state of such a placement leaves a record that can be read', async () => {
    const { 'web.yaml': _, ...rest } = shop;
    const gone = { ...rest, 'other.yaml': otherPlacement };
    const first = await plan(
      gone,
      state('bindings:\n- {targetCluster: eu-1, state: Bound, resourceSnapshotIndex: 3}\n'),
    );
    const second = await plan(gone, first.plan.record);
    for (const { plan: step } of [first, second]) {
      expect(step.problems).toEqual([]);
      expect(step.targets.filter(({ remove }: Document) => remove)).toEqual([
        expect.objectContaining({ clusterName: 'eu-1', objects: [] }),
      ]);
    }
    expect(second.plan.record).toEqual(first.plan.record);
  });
});
