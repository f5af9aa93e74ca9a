import { describe, expect, it } from 'vitest';
import { type TotalEffect, totalEffect, totalEffectInSteps } from '../../src/forecast/total-effect.ts';
import { loadFleet } from '../../src/repo/fleet/load-fleet.ts';
import { effectMarkdown } from '../../src/report/effect/effect-markdown.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, member, PaperFleet, placement, treeOf } from '../support/paper-fleet.ts';
import { assumptions, cities, configMap, effectOf, type Files, web } from './effect-of.ts';

/** With a placement that stays where web is deleted. */
const two: Files = { ...web(), 'tools.yaml': placement('tools', '{placementType: PickFixed, clusterNames: [ams]}') };

const cityOverride = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: city}
spec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: []}
        jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {city: "\${MEMBER-CLUSTER-LABEL-KEY-city}"}}]
`;

/** Of one cluster; another path than that of a field makes it fail. */
const sizeOverride = (path: string): Files => ({
  'override.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {city: ams}}}]}, jsonPatchOverrides: [{op: replace, path: ${path}, value: 5}]}]}\n`,
});

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const stagedRun = (name: string, snapshot = '', annotation = ''): string =>
  `${staged}UpdateRun\nmetadata: {name: ${name}, annotations: {${annotation}}}\nspec: {placementName: web, stagedRolloutStrategyName: steps${snapshot && `, resourceSnapshotIndex: "${snapshot}"`}}\n`;

const approval = (digest = ''): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: all}\nspec: {removalDigest: "${digest}"}\n`;

const suspended = (text: string): string =>
  text.replace('metadata: {', 'metadata: {annotations: {gitfleet.dev/suspended: incident}, ');

describe('the total effect of a change', () => {
  it('that drops a ConfigMap placed on 4 clusters is 4 removals', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    const effect = await effectOf(paper, web(false));
    const text = effectText(effect);
    expect(text.title).toBe('removes 4 objects · 4 of 4 clusters');
    expect(text.changes.map(({ title }) => title)).toEqual([
      'web: ConfigMap web/extra removed, same on 4 clusters (ams, fra, lon, nyc)',
    ]);
    expect(text.rows).toEqual([['web', '4', '-', '-', '4', '-', '-']]);
    expect(text.rollout).toEqual(['web: rolls out by itself, maxUnavailable 25%, maxSurge 25%']);
    expect(text.forecast).toMatch(/^Everything is done at /);
  });
  it('is the same without a record', async () => {
    const effect = await effectOf(new PaperFleet(web()), web(false));
    expect(effectText(effect).title).toBe('removes 4 objects · 4 of 4 clusters');
  });
  it('says what it supposes of clusters of which nothing is recorded', async () => {
    const half = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 50%}}';
    const files: Files = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', half) };
    const paper = new PaperFleet(files);
    paper.down.add('nyc');
    const change = { ...files, 'resources/web.yaml': deployment('web', 'web', 'web:2') };
    expect(effectText(await effectOf(paper, change)).forecast).toMatch(
      / Nothing is recorded of the clusters: begins at 2026-11-20 10:\d\d UTC, when they are supposed to have what they get without the change, except on nyc \(not responding\)\. Supposed: /,
    );
    await paper.settle();
    expect(effectText(await effectOf(paper, change)).forecast).not.toContain('egins');
    const { 'web.yaml': _, ...rest } = files;
    const without = new PaperFleet(rest);
    await without.settle();
    expect((await effectOf(without, files)).unrecorded).toBeUndefined();
  });
  it.each([
    ['with the change', {}, { 'clusters/nyc.yaml': '' }, 'release'],
    ['without it', { 'clusters/nyc.yaml': '' }, { 'clusters/nyc.yaml': member('nyc', { city: 'nyc' }) }, 'remove'],
  ])('counts what a cluster that leaves only %s keeps of a removal under way', async (_, base, change, action) => {
    const strategy = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}';
    const files: Files = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', strategy) };
    const paper = new PaperFleet(files);
    await paper.settle();
    paper.files = { ...files, 'resources/extra.yaml': '' };
    await paper.plan();
    Object.assign(paper.files, base);
    const { changes } = await effectOf(paper, { ...paper.files, ...change });
    const extra = changes.filter(({ object }) => object.name === 'extra');
    expect(extra).toMatchObject([{ action, clusters: ['nyc'] }]);
  });
  it('has the same counts while something else is under way, from what clusters have now', async () => {
    const strategy = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}';
    const files: Files = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', strategy) };
    const paper = new PaperFleet(files);
    await paper.settle();
    paper.files = { ...files, 'resources/more.yaml': configMap('more', '1') };
    await paper.plan();
    const change = async (more: Files) => effectText(await effectOf(paper, { ...paper.files, ...more }));
    const other = await change({ 'resources/web.yaml': deployment('web', 'web', 'web:2') });
    expect([other.title, other.rollout, other.forecast]).toEqual([
      'changes 4 objects · 4 of 4 clusters',
      ['web: rolls out by itself, maxUnavailable 1, maxSurge 25%'],
      expect.stringMatching(/^Everything is done at .* UTC\. Supposed: /),
    ]);
    expect((await change({ 'resources/more.yaml': '' })).title).toBe(
      'removes 1 object · 1 of 4 clusters · 3 clusters keep what they have of web',
    );
    const both = await change({ 'resources/more.yaml': '', 'resources/extra.yaml': '' });
    expect(both.title).toBe('removes 5 objects · 4 of 4 clusters');
    // Another object goes on.
    paper.files['resources/third.yaml'] = configMap('third', '1');
    const part = await change({ 'resources/more.yaml': '' });
    expect([part.title, part.forecast]).toEqual([
      'removes 1 object · 1 of 4 clusters · 3 clusters do not end with what is under way of web',
      expect.stringMatching(/^Everything is done at /),
    ]);
    expect(part.rollout).toContain(
      'web: fra, lon, nyc change, but end with what they have now of ConfigMap web/more, not with what is under way',
    );
    // Blocked for ever by a cluster that does not respond.
    paper.down.add('ams');
    paper.pass(300);
    for (let step = 0; step < 3; step++) await paper.plan();
    const blocked = await change({ 'resources/web.yaml': deployment('web', 'web', 'web:2') });
    expect([blocked.title, blocked.rollout]).toEqual([
      'no change as long as it is held: web',
      [
        'web · ams, fra, lon, nyc: does not happen yet: RolloutBudget: is updated once maxUnavailable 1 allows it (not ready yet: ams)',
      ],
    ]);
  });
  it('of nothing is nothing', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    const effect = await effectOf(paper, web());
    expect(effectText(effect)).toMatchObject({ title: 'no change on any cluster', rows: [], changes: [] });
  });
  it('of other files than those of the fleet follows what is under way only once', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    paper.files['resources/more.yaml'] = configMap('more', '1');
    const input = await paper.input();
    const pausesOf = async (files: Files): Promise<number> => {
      const work = totalEffectInSteps(input, { fleet: await loadFleet(treeOf(files)), commit: 'd' }, assumptions);
      for (let pauses = 0; ; pauses++) if (work.next().done) return pauses;
    };
    const other = { 'clusters/ams.yaml': member('ams', { city: 'ams', also: 'this' }) };
    const [none, some] = [
      await pausesOf({ ...paper.files, 'README.md': '' }),
      await pausesOf({ ...paper.files, ...other }),
    ];
    expect(some - none).toBeGreaterThan(1);
  });
  it('names clusters that a placement gains and loses', async () => {
    const pick = (...names: string[]) => placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`);
    const paper = new PaperFleet({ ...web(), 'web.yaml': pick('ams', 'fra') });
    await paper.settle();
    const effect = await effectOf(paper, { ...web(), 'web.yaml': pick('fra', 'nyc') });
    expect(effect.placements).toMatchObject([{ gains: ['nyc'], loses: ['ams'], removed: 3, changed: 0, added: 3 }]);
  });
  it.each<[string, string, string, string[]]>([
    [
      'by itself',
      '{type: RollingUpdate}',
      'moves 8 objects · 4 of 4 clusters',
      [
        'new: Deployment web/web stays as it is, moves from web to new',
        'new: Namespace web stays as it is, moves from web to new',
      ],
    ],
    [
      'once a run rolls it out',
      '{type: External}',
      'releases 8 objects · 4 of 4 clusters · needs a staged update run: new',
      [
        'web: Deployment web/web stays for new to take over',
        'web: Namespace web stays for new to take over',
        'needs a staged update run: new: Deployment web/web stays as it is, moves from web to new',
        'needs a staged update run: new: Namespace web stays as it is, moves from web to new',
      ],
    ],
    [
      'never, and creates them anew',
      '{type: RollingUpdate, applyStrategy: {whenToTakeOver: Never}}',
      'removes 8 objects, adds 8 · 4 of 4 clusters',
      [
        'web: Deployment web/web removed',
        'web: Namespace web removed',
        'new: Deployment web/web added',
        'new: Namespace web added',
      ],
    ],
  ])(
    'counts no removal of objects that another placement takes over, which it does %s',
    async (_, how, title, changes) => {
      const paper = new PaperFleet(web(false));
      await paper.settle();
      const { 'web.yaml': gone, ...files } = web(false);
      const text = effectText(
        await effectOf(paper, { ...files, 'new.yaml': placement('new', '{placementType: PickAll}', how, 'web') }),
      );
      expect(text.title).toBe(title);
      expect(text.changes.map((change) => change.title.split(', same on ')[0])).toEqual(changes);
      expect(text.rollout).toContain(
        `web: deleted; its objects ${title.startsWith('removes') ? 'leave all of its clusters at once' : 'stay'}`,
      );
    },
  );
  const notShared = 'already placed by web: two placements may not share an object';
  it.each<[string, Files, RegExp, string]>([
    ['that rolls out', {}, /^no object changes · 4 of 4 clusters · cannot be applied on ams, fra, lon, nyc$/, ''],
    [
      'that an update run brings',
      { 'new.yaml': placement('new', '{placementType: PickAll}', '{type: External}', 'web') },
      /^no change on any cluster · needs a staged update run: new$/,
      ', also by an update run',
    ],
    [
      'that is held',
      { 'new.yaml': suspended(placement('new', '{placementType: PickAll}', '{type: RollingUpdate}', 'web')) },
      /^no change as long as it is held: new · cannot be applied on ams, fra, lon, nyc$/,
      '',
    ],
    [
      'that rolls out while the other only compares',
      {
        'web.yaml': placement(
          'web',
          '{placementType: PickAll}',
          '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}',
        ),
      },
      /cannot be applied on ams, fra, lon, nyc$/,
      '',
    ],
  ])('names clusters that refuse what another placement has there of one %s', async (_, more, title, how) => {
    const paper = new PaperFleet(web(false));
    await paper.settle();
    const files = { 'new.yaml': placement('new', '{placementType: PickAll}', '{type: RollingUpdate}', 'web'), ...more };
    const effect = await effectOf(paper, { ...web(false), ...files });
    const text = effectText(effect);
    expect(text.title).toMatch(title);
    expect(text.changes).toEqual([]);
    expect(text.rollout).toContain(
      `new: ams, fra, lon, nyc get nothing${how}: Deployment web/web, Namespace web are ${notShared}`,
    );
    expect(text.forecast).not.toContain('done at');
  });
  it('counts what clusters get of a placement of which another one has a part, and forecasts that it is not done', async () => {
    const paper = new PaperFleet(web(false));
    await paper.settle();
    const change = {
      'resources/extra.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: extra}\n',
      'a.yaml': placement(
        'a',
        '{placementType: PickAll}',
        '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}}',
      ).replace(
        'name: a}]',
        'name: extra}, {group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceOnly}]',
      ),
    };
    const effect = await effectOf(paper, { ...web(false), ...change });
    const text = effectText(effect);
    expect(text.title).toBe('adds 4 objects · 4 of 4 clusters · cannot be applied on ams, fra, lon, nyc');
    expect(effect.changes.map(({ action, placement: { name }, object }) => [action, name, object.name])).toEqual([
      ['add', 'a', 'extra'],
    ]);
    expect(text.rollout).toContain(`a: ams, fra, lon, nyc do not get all of it: Namespace web is ${notShared}`);
    expect(text.forecast).toMatch(/^Not done until something else changes: a\. /);
    // It gets them once the other one is gone.
    const { 'web.yaml': _, ...without } = web(false);
    const moved = await effectOf(paper, { ...without, ...change });
    expect([moved.failing, effectText(moved).forecast.slice(0, 18)]).toEqual([[], 'Everything is done']);
  });
  it('counts no removal of a namespace in which another placement has objects, and names that', async () => {
    const files: Files = {
      ...web(false),
      'web.yaml': placement('web', '{placementType: PickAll}').replace(
        'name: web}]',
        'name: web, selectionScope: NamespaceOnly}]',
      ),
      'inside.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: inside, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: {placementType: PickAll}
`,
    };
    const paper = new PaperFleet(files);
    await paper.settle();
    const text = effectText(await effectOf(paper, { ...files, 'web.yaml': '' }));
    expect([text.title, text.changes.map(({ title }) => title), text.rollout]).toEqual([
      'releases 4 objects · 4 of 4 clusters',
      [
        'web: Namespace web stays and is no longer managed (web/inside needs it), same on 4 clusters (ams, fra, lon, nyc)',
      ],
      ['web: deleted; its objects stay'],
    ]);
    const both = await effectOf(paper, { ...files, 'web.yaml': '', 'inside.yaml': '' });
    expect(both.changes.map(({ action, object }) => `${action} ${object.kind}`)).toEqual([
      'remove Namespace',
      'remove Deployment',
    ]);
  });
  it.each([
    ['still selects', '{type: RollingUpdate}', '{type: RollingUpdate, applyStrategy: {whenToTakeOver: Never}}'],
    ['only compares from now on', '{type: RollingUpdate, applyStrategy: {type: ReportDiff}}', '{type: RollingUpdate}'],
  ])('moves and removes nothing that its placement %s, also where another selects it', async (_, own, how) => {
    const paper = new PaperFleet(web(false));
    await paper.settle();
    const effect = await effectOf(paper, {
      ...web(false),
      'web.yaml': placement('web', '{placementType: PickAll}', own),
      // Before it by name, and after it.
      ...Object.fromEntries(
        ['new', 'x'].map((name) => [`${name}.yaml`, placement(name, '{placementType: PickAll}', how, 'web')]),
      ),
    });
    expect(effect.changes).toEqual([]);
  });
  it('says what changes of an object that moves to another placement', async () => {
    const paper = new PaperFleet(web(false));
    await paper.settle();
    const { 'web.yaml': gone, ...files } = web(false);
    const next = {
      'resources/web.yaml': deployment('web', 'web', 'web:2'),
      'new.yaml': placement('new', '{placementType: PickAll}', '{type: RollingUpdate}', 'web'),
    };
    const effect = await effectOf(paper, { ...files, ...next });
    expect(effectText(effect).title).toBe('changes 4 objects, moves 4 · 4 of 4 clusters');
    expect(
      effect.changes.map(({ action, object, from, diff }) => [action, object.kind, from?.name, diff === '']),
    ).toEqual([
      ['move', 'Namespace', 'web', true],
      ['change', 'Deployment', 'web', false],
    ]);
  });
  it('counts a cluster that the change adds as one that responds, with nothing on it', async () => {
    const { 'clusters/nyc.yaml': _, ...without } = web();
    const [settled, empty] = [new PaperFleet(without), new PaperFleet(without)];
    await settled.settle();
    for (const paper of [settled, empty]) {
      const text = effectText(await effectOf(paper, web()));
      expect(text.title).toBe('adds 3 objects · 1 of 4 clusters');
      expect(text.rollout[0]).toMatch(/^joining: nyc, supposed to respond soon after the merge, with nothing/);
    }
  });
  it('counts clusters that leave among all', async () => {
    const { 'clusters/nyc.yaml': _, 'clusters/lon.yaml': __, ...without } = web();
    // With a label of the cluster, which its file does not tell any more.
    const named = { 'override.yaml': cityOverride };
    const paper = new PaperFleet({ ...web(), ...named });
    await paper.settle();
    const text = effectText(await effectOf(paper, { ...without, ...named }));
    expect(text.title).toBe('releases 6 objects · 2 of 4 clusters');
    expect(text.changes[0]).toMatchObject({
      title: 'web: ConfigMap web/extra stays and is no longer managed, same on 2 clusters (lon, nyc)',
    });
  });
  it('leaves a cluster that joins with the merge out of what the merge places on others', async () => {
    const nearest =
      '{placementType: PickN, numberOfClusters: 1, affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 10, preference: {labelSelector: {matchLabels: {city: nyc}}}}]}}}';
    const after: Files = {
      ...web(),
      'web.yaml': placement('web', nearest),
      'other.yaml': placement('other', '{placementType: PickFixed, clusterNames: [ams]}'),
    };
    const { 'clusters/nyc.yaml': _, 'web.yaml': __, ...without } = after;
    const paper = new PaperFleet(without);
    await paper.settle();
    const input = await paper.input();
    // With the members, and from the record alone.
    for (const observations of [input.observations, undefined]) {
      const next = { fleet: await loadFleet(treeOf(after)), commit: 'd'.repeat(40) };
      const { joining, placements } = totalEffect({ ...input, observations }, next, assumptions);
      expect(joining).toEqual(['nyc']);
      expect(placements).toMatchObject([{ gains: ['lon'] }]);
    }
  });
  it.each([
    [
      'fails',
      'resourceSnapshotIndex: "7"',
      'update run web-1 fails · no change on any cluster · needs a staged update run: web',
      /^web-1 \(placement web\): fails at .*: it cannot be initialized: no resource snapshot with index 7 found; /,
    ],
    [
      'is not to start',
      'state: Initialize',
      'no change on any cluster',
      /^web-1 \(placement web\): not done: it is initialized, and starts once its file says state: Run$/,
    ],
  ])('names an update run that %s', async (_, spec, title, line) => {
    const paper = new PaperFleet(web());
    await paper.settle();
    paper.files['web.yaml'] = placement('web', '{placementType: PickAll}', '{type: External}');
    await paper.settle();
    const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
    const change = {
      ...paper.files,
      'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
      'run.yaml': `${staged}UpdateRun\nmetadata: {name: web-1}\nspec: {${spec}, placementName: web, stagedRolloutStrategyName: all}\n`,
    };
    const text = effectText(await effectOf(paper, change));
    expect(text.title).toBe(title);
    expect(text.rollout).toContainEqual(expect.stringMatching(line));
  });
  it('of an update run that is only initialized does not hide what it does not bring yet', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    paper.files['web.yaml'] = placement('web', '{placementType: PickAll}', '{type: External}');
    await paper.settle();
    const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
    const text = effectText(
      await effectOf(paper, {
        ...paper.files,
        'resources/web.yaml': deployment('web', 'web', 'web:2'),
        'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: all}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
        'run.yaml': `${staged}UpdateRun\nmetadata: {name: web-1}\nspec: {state: Initialize, placementName: web, stagedRolloutStrategyName: all}\n`,
      }),
    );
    expect(text.title).toBe('no change on any cluster · needs a staged update run: web');
    expect(text.isEmpty).toBe(false);
    expect(text.rollout[0]).toMatch(
      /^web: needs a staged update run: 4 of 4 clusters do not have snapshot 1, .* starts once its file says state: Run$/,
    );
  });
  it('leaves a cluster on which an override fails with what it was given before', async () => {
    const [works, fails] = [sizeOverride('/spec/replicas'), sizeOverride('/spec/none')];
    const { 'web.yaml': _, ...deleted } = two;
    for (const before of [{}, works]) {
      const paper = new PaperFleet({ ...two, ...before });
      await paper.settle();
      const titleOf = async (files: Files): Promise<string> => effectText(await effectOf(paper, files)).title;
      expect(await titleOf({ ...two, ...fails })).toBe('no change on any cluster · cannot be applied on ams');
      paper.files = { ...two, ...fails };
      await paper.settle();
      expect(await titleOf({ ...two, ...before })).toBe('no change on any cluster');
      expect(await titleOf({ ...deleted, ...fails })).toBe('removes 12 objects · 4 of 4 clusters');
    }
  });
  it.each<[string, string, string, Partial<TotalEffect['failing'][number]>, RegExp]>([
    [
      'which are new in its placement',
      '{type: RollingUpdate}',
      'no change on any cluster · cannot be applied on ams',
      { isNew: true, needsRun: false },
      /^web: ams gets nothing: an override fails: .*"none" does not exist$/,
    ],
    [
      'to which only an update run would bring it',
      '{type: External}',
      'no change on any cluster · needs a staged update run: web',
      { isNew: true, needsRun: true },
      /^web: ams gets nothing, also by an update run: an override fails: .*"none" does not exist$/,
    ],
  ])('names clusters on which an override fails and %s', async (_, strategy, title, failing, line) => {
    const picking = (...names: string[]): Files => ({
      ...web(),
      'web.yaml': placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`, strategy),
      ...sizeOverride('/spec/none'),
    });
    const paper = new PaperFleet(picking('fra'));
    await paper.settle();
    const effect = await effectOf(paper, picking('fra', 'ams'));
    const text = effectText(effect);
    expect(effect.failing).toMatchObject([{ ...failing, clusters: ['ams'] }]);
    expect([text.title, text.isEmpty]).toEqual([title, false]);
    expect(text.rollout).toContainEqual(expect.stringMatching(line));
    // Without the change it fails there, too.
    paper.files = picking('fra', 'ams');
    await paper.settle();
    expect((await effectOf(paper, picking('fra', 'ams'))).failing).toEqual([]);
  });
  it('applies nothing where differences are only reported', async () => {
    const mode = (type: string): Files => ({
      ...two,
      'web.yaml': placement('web', '{placementType: PickAll}', `{type: RollingUpdate, applyStrategy: {type: ${type}}}`),
    });
    const version = { 'resources/web.yaml': deployment('web', 'web', 'web:2') };
    const { 'web.yaml': _, ...deleted } = two;
    const reported = 'web: only reports differences (ReportDiff), nothing is applied: ams, fra, lon, nyc';
    const never = new PaperFleet(mode('ReportDiff'));
    await never.settle();
    const applied = new PaperFleet(mode('ServerSideApply'));
    await applied.settle();
    const empty = new PaperFleet(deleted);
    await empty.settle();
    const since = new PaperFleet(mode('ServerSideApply'));
    await since.settle();
    since.files = { ...mode('ReportDiff'), ...version };
    await since.settle();
    for (const [paper, files, title, rollout] of [
      [never, mode('ServerSideApply'), 'adds 12 objects · 4 of 4 clusters', undefined],
      [never, { ...mode('ReportDiff'), ...version }, 'no change on any cluster', reported],
      [never, mode('ReportDiff'), 'no change on any cluster', undefined],
      [never, deleted, 'no object changes · 4 of 4 clusters', 'web: deleted; nothing of it was applied (ReportDiff)'],
      [empty, mode('ReportDiff'), 'no object changes · 4 of 4 clusters', reported],
      [applied, { ...mode('ReportDiff'), ...version }, 'no change on any cluster', reported],
      [since, { ...mode('ServerSideApply'), ...version }, 'changes 4 objects · 4 of 4 clusters', undefined],
      [
        since,
        deleted,
        'removes 12 objects · 4 of 4 clusters',
        'web: deleted; its objects leave all of its clusters at once',
      ],
    ] as const) {
      const text = effectText(await effectOf(paper, files));
      expect([text.title, text.rollout.find((line) => !line.includes('rolls out by itself'))]).toEqual([
        title,
        rollout,
      ]);
    }
  });
  it('says when a freeze holds it', async () => {
    const frozen = {
      ...web(),
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec:\n  freeze: [{name: noon, schedule: "0 10 * * *", duration: 2h}]\n',
    };
    const paper = new PaperFleet(frozen);
    paper.pass(3 * 3600);
    await paper.settle();
    paper.pass(21.5 * 3600);
    const text = effectText(
      await effectOf(paper, { ...frozen, 'resources/web.yaml': deployment('web', 'web', 'web:2') }),
    );
    expect(text.title).toBe('changes 4 objects · 4 of 4 clusters');
    expect(text.rollout).toContainEqual(
      expect.stringMatching(/^web: frozen by noon 2026-11-21 .* to 2026-11-21 12:00 UTC$/),
    );
    expect(text.forecast).toMatch(/^Everything is done at 2026-11-21 12:/);
  });
  it('is not taken for none where a freeze does not end', async () => {
    const frozen = {
      ...web(),
      'fleet.yaml':
        'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec:\n  freeze: [{name: always, schedule: "* * * * *", duration: 24h}]\n',
    };
    const paper = new PaperFleet(web());
    await paper.settle();
    paper.files = { ...frozen };
    await paper.settle();
    const text = effectText(
      await effectOf(paper, { ...frozen, 'resources/web.yaml': deployment('web', 'web', 'web:2') }),
    );
    expect(text.title).toBe('no change as long as it is held: web');
    expect(text.rollout).toEqual([
      expect.stringMatching(/^web · ams, fra, lon, nyc: does not happen yet: Freeze: .*freeze always/),
    ]);
    const later = 'once it is no longer held: web: Deployment web/web changed, same on 4 clusters (ams, fra, lon, nyc)';
    expect(text.changes).toEqual([{ title: later, diff: expect.stringContaining('image: web:2'), isRemoval: false }]);
    expect(effectText(await effectOf(paper, frozen)).title).toBe('no change on any cluster');
  });
  it('shows what a change would do that waits for clusters which are not there', async () => {
    const short = { ...web(), 'web.yaml': placement('web', '{placementType: PickN, numberOfClusters: 6}') };
    const paper = new PaperFleet(short);
    await paper.settle();
    const text = effectText(await effectOf(paper, { ...short, 'resources/more.yaml': configMap('more', '1') }));
    expect(text.title).toBe('no change as long as it is held: web');
    expect(text.changes.map(({ title }) => title)).toEqual([
      'once it is no longer held: web: ConfigMap web/more added, same on 4 clusters (ams, fra, lon, nyc)',
    ]);
  });
  it('mentions freezes that it adds, changes and removes, also if they delay nothing', async () => {
    const frozenBy = (...freezes: string[]): Files => ({
      ...web(),
      'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [${freezes}]}\n`,
    });
    const freeze = (name: string, schedule: string, duration: string) =>
      `{name: ${name}, schedule: "${schedule}", duration: ${duration}}`;
    const same = freeze('same', '0 3 1 1 *', '1h');
    const paper = new PaperFleet(frozenBy(freeze('noon', '0 12 * * *', '1h'), freeze('gone', '0 5 1 1 *', '1h'), same));
    await paper.settle();
    const effect = await effectOf(
      paper,
      frozenBy(
        freeze('always', '* * * * *', '24h'),
        freeze('never', '0 0 30 2 *', '1h'),
        freeze('noon', '0 12 * * *', '2h'),
        same,
      ),
    );
    expect(effectText(effect).rollout).toEqual([
      'freeze always: added, next active from 2026-11-20 10:00 UTC without an end',
      'freeze never: added, never active',
      'freeze noon: changed, next active from 2026-11-20 12:00 UTC to 2026-11-20 14:00 UTC',
      'freeze gone: removed',
    ]);
  });
  it('compares no lines of a manifest of more than 256 kB', async () => {
    const large = (letter: string): Files => ({
      ...web(),
      'resources/extra.yaml': configMap('extra', letter.repeat(300_000)),
    });
    const paper = new PaperFleet(large('a'));
    await paper.settle();
    expect((await effectOf(paper, large('b'))).changes.map(({ action, diff }) => [action, diff])).toEqual([
      ['change', '  too large to compare line by line: 301 kB before, 301 kB after'],
    ]);
    expect((await effectOf(paper, large('a'))).changes).toEqual([]);
  });
  it('has no pace where a placement is deleted', async () => {
    const { 'web.yaml': _, ...others } = web();
    const paper = new PaperFleet(web());
    await paper.settle();
    expect(effectText(await effectOf(paper, others)).rollout).toEqual([
      'web: deleted; its objects leave all of its clusters at once',
    ]);
  });
  it('that rolls a placement out in another way says so, also where nothing changes by it', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    const usual = 'rolls out by itself, maxUnavailable 25%, maxSurge 25%';
    for (const [strategy, expected] of [
      ['{type: External}', `changes only by staged update runs (before: ${usual})`],
      ['{type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}', `${usual.replace('25%', '1')} (before: ${usual})`],
      [
        '{type: RollingUpdate, rollingUpdate: {unavailablePeriodSeconds: 5}}',
        `${usual}, another unavailablePeriodSeconds`,
      ],
    ] as const) {
      const files = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', strategy) };
      const text = effectText(await effectOf(paper, files));
      expect([text.title, text.rollout]).toEqual(['no change on any cluster', [`web: ${expected}`]]);
    }
  });
  it('does not roll a placement out in another way where that is refused', async () => {
    const external = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}') };
    const paper = new PaperFleet(external);
    await paper.settle();
    const effect = await effectOf(paper, web());
    expect(effect.first.plan.problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('a strategy of type External cannot change to another type'),
    );
    expect(effectText(effect).rollout).toEqual([]);
  });
  it('advises to add no update run where none would start', async () => {
    const files: Files = {
      ...web(),
      'web.yaml': placement('web', '{placementType: PickN, numberOfClusters: 6}', '{type: External}'),
    };
    const paper = new PaperFleet(files);
    await paper.settle();
    const text = effectText(
      await effectOf(paper, { ...files, 'resources/web.yaml': deployment('web', 'web', 'web:2') }),
    );
    expect(text.title).toBe('no change on any cluster · needs a staged update run: web');
    expect(text.rollout).toEqual([
      'web: needs a staged update run: nothing is deployed to ams, fra, lon, nyc yet, and no update run can start: the placement is not fully scheduled yet: SchedulingPolicyUnfulfilled',
    ]);
  });
  it.each<[string, Files, string, string]>([
    [
      'an override fails',
      {
        'override.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {city: lon}}}]}, jsonPatchOverrides: [{op: remove, path: /spec/none}]}]}\n`,
        'web-2.yaml': stagedRun('web-2'),
      },
      'update run web-1 does not finish · changes 2 objects · 2 of 4 clusters · cannot be applied on lon',
      'web-1 (placement web): web ends with snapshot 1 on ams, fra; with snapshot 0 on lon (an override fails: override snapshot web/size-0 on apps/v1 Deployment web/web: rule 1, patch 1: remove /spec/none: "none" does not exist); with snapshot 0 on nyc',
    ],
    [
      'a deadline passes',
      { 'web-2.yaml': stagedRun('web-2', '0', 'gitfleet.dev/progress-deadline: 30s') },
      'update run web-2 fails · changes 3 objects · 3 of 4 clusters · needs a staged update run: web',
      'web-2 (placement web): web ends with snapshot 1 on fra, lon, nyc; with snapshot 0 on ams',
    ],
    [
      'a snapshot is unknown',
      { 'web-2.yaml': stagedRun('web-2', '7') },
      'update run web-2 fails · changes 4 objects · 4 of 4 clusters',
      'web-2 (placement web): web ends with snapshot 1 on ams, fra, lon, nyc',
    ],
  ])('says where it ends if one of two runs does not come to its end, as %s', async (_, files, title, ends) => {
    const { 'resources/extra.yaml': extra, ...rest } = web();
    const paper = new PaperFleet({
      ...rest,
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
      'web-0.yaml': stagedRun('web-0'),
    });
    for (let step = 0; step < 9; step++) {
      await paper.planOn();
      paper.deliver();
      paper.pass(60);
    }
    const change = { 'resources/web.yaml': deployment('web', 'web', 'web:2'), 'web-1.yaml': stagedRun('web-1') };
    const text = effectText(await effectOf(paper, { ...paper.files, ...change, ...files }));
    expect(text.title).toBe(title);
    expect(text.rollout).toContain(ends);
    paper.files = { ...paper.files, ...change, ...files };
    const label = { 'clusters/ams.yaml': member('ams', { city: 'ams', also: 'this' }) };
    for (const other of [{ 'README.md': '' }, label])
      expect(effectText(await effectOf(paper, { ...paper.files, ...other }))).toMatchObject({
        title: 'no change on any cluster',
        rollout: [],
        isEmpty: true,
      });
  });
  it('needs an update run where the placement is External, which the title says also if it needs one anyway, for something else', async () => {
    const external = { ...web(), 'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}') };
    const changed = { ...external, 'resources/web.yaml': deployment('web', 'web', 'web:2') };
    const titles: string[] = [];
    for (const before of [web(), external]) {
      const paper = new PaperFleet(before);
      await paper.settle();
      const { rollout, title, changes, isEmpty } = effectText(await effectOf(paper, changed));
      expect(isEmpty).toBe(false);
      expect(rollout.join()).toContain('web: needs a staged update run: ');
      expect(changes.at(before === external ? 1 : 0)).toMatchObject({
        title: expect.stringMatching(
          /^needs a staged update run: web: Deployment web\/web (added|changed), same on 4 clusters/,
        ),
        diff: expect.stringMatching(/\+ .*image: web:2/),
      });
      titles.push(title);
      expect(effectText(await effectOf(paper, { ...before, 'README.md': '' })).isEmpty).toBe(true);
    }
    const title = 'no change on any cluster · needs a staged update run: web';
    expect(titles).toEqual([title, title]);
  });
  it('needs an update run for a further cluster where the reason names only some of those that wait for one', async () => {
    const names = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'];
    const picks = (count: number): Files => ({
      'web.yaml': placement(
        'web',
        `{placementType: PickFixed, clusterNames: [${names.slice(0, count)}]}`,
        '{type: External}',
      ),
    });
    const members = Object.fromEntries(names.map((name) => [`clusters/${name}.yaml`, member(name, {})]));
    const paper = new PaperFleet({ ...members, ...picks(7), 'resources/web.yaml': deployment('web', 'web', 'web:1') });
    await paper.settle();
    const { title, rollout } = effectText(await effectOf(paper, { ...paper.files, ...picks(8) }));
    expect(title).toBe('no change on any cluster · needs a staged update run: web');
    expect(rollout[0]).toContain('nothing is deployed to c1, c2, c3, c4 and 4 more yet');
  });
  it('names the stages of an update run in order, with their pace', async () => {
    const stage = (name: string, cities: string, more = ''): string =>
      `{name: ${name}, labelSelector: {matchExpressions: [{key: city, operator: In, values: [${cities}]}]}${more}}`;
    const stages = [
      stage('first', 'nyc'),
      stage('none', 'sfo'),
      stage('rest', 'ams, fra, lon', ', maxConcurrency: 80%'),
    ];
    const external = {
      ...web(),
      'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
      'steps.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [${stages.join(', ')}]}\n`,
    };
    const run =
      'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n';
    const { rollout } = effectText(await effectOf(new PaperFleet(external), { ...external, 'run.yaml': run }));
    expect(rollout).toEqual(['web: by update run web-1: first (1 cluster), then rest (3 clusters, at most 2 at once)']);
  });
  it('tells that the guard refuses it, the way to approve, and what it would do then', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    const { 'web.yaml': _, ...without } = web();
    const effect = await effectOf(paper, without);
    const text = effectText(effect);
    expect(text.title).toMatch(/^⛔ refused: /);
    expect(text.guard[0]).toContain('RemovalApproval with removalDigest sha256:');
    expect(effect.placements).toMatchObject([{ removed: 12, loses: cities }]);
  });
  it('of a RemovalApproval alone is what it lets go', async () => {
    const paper = new PaperFleet(web());
    await paper.settle();
    const { 'web.yaml': _, ...without } = web();
    paper.files = without;
    const { guard } = await paper.plan({ refused: true });
    const given = { ...without, 'approvals/all.yaml': approval(guard[0]!.removalDigest) };
    const effect = await effectOf(paper, given);
    const text = effectText(effect);
    expect(text.title).toBe('approves all: removes 12 objects · 4 of 4 clusters');
    expect(text.rows).toEqual([['web (all)', '12', '-', '-', '4', '-', cities.join(', ')]]);
    expect(text.changes.map(({ title }) => title)[0]).toBe(
      'all: web: ConfigMap web/extra removed, same on 4 clusters (ams, fra, lon, nyc)',
    );
    expect(text.rollout[0]).toBe(`all: lets happen what is refused now: ${guard[0]!.message}`);
    expect(text.isEmpty).toBe(true);
    const other = await effectOf(paper, { ...without, 'approvals/all.yaml': approval('sha256:12') });
    expect(effectText(other).title).toMatch(/^⛔ refused|^not counted: all/);
    const frozen =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: year, schedule: "0 0 1 1 *", duration: 8783h}]}\n';
    const later = await effectOf(paper, { ...given, 'fleet.yaml': frozen });
    expect([later.allowed, later.uncounted]).toEqual([
      [],
      [
        {
          approval: 'all',
          later: true,
          why: expect.stringMatching(/^nothing is removed before the end of freeze year,/),
        },
      ],
    ]);
    expect(effectText(later).title).toContain(' · not counted yet: all');
    expect(effectText(later).rollout).toContain(`all: does not count yet: ${later.uncounted[0]!.why}`);
    for (const policy of ['{placementType: PickFixed, clusterNames: [nyc]}', '{placementType: PickAll}']) {
      const { allowed, uncounted } = await effectOf(paper, { ...given, 'web.yaml': placement('web', policy) });
      expect(allowed).toEqual([]);
      expect(uncounted).toEqual([{ approval: 'all', why: expect.stringMatching(/^the merge removes something else/) }]);
    }
  });
  it('that ends a refusal of the guard without an approval has all that it lets happen', async () => {
    const all = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}}';
    const limit = (most: string): Files => ({
      'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: {maxClusters: ${most}}}\n`,
    });
    const files = (extra: boolean, version = 1): Files => ({
      ...web(extra),
      ...limit('1'),
      'web.yaml': placement('web', '{placementType: PickAll}', all),
      'tools.yaml': placement('tools', '{placementType: PickAll}', all),
      'resources/tools.yaml': deployment('tools', 'tools', `tools:${version}`),
    });
    const paper = new PaperFleet(files(true));
    await paper.settle();
    const present = files(false, 2);
    paper.files = present;
    const [finding] = (await paper.plan({ refused: true })).guard;
    const of = async (change: Files) => {
      const effect = await effectOf(paper, { ...present, ...change });
      const { title, rollout, isEmpty } = effectText(effect);
      return { title, rollout, isEmpty, uncounted: effect.uncounted };
    };
    const why = `the guard refuses everything now, and no longer with this change, without an approval: ${finding!.message}`;
    const removes = 'removes 4 objects, changes 4 · 4 of 4 clusters · no longer refused by the guard';
    expect((await effectOf(paper, { ...present, ...limit('100%') })).noLongerRefused).toEqual([finding]);
    const raised = await of(limit('100%'));
    expect(raised).toMatchObject({ title: removes, isEmpty: false });
    expect(raised.rollout).toContain(why);
    const slower = placement('web', '{placementType: PickAll}', all.replace('100%', '1'));
    expect((await of({ 'web.yaml': slower })).title).toBe(removes);
    const back = await of({ 'resources/extra.yaml': web()['resources/extra.yaml']! });
    const keeps = '4 clusters keep what they have of web';
    expect(back.title).toBe(`changes 4 objects · 4 of 4 clusters · ${keeps} · no longer refused by the guard`);
    expect(back.rollout).toContain(why);
    const answer = { 'approvals/all.yaml': approval(finding!.removalDigest) };
    expect((await of(answer)).title).toBe('approves all: removes 4 objects, changes 4 · 4 of 4 clusters');
    const suspended = present['web.yaml']!.replace(
      '{name: web}',
      '{name: web, annotations: {gitfleet.dev/suspended: ""}}',
    );
    const { title, rollout, uncounted } = await of({ ...answer, 'web.yaml': suspended });
    const whileHeld = why.replace('an approval:', 'an approval, as long as it is held:');
    expect(rollout).toContain(whileHeld);
    expect(title).toContain(' · no longer refused by the guard · not counted yet: all');
    expect(uncounted).toMatchObject([{ why: expect.stringContaining('the end of suspension of web, which') }]);
    const both = await of({ ...limit('100%'), ...answer });
    expect(both.title).toBe(`${removes} · not counted: all`);
    const other = await of({ 'resources/tools.yaml': deployment('tools', 'tools', 'tools:3') });
    expect(other.title).toBe(`⛔ refused: ${finding!.message}`);
    // The approval is for less than what main removes by now, and the change brings that back.
    const config = { 'tools.yaml': present['tools.yaml']!, 'resources/tools.yaml': present['resources/tools.yaml']! };
    const { 'tools.yaml': _, ...without } = present;
    paper.files = { ...without, ...answer };
    const [larger] = (await paper.plan({ refused: true })).guard;
    const allowed = await of({ ...config, ...answer });
    expect(allowed.title).toBe(removes);
    expect(allowed.rollout).toContain(
      `the guard refuses everything now, and no longer with this change, since approval all, which is there already, allows what is left: ${larger!.message}`,
    );
  });
  it('of a RemovalApproval for what is held names the placement and the cluster', async () => {
    const pick = (...names: string[]) => placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`);
    const paper = new PaperFleet({ ...web(), 'web.yaml': pick('ams', 'fra') });
    await paper.settle();
    paper.settled.add('ams/web');
    paper.files['web.yaml'] = pick('fra');
    await paper.settle();
    const [hold] = paper.last!.plan.holds.filter(({ removalDigest }) => removalDigest !== undefined);
    const effect = await effectOf(paper, { ...paper.files, 'approvals/all.yaml': approval(hold!.removalDigest) });
    const text = effectText(effect);
    expect(text.title).toBe('approves all: removes what is held on ams');
    expect(text.rollout[0]).toBe(`all: removes what is held now: web · ams: ${hold!.message}`);
  });
  it('hides values of Secrets, and no text ends its fence or mentions anybody', async () => {
    const secret = (value: string): Files => ({
      'resources/secret.yaml': `apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: web}\nstringData: {password: ${value}}\n`,
      'resources/extra.yaml': configMap('extra', `~~~~ @everyone ${value.length}`),
    });
    const paper = new PaperFleet({ ...web(), ...secret('one') });
    await paper.settle();
    const effect = await effectOf(paper, { ...web(), ...secret('secondsecret') });
    const markdown = effectMarkdown(effectText(effect), { head: 'Plan.', problems: [] });
    expect(markdown).not.toContain('secondsecret');
    expect(markdown).not.toMatch(/@everyone/);
    expect(markdown).toContain('\n~~~~~diff\n');
  });
  it('fits the limit of a comment, with removals first', async () => {
    const many = (from: number): Files =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `resources/c${at}.yaml`,
          configMap(`c${at}`, `${from}-${'x'.repeat(300)}`),
        ]),
      );
    const paper = new PaperFleet({ ...web(), ...many(1) });
    await paper.settle();
    const effect = await effectOf(paper, { ...web(false), ...many(2) });
    const markdown = effectMarkdown(effectText(effect), { head: 'Plan.', problems: [], limit: 8_000 });
    expect(markdown.length).toBeLessThanOrEqual(8_000);
    expect(markdown).toMatch(/… and \d+ more changes/);
    expect(markdown.indexOf('removed')).toBeLessThan(markdown.indexOf('changed, same'));
    expect(markdown).toContain('Plan.');
  });
});
