import { describe, expect, it } from 'vitest';
import type { Document } from '../../support/folders.ts';
import {
  at,
  eviction,
  held,
  member,
  members,
  moves,
  namespace,
  type Observed,
  placementEntry,
  rolling,
  type Step,
  Story,
  targets,
  words,
} from './world.ts';

/** A placement of the namespace alone; what is in it is another placement's. */
const namespaceOnly = (strategy = '{type: RollingUpdate}', name = 'web') => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata: {name: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: ${name}, selectionScope: NamespaceOnly}]
  policy: {placementType: PickAll}
  strategy: ${strategy}
`;
const tools = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourcePlacement
metadata: {name: tools, namespace: web}
spec:
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: tools}]
  policy: {placementType: PickAll, tolerations: [{operator: Exists}]}
`;
const resources = `
apiVersion: v1
kind: Namespace
metadata: {name: web}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tools, namespace: web}
data: {a: b}
`;
const toolsThere = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'tools', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web.tools' } },
  data: { a: 'b' },
};
const toolsTold = {
  placement: { kind: 'ResourcePlacement', name: 'tools', namespace: 'web' },
  resourceSnapshotIndex: 0,
  done: true,
};
const settled: Observed = { placements: [placementEntry(0), toolsTold], objects: [namespace, toolsThere] };
const foreign = {
  object: { apiVersion: 'v1', kind: 'Namespace', name: 'web' },
  result: 'ContainsForeignObjects',
  message: 'Namespace web holds 1 object(s) that are not of this placement: ConfigMap web/tools',
};
const removal = (more: Document = {}) => ({
  placement: { kind: 'ClusterResourcePlacement', name: 'web' },
  done: true,
  results: [foreign],
  ...more,
});
/** What the cluster shows once its actor has tried to remove the namespace. */
const heldBack = (more: Partial<Observed> = {}): Observed => ({
  ...settled,
  placements: [removal(), toolsTold],
  ...more,
});

const cordoned = member('a', {}, '{taints: [{key: cordon-key, value: cordon-value, effect: NoSchedule}]}');

/** web and tools are on both clusters. */
async function placed(strategy?: string, more: Record<string, string> = {}): Promise<Story> {
  const story = new Story({
    ...members('a b'),
    'web.yaml': namespaceOnly(strategy),
    'tools.yaml': tools,
    'resources/web.yaml': resources,
    ...more,
  });
  story.seen = {};
  await story.plan();
  story.seen = { a: settled, b: settled };
  await story.plan(10);
  return story;
}

/** Cluster a is drained, and of web only the namespace is left there, which the ConfigMap of tools keeps. */
async function drained(strategy?: string, more?: Record<string, string>): Promise<Story> {
  const story = await placed(strategy, more);
  story.files['clusters/a.yaml'] = cordoned;
  story.files['evict.yaml'] = eviction('drain-eviction-web-a', 'a');
  expect(moves(await story.plan(20))).toEqual([going, 'b Bound 0 keep']);
  story.seen = { a: heldBack(), b: settled };
  const step = await story.plan(30);
  expect([moves(step), held(step)]).toEqual([[going, 'b Bound 0 keep'], ['ContainsForeignObjects a']]);
  return story;
}

/** And may get placements again. */
async function uncordoned(strategy?: string, more?: Record<string, string>): Promise<Story> {
  const story = await drained(strategy, more);
  story.files['clusters/a.yaml'] = member('a');
  delete story.files['evict.yaml'];
  return story;
}

const going = 'a Bound 0 remove';
const movesOnA = (step: Step): string[] => moves(step).filter((line) => line.startsWith('a '));

describe('a cluster that is picked again while objects of others keep a namespace that is to go', () => {
  it.each([
    ['whatever the strategy is', undefined],
    ['without any surge, since what leaves makes room', rolling(0, 0)],
  ])('gets the placement again at once: %s', async (_, strategy) => {
    const story = await uncordoned(strategy);
    const back = await story.plan(40);
    expect([moves(back), held(back)]).toEqual([['a Bound 0 add', 'b Bound 0 keep'], []]);
    expect(targets(back)).toEqual(['a web 0', 'a tools 0', 'b web 0', 'b tools 0']);
    story.seen = { a: settled, b: settled };
    const done = await story.plan(50);
    expect([moves(done), held(done), done.code]).toEqual([['a Bound 0 keep', 'b Bound 0 keep'], [], 0]);
  });

  it('gets it again at once also where nothing kept the scheduler from picking it in the plan that evicts', async () => {
    const story = await placed();
    story.files['evict.yaml'] = eviction('e', 'a');
    expect(movesOnA(await story.plan(20))).toEqual([going, 'a Scheduled - wait']);
    story.seen = { a: heldBack(), b: settled };
    const step = await story.plan(30);
    expect([moves(step), held(step)]).toEqual([['a Bound 0 add', 'b Bound 0 keep'], []]);
  });

  it('can be drained again: the report on the first removal has no effect on the second', async () => {
    const story = await uncordoned();
    await story.plan(40);
    story.files['again.yaml'] = eviction('again', 'a');
    expect(movesOnA(await story.plan(50))).toEqual([going, 'a Scheduled - wait']);
    expect(movesOnA(await story.plan(60))).toEqual(['a Bound 0 add']);
  });

  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'old', namespace: 'web', labels: { 'gitfleet.dev/placement': 'web' } },
  };
  const dying = { ...namespace, metadata: { ...namespace.metadata, deletionTimestamp: at(25) } };
  const leftOut = `
apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterResourceOverride
metadata: {name: none}
spec:
  placement: {name: web}
  clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {kubernetes-fleet.io/member-name: a}}}]}, overrideType: Delete}]}
`;
  it.each<[string, Observed, Record<string, string>]>([
    ['the actor has not come to the removal', settled, {}],
    ['the actor is still busy', heldBack({ placements: [removal({ done: false }), toolsTold] }), {}],
    ['something else of the placement is left', heldBack({ objects: [namespace, toolsThere, configMap] }), {}],
    ['not all of the cluster is seen', heldBack({ complete: false }), {}],
    ['the cluster does not respond', { reachable: false }, {}],
    ['the namespace is being deleted', heldBack({ objects: [dying, toolsThere] }), {}],
    ['the placement selects another namespace now', heldBack(), { 'web.yaml': namespaceOnly(undefined, 'else') }],
    ['an override leaves the namespace out there', heldBack(), { 'override.yaml': leftOut }],
  ])('waits while %s', async (_, a, files) => {
    const story = await uncordoned();
    Object.assign(story.files, files);
    story.seen = { a, b: settled };
    const step = await story.plan(40);
    expect(movesOnA(step)).toEqual([going, 'a Scheduled - wait']);
    expect(held(step)).toContain('SameClusterCleanup a');
    expect(targets(step)).toContain('a web removed');
  });

  it('waits for a removal that someone has approved', async () => {
    const story = await drained();
    const { plan } = await story.plan(40);
    const { removalDigest } = plan.holds.find(({ reason }: Document) => reason === 'ContainsForeignObjects');
    story.files['approvals/removal.yaml'] =
      `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: removal}\nspec: {removalDigest: "${removalDigest}"}\n`;
    story.files['clusters/a.yaml'] = member('a');
    const step = await story.plan(50);
    expect([movesOnA(step), held(step)]).toEqual([[going, 'a Scheduled - wait'], ['SameClusterCleanup a']]);
  });

  it('waits for the end of a freeze, and the removal stands until then', async () => {
    const story = await uncordoned();
    story.files['fleet.yaml'] =
      'apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: now, schedule: "0 10 * * *", duration: 1h}]}\n';
    const frozen = await story.plan(40);
    expect([movesOnA(frozen), held(frozen)]).toEqual([
      [going, 'a Scheduled - wait'],
      ['ContainsForeignObjects a', `Freeze a until ${at(3600)}`],
    ]);
    expect(frozen.plan.wakeAt).toBe(at(3600));
    expect(movesOnA(await story.plan(3600))).toEqual(['a Bound 0 add']);
  });
});

describe('under External', () => {
  const strategy = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: all}
spec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 2}]}
`;
  const run = (name: string) => `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateRun
metadata: {name: ${name}}
spec: {placementName: web, stagedRolloutStrategyName: all, state: Run}
`;
  it('the next run brings the placement to a cluster that is picked again, whatever the namespace holds', async () => {
    const story = await uncordoned('{type: External}', { 'strategy.yaml': strategy, 'run.yaml': run('one') });
    expect(movesOnA(await story.plan(40))).toEqual([going, 'a Scheduled - keep']);
    story.files['run-2.yaml'] = run('two');
    const step = await story.plan(50);
    expect([movesOnA(step), held(step)]).toEqual([['a Bound 0 add'], []]);
    story.seen = { a: settled, b: settled };
    const done = await story.plan(60);
    expect(done.plan.runs.map(({ name, status }: Document) => `${name} ${words(status.conditions).at(-1)}`)).toEqual([
      'one Succeeded=True/UpdateRunSucceeded',
      'two Succeeded=True/UpdateRunSucceeded',
    ]);
  });
});
