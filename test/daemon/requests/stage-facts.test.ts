import { expect, it } from 'vitest';
import { stageFacts } from '../../../src/daemon/requests/stage-facts.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { askedGate } from '../../../src/report/approval/approval-page.ts';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const files = (run: string, clusters: readonly string[], gate = ''): Record<string, string> => ({
  'clusters/a.yaml': member('a'),
  'clusters/b.yaml': member('b'),
  'web.yaml': placement('web', `{placementType: PickFixed, clusterNames: [${clusters}]}`, '{type: External}'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: all, labelSelector: {}${gate}}]}\n`,
  'run.yaml': `${staged}UpdateRun\nmetadata: {name: ${run}}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`,
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
});
const history = { commitsBetween: async () => [], changingMoreThan: async () => [] };

/** What approval brings that is asked for once these files follow those of a run that is over. */
async function factsOf(next: Record<string, string>, before = files('web-0', ['a', 'b'])) {
  const paper = new PaperFleet(before);
  const pass = async (): Promise<void> => {
    for (let step = 0; step < 6; step++) {
      await paper.plan();
      paper.deliver();
      paper.pass(60);
    }
  };
  await pass();
  paper.files = next;
  await pass();
  const { plan, contents } = paper.last!;
  const { record } = readRecord(paper.record);
  const gate = askedGate(plan.approvals[0]!, record)!;
  return stageFacts(gate, { record, contents, config: undefined, history });
}

it.each([
  [
    'fails',
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {}}]}, jsonPatchOverrides: [{op: remove, path: /spec/none}]}]}\n`,
    '{type: External}',
    /^an override fails: override snapshot web\/size-0 on .* "none" does not exist$/,
  ],
  [
    'only compares',
    '',
    '{type: External, applyStrategy: {type: ReportDiff}}',
    /^differences are only reported \(ReportDiff\), nothing is applied$/,
  ],
])(
  'names the clusters that a stage reaches and that keep what they have where it %s',
  async (_, override, type, why) => {
    const next = files('web-1', ['a', 'b'], ', beforeStageTasks: [{type: Approval}]');
    next['resources/web.yaml'] = deployment('web', 'web', 'web:2');
    next['web.yaml'] = next['web.yaml']!.replace('{type: External}', type);
    const { changes, kept } = await factsOf({ ...next, 'override.yaml': override });
    expect([changes, kept]).toEqual([[], [{ why: expect.stringMatching(why), clusters: ['a', 'b'] }]]);
  },
);

it.each([
  ['removes', '', { action: 'remove' }],
  [
    'releases to another placement',
    placement('shop', '{placementType: PickFixed, clusterNames: [b]}', '{type: External}', 'web'),
    { action: 'release', to: { name: 'shop' } },
  ],
])('behind the last stage, approval %s what clusters have that the placement leaves', async (_, shop, how) => {
  const { changes } = await factsOf({
    ...files('web-1', ['a'], ', afterStageTasks: [{type: Approval}]'),
    'shop.yaml': shop,
  });
  expect(changes).toMatchObject([
    { ...how, object: { kind: 'Deployment' }, clusters: ['b'] },
    { ...how, object: { kind: 'Namespace' }, clusters: ['b'] },
  ]);
});

it.each([
  [1, {}],
  [
    0,
    {
      starts:
        'it removes objects, which the guard may refuse (at most 0 clusters may lose something at once, and 1 would): then gitfleet requests an approval of removals, and nothing else rolls out before it is given',
    },
  ],
])('behind the last stage, the guard lets %i clusters lose something', async (most, refusal) => {
  const facts = await factsOf({
    ...files('web-1', ['a'], ', afterStageTasks: [{type: Approval}]'),
    'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: {maxClusters: ${most}}}\n`,
  });
  expect(facts.refusal).toEqual(refusal);
});

it('a Namespace that a placement leaves is not removed while another placement, which only compares now, has objects in it', async () => {
  const fleet = (run: string, clusters: readonly string[], of: { readonly gate?: string; readonly type: string }) => {
    const own = files(run, clusters, of.gate);
    return {
      ...own,
      'web.yaml': own['web.yaml']!.replace('name: web}]', 'name: web, selectionScope: NamespaceOnly}]'),
      'conf.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ResourcePlacement\nmetadata: {name: conf, namespace: web}\nspec:\n  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: c}]\n  policy: {placementType: PickAll}\n  strategy: {type: RollingUpdate, applyStrategy: {type: ${of.type}}}\n`,
      'resources/c.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: web}\n',
    };
  };
  const facts = await factsOf(
    fleet('web-1', ['a'], { gate: ', afterStageTasks: [{type: Approval}]', type: 'ReportDiff' }),
    fleet('web-0', ['a', 'b'], { type: 'ClientSideApply' }),
  );
  expect([facts.changes, facts.kept]).toEqual([
    [],
    [
      {
        why: 'Namespace web holds 1 object(s) that are not of this placement: ConfigMap web/c; it stays until they are gone, or until its removal is approved',
        clusters: ['b'],
      },
    ],
  ]);
});

it('after the record was lost, what servers added to objects is no change, and the request says what is not compared', async () => {
  const paper = new PaperFleet(files('web-0', ['a', 'b']));
  await paper.settle();
  for (const held of paper.members.values())
    for (const [key, of] of held)
      held.set(key, {
        ...of,
        objects: of.objects.map((object) => ({ ...object, spec: { ...(object['spec'] as object), added: 1 } })),
      });
  paper.record = new Map();
  paper.restart();
  await paper.settle();
  paper.files = {
    ...files('web-1', ['a', 'b'], ', beforeStageTasks: [{type: Approval}]'),
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
  };
  await paper.settle();
  const { record } = readRecord(paper.record);
  const { plan, contents } = paper.last!;
  const gate = askedGate(plan.approvals[0]!, record)!;
  const facts = await stageFacts(gate, { record, contents, config: undefined, history });
  const [change] = facts.changes;
  expect(change?.diff.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
    '-           image: web:1',
    '+           image: web:2',
  ]);
  expect(facts.changes.length).toBe(1);
  expect(facts.rebuilt).toEqual(['a', 'b']);
});
