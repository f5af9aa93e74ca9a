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
])('objects that a placement releases are handed over %s', async (_, files, objects) => {
  expect(await letGo(files)).toEqual(objects);
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
