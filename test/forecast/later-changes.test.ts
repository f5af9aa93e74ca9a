import { describe, expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';
import { configMap, effectOf, type Files } from './effect-of.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const run = (name: string, spec = 'stagedRolloutStrategyName: steps'): Files => ({
  'run.yaml': `${staged}UpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, ${spec}}\n`,
});
const version = (of: number): Files => ({ 'resources/web.yaml': deployment('web', 'web', `web:${of}`) });
const web = (clusters: string, metadata = '{name: web}'): Files => ({
  'web.yaml': placement('web', `{placementType: PickFixed, clusterNames: [${clusters}]}`, '{type: External}').replace(
    '{name: web}',
    metadata,
  ),
});
const files: Files = {
  ...Object.fromEntries(['a1', 'b1', 'b2'].map((name) => [`clusters/${name}.yaml`, member(name, { in: name[0]! })])),
  ...web('a1, b1, b2'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: first, labelSelector: {matchLabels: {in: a}}}, {name: rest, maxConcurrency: 2, labelSelector: {matchLabels: {in: b}}}]}\n`,
  ...version(1),
};
const suspended = web('a1, b1, b2', '{name: web, annotations: {gitfleet.dev/suspended: incident}}');
const frozen: Files = {
  'fleet.yaml':
    'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: always, schedule: "* * * * *", duration: 24h}]}\n',
};
const evicting: Files = {
  'evict.yaml':
    'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: evict-b1}\nspec: {placementName: web, clusterName: b1}\n',
};

async function follow(paper: PaperFleet, change: Files, steps = 6): Promise<void> {
  paper.files = { ...paper.files, ...change };
  for (let step = 0; step < steps; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
}

async function installed(): Promise<PaperFleet> {
  const paper = new PaperFleet(files);
  await follow(paper, run('web-0'));
  return paper;
}

const titles = async (paper: PaperFleet, change: Files): Promise<string[]> =>
  effectText(await effectOf(paper, { ...paper.files, ...change })).changes.map(({ title }) => title);

describe('a preview shows what a held update run would change', () => {
  const all = 'once it is no longer held: web: Deployment web/web changed, same on 3 clusters (a1, b1, b2)';
  it.each<[string, Files]>([
    ['a suspended placement', suspended],
    ['a freeze without an end', frozen],
    ['a strategy that is not there', run('web-1', 'stagedRolloutStrategyName: none')],
  ])('by %s', async (_, change) => {
    expect(await titles(await installed(), { ...version(2), ...run('web-1'), ...change })).toEqual([all]);
  });

  it('on the clusters that it has not reached', async () => {
    const paper = await installed();
    await follow(paper, { ...version(2), ...run('web-1') }, 1);
    expect(await titles(paper, frozen)).toEqual([
      'once it is no longer held: web: Deployment web/web changed, same on 2 clusters (b1, b2)',
    ]);
  });

  it('by the snapshot that it names', async () => {
    const paper = await installed();
    await follow(paper, { ...version(2), ...run('web-1') });
    await follow(paper, version(3));
    const back = run('web-2', 'stagedRolloutStrategyName: steps, resourceSnapshotIndex: "0"');
    const text = effectText(await effectOf(paper, { ...paper.files, ...back, ...frozen }));
    expect(text.changes).toEqual([
      { title: all, diff: expect.stringContaining('+           image: web:1'), isRemoval: false },
    ]);
  });

  it('with the removals at its end first', async () => {
    expect(await titles(await installed(), { ...version(2), ...run('web-1'), ...web('a1, b1'), ...frozen })).toEqual([
      'once it is no longer held: web: Deployment web/web removed, on b2',
      'once it is no longer held: web: Namespace web removed, on b2',
      'once it is no longer held: web: Deployment web/web changed, same on 2 clusters (a1, b1)',
    ]);
  });
});

it('a preview shows what an update run that is needed would remove at its end', async () => {
  expect(await titles(await installed(), { ...version(2), ...web('a1, b1') })).toEqual([
    'needs a staged update run: web: Deployment web/web removed, on b2',
    'needs a staged update run: web: Namespace web removed, on b2',
    'needs a staged update run: web: Deployment web/web changed, same on 2 clusters (a1, b1)',
  ]);
});

describe('a preview shows what an update run that is needed would change', () => {
  const only = (name: string, patch: string): Files => ({
    'override.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: own, namespace: web}\nspec:\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {in: ${name}}}}]}, ${patch}}]}\n`,
  });
  const labels = 'jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {only: x}}]';
  const needed = 'needs a staged update run: web:';
  const previewed = async (paper: PaperFleet, change: Files) =>
    effectText(await effectOf(paper, { ...paper.files, ...change }));

  it('by an override', async () => {
    const text = await previewed(await installed(), only('b', labels));
    expect(text.title).toBe('no change on any cluster · needs a staged update run: web');
    expect(text.changes.map(({ title }) => title)).toEqual([
      `${needed} Deployment web/web changed, same on 2 clusters (b1, b2)`,
    ]);
    expect(text.rollout).toContain('web: needs a staged update run: the repo holds other overrides for b1, b2');
  });

  it('by an override that removes an object', async () => {
    expect(await titles(await installed(), only('a', 'overrideType: Delete'))).toEqual([
      `${needed} Deployment web/web removed, on a1`,
    ]);
  });

  it('by an override that fails', async () => {
    const failing = only('a', 'jsonPatchOverrides: [{op: remove, path: /metadata/annotations/nothing}]');
    const text = await previewed(await installed(), failing);
    expect(text.title).toBe('no change on any cluster · needs a staged update run: web');
    expect(text.rollout).toContainEqual(
      expect.stringMatching(/^web: a1 keeps what it has, also by an update run: an override fails: /),
    );
  });

  it('by an override, also where new resources need a run already', async () => {
    const paper = await installed();
    await follow(paper, version(2));
    expect(await titles(paper, only('b', labels))).toEqual([
      `${needed} Deployment web/web changed, on a1`,
      `${needed} Deployment web/web changed, same on 2 clusters (b1, b2)`,
    ]);
    expect((await previewed(paper, {})).changes).toEqual([]);
  });

  it('on clusters that it leaves', async () => {
    expect((await previewed(await installed(), web('a1, b1'))).title).toBe(
      'no change on any cluster · needs a staged update run: web',
    );
    expect(await titles(await installed(), web('a1, b1'))).toEqual([
      `${needed} Deployment web/web removed, on b2`,
      `${needed} Namespace web removed, on b2`,
    ]);
  });

  it('although there is one that waits for its strategy', async () => {
    const paper = await installed();
    await follow(paper, run('web-1', 'stagedRolloutStrategyName: none'));
    const text = await previewed(paper, version(2));
    expect(text.title).toBe('no change on any cluster · needs a staged update run: web');
    expect(text.changes).toHaveLength(1);
    expect(text.rollout).toContain(
      'web: needs a staged update run: the repo holds other resources than snapshot 0, and update run web-1 is not initialized: there is no ClusterStagedUpdateStrategy none yet',
    );
  });
});

describe('a preview shows removals that are held', () => {
  const later = 'once it is no longer held: web:';
  const rolling = (policy: string, strategy = '{type: RollingUpdate}'): Files => ({
    'web.yaml': placement('web', policy, strategy),
  });
  const picks = (count: number, strategy?: string): Files =>
    rolling(`{placementType: PickN, numberOfClusters: ${count}}`, strategy);
  const reporting = '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}';
  const settled = async (...all: Files[]): Promise<PaperFleet> => {
    const paper = new PaperFleet({ ...files, ...all[0] });
    for (const change of all) {
      paper.files = { ...paper.files, ...change };
      await paper.settle();
    }
    return paper;
  };
  const removed = (where: string, what = 'removed'): string[] =>
    ['Deployment', 'Namespace'].map((kind) =>
      `${later} ${kind} web/web ${what}, ${where}`.replace('Namespace web/', 'Namespace '),
    );

  it('of a placement that shrinks, with the clusters', async () => {
    const paper = await settled(picks(3));
    const text = effectText(await effectOf(paper, { ...paper.files, ...picks(1), ...frozen }));
    expect(text.changes.map(({ title }) => title)).toEqual(removed('same on 2 clusters (a1, b1)'));
    expect(text.rollout[0]).toMatch(/^web · a1, b1: does not happen yet: Freeze: is removed once freeze always /);
  });

  it('of what was applied before differences were only reported', async () => {
    expect(await titles(await settled(picks(3), picks(3, reporting)), { ...picks(2, reporting), ...frozen })).toEqual(
      removed('on a1'),
    );
    expect(await titles(await settled(picks(3, reporting)), { ...picks(2, reporting), ...frozen })).toEqual([]);
  });

  it.each([
    ['External', async () => installed()],
    ['RollingUpdate', async () => settled(picks(3))],
    ['ReportDiff', async () => settled(picks(3), picks(3, reporting))],
  ])('of a placement that is deleted: %s', async (_, open) => {
    const paper = await open();
    const { 'web.yaml': _web, ...without } = paper.files;
    const text = effectText(await effectOf(paper, { ...without, ...frozen }));
    expect(text.changes.map(({ title }) => title)).toEqual(removed('same on 3 clusters (a1, b1, b2)'));
  });

  it('but not of one that abandons its objects', async () => {
    const paper = await settled(
      rolling('{placementType: PickAll}', '{type: RollingUpdate, deleteStrategy: {propagationPolicy: Abandon}}'),
    );
    const { 'web.yaml': _, ...without } = paper.files;
    expect(effectText(await effectOf(paper, { ...without, ...frozen })).title).toBe(
      'releases 6 objects · 3 of 3 clusters',
    );
  });

  it('for which another placement takes the objects over', async () => {
    const strategy = '{type: RollingUpdate, applyStrategy: {whenToTakeOver: Always}}';
    const twin = { 'twin.yaml': placement('twin', '{placementType: PickFixed, clusterNames: [a1]}', strategy, 'web') };
    const changes = await titles(await settled(picks(3)), { ...picks(2), ...frozen, ...twin });
    expect(changes.filter((title) => title.startsWith(later))).toEqual([
      `${later} Deployment web/web stays for twin to take over, on a1`,
      `${later} Namespace web stays for twin to take over, on a1`,
    ]);
  });

  describe('and only what it adds where something is held already', () => {
    const more = { 'resources/more.yaml': configMap('more', '1') };
    const label: Files = {
      'override.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: own, namespace: web}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: more}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {in: b}}}]}, jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {only: x}}]}]}\n`,
    };
    const suspending = (of: Files): Files => ({
      'web.yaml': of['web.yaml']!.replace('{name: web}', '{name: web, annotations: {gitfleet.dev/suspended: why}}'),
    });
    const without = (name: string): Files => ({ [name]: '' });
    const all = 'same on 3 clusters (a1, b1, b2)';
    it.each<[string, Files, Files, string[]]>([
      [
        'a removal under a freeze',
        frozen,
        without('resources/more.yaml'),
        [`${later} ConfigMap web/more removed, ${all}`],
      ],
      [
        'a removal of a suspended placement',
        suspending(picks(3)),
        without('resources/more.yaml'),
        [`${later} ConfigMap web/more removed, ${all}`],
      ],
      ['an override', frozen, label, [`${later} ConfigMap web/more changed, same on 2 clusters (b1, b2)`]],
      [
        'a cluster',
        frozen,
        picks(2),
        ['ConfigMap web/more', 'Deployment web/web', 'Namespace web'].map((of) => `${later} ${of} removed, on a1`),
      ],
      ['another version', frozen, version(3), [`${later} Deployment web/web changed, ${all}`]],
      [
        'the placement',
        frozen,
        without('web.yaml'),
        ['ConfigMap web/more', 'Deployment web/web', 'Namespace web'].map((of) => `${later} ${of} removed, ${all}`),
      ],
      ['nothing', frozen, { 'other.md': 'x' }, []],
    ])('%s', async (_, hold, change, changes) => {
      const paper = await settled({ ...picks(3), ...more }, { ...hold, ...version(2) });
      const text = effectText(await effectOf(paper, { ...paper.files, ...change }));
      expect(text.changes.map(({ title }) => title)).toEqual(changes);
      expect(text.isEmpty).toBe(changes.length === 0);
      expect(text.title).toBe(
        changes.length === 0 ? 'no change on any cluster' : 'no change as long as it is held: web',
      );
    });
  });

  describe('of an eviction', () => {
    const anew = removed('on b1', 'removed and created anew').toReversed();
    const suspending = (of: string): string =>
      of.replace('{name: web}', '{name: web, annotations: {gitfleet.dev/suspended: incident}}');
    it.each<[string, Files, Files, string[]]>([
      ['under a freeze', rolling('{placementType: PickAll}'), frozen, anew],
      [
        'of a suspended placement',
        rolling('{placementType: PickAll}'),
        { 'web.yaml': suspending(rolling('{placementType: PickAll}')['web.yaml']!) },
        anew,
      ],
      [
        'from a cluster that is not selected again',
        rolling('{placementType: PickAll}'),
        { ...frozen, 'clusters/b1.yaml': member('b1', { in: 'b' }, 'taints: [{key: away, effect: NoSchedule}]') },
        removed('on b1'),
      ],
    ])('%s', async (_, before, change, changes) => {
      expect(await titles(await settled(before), { ...change, ...evicting })).toEqual(changes);
    });

    it('of a placement that needs an update run to come back', async () => {
      const paper = new PaperFleet({
        ...files,
        'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      });
      await follow(paper, run('web-0'));
      expect(await titles(paper, { ...frozen, ...evicting })).toEqual(removed('on b1'));
    });
  });
});

it('a preview of an eviction removes for good what is only compared after it', async () => {
  const all = (type: string): Files => ({
    'web.yaml': placement('web', '{placementType: PickAll}', `{type: RollingUpdate, applyStrategy: {type: ${type}}}`),
  });
  const paper = new PaperFleet({ ...files, ...all('ServerSideApply') });
  await paper.settle();
  paper.files = { ...paper.files, ...all('ReportDiff') };
  await paper.settle();
  const text = effectText(await effectOf(paper, { ...paper.files, ...evicting }));
  expect(text.title).toBe('removes 2 objects · 1 of 3 clusters');
  expect(text.changes.map(({ title }) => title)).toEqual([
    'web: Deployment web/web removed, on b1',
    'web: Namespace web removed, on b1',
  ]);
});

describe('a preview says that changes which wait are taken back', () => {
  const title = 'no change on any cluster · takes back what is not rolled out yet: web';
  it.each<[string, Files, Files]>([
    ['for a run', {}, {}],
    ['for a run, and a freeze that ends', frozen, { 'fleet.yaml': '' }],
    ['for a run, and a freeze', frozen, {}],
    ['for the end of a suspension', suspended, web('a1, b1, b2')],
  ])('%s', async (_, waiting, change) => {
    const paper = await installed();
    await follow(paper, { ...waiting, ...version(2) });
    const text = effectText(await effectOf(paper, { ...paper.files, ...version(1), ...change }));
    expect(text.title).toBe(title);
    expect(text.isEmpty).toBe(false);
    expect(text.rollout).toContain('web: takes back what is not rolled out yet; clusters keep what they have');
  });
  it('of a placement that rolls out by itself', async () => {
    const { 'web.yaml': _, ...others } = files;
    const paper = new PaperFleet({ ...others, 'web.yaml': placement('web', '{placementType: PickAll}') });
    await follow(paper, {});
    await follow(paper, { ...frozen, ...version(2) });
    const text = effectText(await effectOf(paper, { ...paper.files, ...version(1) }));
    expect(text.title).toBe(title);
    expect(text.rollout).toEqual(['web: takes back what is not rolled out yet; clusters keep what they have']);
    const other = await effectOf(paper, { ...paper.files, ...version(3) });
    expect([other.takenBack, other.held.map(({ reason }) => reason)]).toEqual([[], ['Freeze', 'Freeze', 'Freeze']]);
  });
  it('unless a file is not valid', async () => {
    const paper = await installed();
    await follow(paper, version(2));
    const { takenBack } = await effectOf(paper, { ...paper.files, 'resources/web.yaml': 'a: b: c' });
    expect(takenBack).toEqual([]);
  });
});
