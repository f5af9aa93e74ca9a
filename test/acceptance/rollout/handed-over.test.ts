import { expect, it } from 'vitest';
import {
  all,
  app,
  deployment,
  members,
  namespace,
  type Observed,
  placement,
  placementEntry,
  rolling,
  Story,
} from './world.ts';

const names = Array.from({ length: 12 }, (_, at) => `c-${at + 10}`);
const named = (name: string, selected: readonly string[], strategy: string, policy = all): string =>
  placement(policy, strategy)
    .replace('{name: web}', `{name: ${name}}`)
    .replace(
      '    - {group: "", version: v1, kind: Namespace, name: web}',
      selected.map((it) => `    - {group: "", version: v1, kind: Namespace, name: ${it}}`).join('\n'),
    );
const namespaces = ['moved', 'other', 'rest']
  .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`)
  .join('---\n');
const atOnce = rolling('100%', 1);
const applying = (apply: string) => `{type: RollingUpdate, applyStrategy: ${apply}}`;
const deletes = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: none}
spec:
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: moved}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, overrideType: Delete}]}
`;

/** Twelve clusters that hold `files`. */
async function settled(files: Record<string, string>): Promise<Story> {
  const story = new Story({
    ...members(names.join(' ')),
    'resources/web.yaml': app('web:1'),
    'resources/namespaces.yaml': namespaces,
    'other.yaml': named('other', ['other'], atOnce),
    ...files,
  });
  story.seen = {};
  await story.plan();
  const objects = ['moved', 'other', 'rest', 'web'].map((name) => ({ ...namespace, metadata: { name } }));
  const observation: Observed = {
    placements: ['one', 'other', 'two', 'web'].map((name) =>
      placementEntry(0, { placement: { kind: 'ClusterResourcePlacement', name } }),
    ),
    objects: [...objects, deployment(2)],
  };
  story.seen = Object.fromEntries(names.map((name) => [name, observation]));
  await story.plan(5);
  return story;
}

it.each<[string, boolean, string]>([
  ['under another name', false, named('shop', ['web'], '{type: RollingUpdate}')],
  ['under another name, with something else besides', false, named('shop', ['rest', 'web'], '{type: RollingUpdate}')],
  ['under another name, for runs to come', false, named('shop', ['web'], '{type: External}')],
  ['under another name, for runs to come, without what it held', true, named('shop', ['rest'], '{type: External}')],
  ['under another name, with selectors that are wrong', true, named('shop', ['web', 'web'], '{type: External}')],
  ['under another name that takes nothing over', true, named('shop', ['web'], applying('{whenToTakeOver: Never}'))],
  ['under another name that only compares', true, named('shop', ['web'], applying('{type: ReportDiff}'))],
  [
    'under another name on one of the clusters',
    true,
    named('shop', ['web'], atOnce, '{placementType: PickFixed, clusterNames: [c-10]}'),
  ],
  ['under another name, without what it held', true, named('shop', ['rest'], '{type: RollingUpdate}')],
])('a placement that comes back %s requires an approval of removals: %s', async (_, refused, file) => {
  const story = await settled({ 'web.yaml': placement(all, atOnce) });
  delete story.files['web.yaml'];
  story.files['shop.yaml'] = file;
  const { plan } = await story.plan(10, { refused });
  expect(plan.guard.map(({ rule }: { rule: string }) => rule)).toEqual(refused ? ['blast-radius-clusters'] : []);
});

it.each<[string, boolean, string]>([
  ['to a placement whose rollout comes there later', false, named('two', ['moved', 'rest'], rolling(1, 1))],
  ['to no other placement', true, named('two', ['rest'], rolling(1, 1))],
])('an object that moves %s requires an approval of removals: %s', async (_, refused, file) => {
  const story = await settled({
    'one.yaml': named('one', ['moved', 'web'], atOnce),
    'two.yaml': named('two', ['rest'], rolling(1, 1)),
  });
  story.files['one.yaml'] = named('one', ['web'], atOnce);
  story.files['two.yaml'] = file;
  await story.plan(10, { refused });
});

it('what an override may leave out of the next snapshot is not counted on', async () => {
  const story = await settled({
    'one.yaml': named('one', ['moved', 'web'], atOnce),
    'two.yaml': named('two', ['rest'], rolling(1, 1)),
  });
  story.files['one.yaml'] = named('one', ['web'], atOnce);
  story.files['two.yaml'] = named('two', ['moved', 'rest'], rolling(1, 1));
  story.files['none.yaml'] = deletes;
  await story.plan(10, { refused: true });
});

it.each<[string, boolean, string, string]>([
  ['another placement has something in it', false, '{}', all],
  ['a placement compares something in it', true, '{type: ReportDiff}', all],
  [
    'another placement has something in it on one of the clusters',
    true,
    '{}',
    '{placementType: PickFixed, clusterNames: [c-10]}',
  ],
])(
  'a Namespace that is no longer placed while %s requires an approval of removals: %s',
  async (_, refused, apply, policy) => {
    const story = await settled({
      'web.yaml': named('web', ['web'], atOnce).replace(
        'kind: Namespace, name: web}',
        'kind: Namespace, name: web, selectionScope: NamespaceOnly}',
      ),
      'inside.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: inside, namespace: web}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: ${policy}
  strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%}, applyStrategy: ${apply}}
`,
    });
    delete story.files['web.yaml'];
    const { plan } = await story.plan(10, { refused });
    expect(plan.guard.map(({ rule }: { rule: string }) => rule)).toEqual(refused ? ['blast-radius-clusters'] : []);
  },
);
