import { expect, it } from 'vitest';
import { targetContent } from '../../src/engine/delivery/target-content.ts';
import { placementTargets } from '../../src/engine/target-kinds.ts';
import { deployment, member, PaperFleet, placement } from '../support/paper-fleet.ts';

const all = '{placementType: PickAll}';
const rolling = '{type: RollingUpdate, rollingUpdate: {maxUnavailable: 100%, maxSurge: 100%}}';
const old = placement('old', all, rolling, 'shop');
const next = (strategy = rolling, policy = all) => placement('new', policy, strategy, 'shop');
const applying = (apply: string) => `{type: RollingUpdate, applyStrategy: ${apply}}`;
const override = `apiVersion: placement.kubernetes-fleet.io/v1
kind: ResourceOverride
metadata: {name: none, namespace: shop}
spec:
  placement: {name: new}
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, overrideType: Delete}]}
`;
const everything = ['Deployment web', 'Namespace shop'];
const inside = (apply = '{}', policy = all) => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: inside, namespace: shop}
spec:
  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]
  policy: ${policy}
  strategy: ${applying(apply)}
`;

/** What `old` lets go of on the cluster when its file is gone and these are there. */
async function letGo(files: Record<string, string>): Promise<string[]> {
  const fleet = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'old.yaml': old,
    'resources/shop.yaml': deployment('web', 'shop', 'web:1'),
    'other.yaml': placement('other', all, rolling),
  });
  await fleet.settle();
  delete fleet.files['old.yaml'];
  Object.assign(fleet.files, files);
  const plan = await fleet.plan();
  const target = placementTargets(plan.targets).find(
    ({ clusterName, placement: { name } }) => clusterName === 'a' && name === 'old',
  )!;
  return targetContent(fleet.last!.contents, target)!
    .handedOver.map(({ kind, name }) => `${kind} ${name}`)
    .sort();
}

it.each<[string, Record<string, string>, string[]]>([
  ['to none where none selects them', {}, []],
  ['to a placement that selects them now', { 'new.yaml': next() }, everything],
  ['to one that waits for a run', { 'new.yaml': next('{type: External}') }, everything],
  ['to one that takes over what is equal', { 'new.yaml': next(applying('{whenToTakeOver: IfNoDiff}')) }, everything],
  ['not to one of other clusters', { 'new.yaml': next(rolling, '{placementType: PickFixed, clusterNames: [b]}') }, []],
  ['not to one that never takes over', { 'new.yaml': next(applying('{whenToTakeOver: Never}')) }, []],
  ['not to one that only compares', { 'new.yaml': next(applying('{type: ReportDiff}')) }, []],
  ['without what an override leaves out there', { 'new.yaml': next(), 'o.yaml': override }, ['Namespace shop']],
  ['with their namespace, which the other one does not bring', { 'in.yaml': inside() }, everything],
  [
    'only as a namespace to one that creates them anew',
    { 'in.yaml': inside('{whenToTakeOver: Never}') },
    ['Namespace shop'],
  ],
  ['not even as a namespace to one that only compares', { 'in.yaml': inside('{type: ReportDiff}') }, []],
  [
    'not even as a namespace to one of other clusters',
    { 'in.yaml': inside('{}', '{placementType: PickFixed, clusterNames: [b]}') },
    [],
  ],
])('objects that a placement releases are handed over %s', async (_, files, objects) => {
  expect(await letGo(files)).toEqual(objects);
});

it.each<[string, string, string[]]>([
  [
    'stays while another placement has objects of its kind',
    'selectionScope: NamespaceOnly',
    ['CustomResourceDefinition widgets.example.com'],
  ],
  ['goes where only the placement itself has any', '', []],
])('a definition that a placement no longer selects %s', async (_, scope, released) => {
  const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one, namespace: shop}\n';
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`;
  const own = placement('own', all, rolling, 'shop').replace(
    'name: shop}',
    `name: shop, ${scope || 'selectionScope: NamespaceWithResources'}}`,
  );
  const selected =
    '[{group: apiextensions.k8s.io, version: v1, kind: CustomResourceDefinition, name: widgets.example.com}, {';
  const others = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: widgets, namespace: shop}
spec:
  resourceSelectors: [{group: example.com, version: v1, kind: Widget, name: one}]
  policy: ${all}
`;
  const fleet = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'own.yaml': own.replace('[{', selected),
    'resources/r.yaml': ['apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n', definition, widget].join('---\n'),
    ...(scope === '' ? {} : { 'others.yaml': others }),
  });
  await fleet.settle();
  fleet.files['own.yaml'] = own;
  const target = placementTargets((await fleet.plan()).targets).find(({ placement: { name } }) => name === 'own')!;
  expect(targetContent(fleet.last!.contents, target)!.handedOver.map(({ kind, name }) => `${kind} ${name}`)).toEqual(
    released,
  );
});

it('an object that moves is handed over before the rollout comes to the placement that it moves to', async () => {
  const fleet = new PaperFleet({
    'clusters/a.yaml': member('a'),
    'clusters/b.yaml': member('b'),
    'one.yaml': placement('one', all, rolling, 'shop').replace(
      '[{',
      '[{group: "", version: v1, kind: Namespace, name: moved}, {',
    ),
    'two.yaml': placement('two', all, rolling.replaceAll('100%', '1'), 'other'),
    'resources/r.yaml': ['shop', 'other', 'moved']
      .map((name) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`)
      .join('---\n'),
  });
  await fleet.settle();
  fleet.files['one.yaml'] = placement('one', all, rolling, 'shop');
  fleet.files['two.yaml'] = placement('two', all, rolling.replaceAll('100%', '1'), 'other').replace(
    '[{',
    '[{group: "", version: v1, kind: Namespace, name: moved}, {',
  );
  const plan = await fleet.plan();
  expect(
    placementTargets(plan.targets).map((target) => [
      `${target.clusterName} ${target.placement.name} ${target.resourceSnapshotIndex}`,
      targetContent(fleet.last!.contents, target)!.handedOver.map(({ name }) => name),
    ]),
  ).toEqual([
    ['a one 1', ['moved']],
    ['a two 1', []],
    ['b one 1', ['moved']],
    ['b two 0', []],
  ]);
});
