import { describe, expect, it } from 'vitest';
import { type Document, folder } from '../../support/folders.ts';
import { overrideEverywhere } from '../../support/override-everywhere.ts';
import { cli } from '../../support/run-cli.ts';
import {
  all,
  app,
  at,
  bindingOn,
  held,
  holds,
  member,
  members,
  moves,
  namespace,
  placement,
  placementEntry,
  rolling,
  type Step,
  Story,
  targets,
  words,
} from './world.ts';

const override = (replicas: number | string, selector = '{}', more = 'placement: {name: web}') => `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: size, namespace: web}
spec:
  ${more}
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy:
    overrideRules:
      - clusterSelector: {clusterSelectorTerms: [{labelSelector: ${selector}}]}
        jsonPatchOverrides: [{op: replace, path: /spec/replicas, value: ${replicas}}]
`;
/** What a cluster holds of `index` with `replicas`, all of them up. */
const observation = (index: number, replicas = 2) =>
  holds(index, [
    namespace,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'web', generation: 1, labels: { 'gitfleet.dev/placement': 'web' } },
      spec: { replicas },
      status: { observedGeneration: 1, replicas, updatedReplicas: replicas, availableReplicas: replicas },
    },
  ]);
const listsOf = (step: Step): string[] =>
  step
    .file('placements/web/state.yaml')
    .bindings.map(({ targetCluster, resourceOverrideSnapshots = [] }: Document) =>
      [targetCluster, ...resourceOverrideSnapshots.map(({ name }: Document) => name)].join(' '),
    );

async function settled(names = 'a b', strategy = rolling(1, 1)): Promise<Story> {
  const story = new Story({
    ...members(names),
    'web.yaml': placement(all, strategy),
    'override.yaml': override(3),
    'resources/web.yaml': app('web:1'),
  });
  story.seen = {};
  await story.plan();
  story.seen = Object.fromEntries(names.split(' ').map((name) => [name, observation(0, 3)]));
  await story.plan(10);
  return story;
}

describe('an override edited', () => {
  it('is rolled out cluster by cluster within the budget, without a new resource snapshot', async () => {
    const story = await settled();
    story.files['override.yaml'] = override(4);
    const step = await story.plan(20);
    expect([moves(step), listsOf(step), held(step)]).toEqual([
      ['a Bound 0 update', 'b Bound 0 wait'],
      ['a size-1', 'b size-0'],
      ['RolloutBudget b'],
    ]);
    const digests = step.plan.targets.map(({ digest }: Document) => digest);
    expect(digests[0]).not.toBe(digests[1]);
    story.seen = { a: { ...observation(0, 4) }, b: observation(0, 3) };
    expect(moves(await story.plan(30))).toEqual(['a Bound 0 keep', 'b Bound 0 update']);
  });

  it('in the middle of a rollout is rolled out with it: one update applies both', async () => {
    const story = await settled('a b c');
    story.files['resources/web.yaml'] = app('web:2');
    expect(moves(await story.plan(20))).toEqual(['a Bound 1 update', 'b Bound 0 wait', 'c Bound 0 wait']);
    story.files['override.yaml'] = override(4);
    story.seen = { a: observation(1, 3), b: observation(0, 3), c: observation(0, 3) };
    const step = await story.plan(30);
    // By name: a is out of date again, by its override alone.
    expect([moves(step), listsOf(step)]).toEqual([
      ['a Bound 1 update', 'b Bound 0 wait', 'c Bound 0 wait'],
      ['a size-1', 'b size-0', 'c size-0'],
    ]);
    story.seen = { a: observation(1, 4), b: observation(0, 3), c: observation(0, 3) };
    const next = await story.plan(40);
    expect([moves(next), listsOf(next)]).toEqual([
      ['a Bound 1 keep', 'b Bound 1 update', 'c Bound 0 wait'],
      ['a size-1', 'b size-1', 'c size-0'],
    ]);
  });

  it('keeps ten snapshots, in addition to those that a cluster still uses', async () => {
    const story = await settled();
    for (let edit = 1; edit <= 12; edit++) {
      story.files['override.yaml'] = override(3 + edit);
      await story.plan(10 + edit);
    }
    const kept = Object.keys(story.record)
      .filter((path) => path.startsWith('overrides/web.size/'))
      .map((path) => Number(/(\d+)\.yaml$/.exec(path)![1]))
      .sort((x, y) => x - y);
    // b still waits with the first.
    expect(kept).toEqual([0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});

describe('an override that cannot be applied', () => {
  it('is Overridden=False, does not change its cluster, and the next version is not counted against the budget there', async () => {
    const story = await settled('a b', rolling(1, 0));
    story.files['override.yaml'] = override(4).replace('/spec/replicas', '/spec/nothing/here');
    const step = await story.plan(20);
    expect(words(bindingOn(step, 'a').conditions)).toEqual([
      'RolloutStarted=True/RolloutStarted',
      'Overridden=False/OverriddenFailed',
    ]);
    expect([moves(step), targets(step)]).toEqual([['a Bound 0 update', 'b Bound 0 wait'], ['b web 0']]);
    story.files['override.yaml'] = override(5);
    const fixed = await story.plan(30);
    expect([moves(fixed), targets(fixed)]).toEqual([
      ['a Bound 0 update', 'b Bound 0 wait'],
      ['a web 0', 'b web 0'],
    ]);
  });
});

describe('a label changed', () => {
  it('is a new version of its cluster, and waits for the budget like one', async () => {
    const story = await settled('a b');
    story.files['override.yaml'] = override(3, '{matchLabels: {size: big}}');
    for (const name of ['a', 'b']) story.files[`clusters/${name}.yaml`] = member(name, { size: 'big' });
    await story.plan(20);
    story.seen = { a: observation(0, 3), b: observation(0, 3) };
    await story.plan(30);
    await story.plan(40);
    for (const name of ['a', 'b']) story.files[`clusters/${name}.yaml`] = member(name, { size: 'small' });
    const step = await story.plan(50);
    expect([moves(step), listsOf(step)]).toEqual([
      ['a Bound 0 update', 'b Bound 0 wait'],
      ['a', 'b size-1'],
    ]);
  });

  /** Digest of the target of a cluster; `saying`: an observation that reports a digest. */
  const digestOn = ({ plan }: Step, cluster: string): string =>
    plan.targets.find(({ clusterName }: Document) => clusterName === cluster).digest;
  const saying = (digest: string, index = 0, replicas = 3) => ({
    ...observation(index, replicas),
    placements: [placementEntry(index, { digest })],
  });
  const allScope = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacementDisruptionBudget
metadata: {name: web, annotations: {gitfleet.dev/budget-scope: all}}
spec: {minAvailable: 2}
`;
  const big = '{matchLabels: {size: big}}';
  const sized = (name: string, size: string) => member(name, { size, env: size === 'big' ? 'prod' : 'dev' });

  /** Two big clusters that report a digest, which is that of the resources with the overrides for big ones. */
  async function bothBig(rules = override(3, big)): Promise<{ readonly story: Story; readonly digest: string }> {
    const story = new Story({
      ...Object.fromEntries(['a', 'b'].map((name) => [`clusters/${name}.yaml`, sized(name, 'big')])),
      'web.yaml': placement(all, rolling(2, 0)),
      'override.yaml': rules,
      'resources/web.yaml': app('web:1'),
    });
    story.seen = {};
    const digest = digestOn(await story.plan(), 'a');
    story.seen = { a: saying(digest), b: saying(digest) };
    await story.plan(10);
    return { story, digest };
  }

  it('does not change a cluster until its turn comes, and reports it as available', async () => {
    const { story, digest } = await bothBig();
    story.files['budget.yaml'] = allScope;
    for (const now of [20, 30]) {
      story.files['clusters/b.yaml'] = sized('b', 'small');
      const step = await story.plan(now);
      expect([moves(step), held(step), digestOn(step, 'b'), listsOf(step)]).toEqual([
        ['a Bound 0 keep', 'b Bound 0 wait'],
        ['RolloutBudget b'],
        digest,
        ['a size-0', 'b size-0'],
      ]);
      expect(words(bindingOn(step, 'b').conditions)).toContain('Available=True/AllWorkAreAvailable');
    }
    delete story.files['budget.yaml'];
    const turn = await story.plan(40);
    expect([moves(turn), listsOf(turn)]).toEqual([
      ['a Bound 0 keep', 'b Bound 0 update'],
      ['a size-0', 'b'],
    ]);
    expect(digestOn(turn, 'b')).not.toBe(digest);
    expect(JSON.stringify(turn.file('placements/web/state.yaml'))).not.toContain('clusterLabels');
  });

  it('and changed back while its cluster waits has no effect', async () => {
    const { story, digest } = await bothBig();
    story.files['budget.yaml'] = allScope;
    story.files['clusters/b.yaml'] = sized('b', 'small');
    const waits = await story.plan(20);
    expect(waits.file('placements/web/state.yaml').bindings[1].clusterLabels.size).toBe('big');
    story.files['clusters/b.yaml'] = sized('b', 'big');
    const step = await story.plan(30);
    expect([moves(step), held(step), digestOn(step, 'b')]).toEqual([['a Bound 0 keep', 'b Bound 0 keep'], [], digest]);
    expect(JSON.stringify(step.file('placements/web/state.yaml'))).not.toContain('clusterLabels');
  });

  it('is rolled out where the override is bound to no placement, too', async () => {
    const { story } = await bothBig(override(3, big, ''));
    story.files['clusters/b.yaml'] = sized('b', 'small');
    const step = await story.plan(20);
    expect([moves(step), listsOf(step)]).toEqual([
      ['a Bound 0 keep', 'b Bound 0 update'],
      ['a size-0', 'b'],
    ]);
  });

  it('that an override fills in, of a cluster that waits for a version, changes it with that version', async () => {
    const { story, digest } = await bothBig(
      override('{size: "${MEMBER-CLUSTER-LABEL-KEY-size}"}').replace(
        'op: replace, path: /spec/replicas',
        'op: add, path: /metadata/annotations',
      ),
    );
    story.files['budget.yaml'] = allScope;
    story.files['resources/web.yaml'] = app('web:2');
    await story.plan(20);
    story.files['clusters/b.yaml'] = sized('b', 'small');
    const step = await story.plan(30);
    expect([moves(step), digestOn(step, 'b')]).toEqual([['a Bound 0 wait', 'b Bound 0 wait'], digest]);
    delete story.files['budget.yaml'];
    const turn = await story.plan(40);
    expect(moves(turn)).toEqual(['a Bound 1 update', 'b Bound 1 update']);
    expect(digestOn(turn, 'b')).not.toBe(digestOn(turn, 'a'));
  });

  it('gives a cluster that joins with it the matching overrides, all of the latest version, while the others wait', async () => {
    const story = await settled('b', rolling(1, 1));
    story.files['override.yaml'] = override(7, '{matchLabels: {size: big}}');
    story.files['clusters/a.yaml'] = member('a', { size: 'big' });
    const step = await story.plan(20);
    expect([moves(step), listsOf(step)]).toEqual([
      ['a Bound 0 add', 'b Bound 0 wait'],
      ['a size-1', 'b size-0'],
    ]);
  });
});

describe('a label changed that only fills a variable of an override', () => {
  const region = (value: string) =>
    overrideEverywhere('size', `{op: add, path: /metadata/annotations, value: {where: "${value}"}}`);
  const label = '${MEMBER-CLUSTER-LABEL-KEY-region}';
  const reapplied = ({ plan }: Step): string[] =>
    plan.placements[0].bindings.map(
      ({ clusterName, move, reapply = false }: Document) => `${clusterName} ${move} ${reapply}`,
    );

  async function labelled(value = label, isObserved = true): Promise<Story> {
    const story = new Story({
      'clusters/a.yaml': member('a', { region: 'eu', env: 'dev' }),
      'clusters/b.yaml': member('b', { region: 'us', env: 'dev' }),
      'web.yaml': placement(all, rolling('100%', 1)),
      'override.yaml': region(value),
      'resources/web.yaml': app('web:1'),
    });
    story.seen = isObserved ? {} : undefined;
    await story.plan();
    if (isObserved) story.seen = { a: observation(0), b: observation(0) };
    expect((await story.plan(10)).code).toBe(0);
    return story;
  }

  it.each([true, false])(
    'is applied there, with exit code 1; a second plan has nothing to do (observed: %s)',
    async (isObserved) => {
      const story = await labelled(label, isObserved);
      const before = await story.plan(20);
      story.files['clusters/b.yaml'] = member('b', { region: 'asia', env: 'dev' });
      const step = await story.plan(30);
      expect([reapplied(step), step.code, targets(step)]).toEqual([
        ['a keep false', 'b keep true'],
        1,
        ['a web 0', 'b web 0'],
      ]);
      const digests = ({ plan }: Step): string[] => plan.targets.map(({ digest }: Document) => digest);
      expect(digests(step)[0]).toBe(digests(before)[0]);
      expect(digests(step)[1]).not.toBe(digests(before)[1]);
      const again = await story.plan(40);
      expect([reapplied(again), again.code]).toEqual([['a keep false', 'b keep false'], 0]);
    },
  );

  it.each<[string, string, Readonly<Record<string, string>>, boolean]>([
    ['another label', label, { region: 'us', env: 'prod' }, false],
    ['the label of a variable that nothing holds', '${MEMBER-CLUSTER-NAME}', { region: 'asia', env: 'dev' }, false],
    ['a removed label: the override fails and the cluster keeps what it has', label, { env: 'dev' }, false],
  ])('%s', async (_, value, labels, expected) => {
    const story = await labelled(value);
    story.files['clusters/b.yaml'] = member('b', labels);
    const step = await story.plan(20);
    expect([reapplied(step), step.code]).toEqual([['a keep false', `b keep ${expected}`], expected ? 1 : 0]);
  });

  it('an added label, without which the override failed, is applied', async () => {
    const story = await labelled();
    story.files['clusters/b.yaml'] = member('b', { env: 'dev' });
    await story.plan(20);
    story.files['clusters/b.yaml'] = member('b', { region: 'us', env: 'dev' });
    const step = await story.plan(30);
    expect(reapplied(step)).toContain('b keep true');
  });

  it('shows in the table, in the comment on a pull request and in the diff', async () => {
    const story = await labelled();
    story.files['clusters/b.yaml'] = member('b', { region: 'asia', env: 'dev' });
    const [repo, recorded] = [folder(story.files), folder(story.record)];
    const output = async (...argv: string[]) => cli(...argv, '--repo', repo, '--recorded', recorded, '--now', at(20));
    expect((await output('plan')).out).toMatch(/^reapply +web +b +0 +Bound[\s\S]*, 1 to reapply,/m);
    expect((await output('plan', '-o', 'markdown')).out).toMatch(/, 1 to reapply[\s\S]*`web` on `b` at snapshot 0/);
    const { out, code } = await output('diff');
    expect([code, out.split('\n').filter((line) => /^[-+]/.test(line))]).toEqual([
      1,
      ['-     where: us', '+     where: asia'],
    ]);
  });
});

describe('an override snapshot that the record lacks', () => {
  const lost = ['a', 'b'];
  /** For a and b it is unknown which overrides the cluster has; a new version is waiting. */
  async function damaged(maxUnavailable: number): Promise<Story> {
    const story = await settled('a b c d', rolling(maxUnavailable, 0));
    const path = 'placements/web/state.yaml';
    const lines = story.record[path]!.split('\n').map((line) =>
      lost.some((name) => line.includes(`targetCluster: ${name},`)) ? line.replace('size-0', 'size-7') : line,
    );
    story.record = { ...story.record, [path]: lines.join('\n') };
    story.files['resources/web.yaml'] = app('web:2');
    return story;
  }

  it.each([
    [1, ['a', 'b']],
    [3, ['a', 'b', 'c']],
  ])(
    'fails its clusters, which are free to move next to what maxUnavailable %i leaves to the others',
    async (most, expected) => {
      const step = await (await damaged(most)).plan(30);
      expect(moves(step)).toEqual(
        ['a', 'b', 'c', 'd'].map((name) =>
          expected.includes(name) ? `${name} Bound 1 update` : `${name} Bound 0 wait`,
        ),
      );
    },
  );

  it('fails none that is not observed or does not respond: the budget covers them', async () => {
    const away = { reachable: false };
    for (const seen of [undefined, { a: away, b: away, c: observation(0, 3), d: observation(0, 3) }]) {
      const story = await damaged(1);
      story.seen = seen;
      const step = await story.plan(30);
      expect(moves(step)).toEqual(['a Bound 1 update', ...['b', 'c', 'd'].map((name) => `${name} Bound 0 wait`)]);
    }
  });
});
