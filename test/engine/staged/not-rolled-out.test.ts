import { describe, expect, it } from 'vitest';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
type Files = Record<string, string>;
const steps: Files = {
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: first, labelSelector: {matchLabels: {in: a}}, afterStageTasks: [{type: Approval}]}, {name: rest, labelSelector: {matchLabels: {in: b}}}]}\n`,
  'quick.yaml': `${staged}UpdateStrategy\nmetadata: {name: quick}\nspec: {stages: [{name: all, labelSelector: {}, maxConcurrency: 100%}]}\n`,
};
const run = (name: string, strategy = 'quick', more = ''): Files => ({
  [`${name}.yaml`]: `${staged}UpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: ${strategy}${more}}\n`,
});
const version = (of: number): Files => ({ 'resources/web.yaml': deployment('web', 'web', `web:${of}`) });
const placed = (policy: string): Files => ({ 'web.yaml': placement('web', policy, '{type: External}') });
/** For clusters with that label: labels of the Deployment, or another patch. */
const override = (label: string, patch = '{op: add, path: /metadata/labels, value: {only: x}}', more = ''): Files => ({
  'override.yaml': `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: own, namespace: web}\nspec:\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy:\n    overrideRules:\n    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {in: ${label}}}}]}\n      jsonPatchOverrides: [${patch}]\n${more}`,
});
const files: Files = {
  ...Object.fromEntries(['a1', 'b1', 'b2'].map((name) => [`clusters/${name}.yaml`, member(name, { in: name[0]! })])),
  ...placed('{placementType: PickAll}'),
  ...steps,
  ...version(1),
};

async function installed(change: Files = {}): Promise<PaperFleet> {
  const paper = new PaperFleet({ ...files, ...change, ...run('web-0') });
  await paper.settle();
  expect(paper.last?.notRolledOut).toEqual([]);
  return paper;
}

/** Why it is not rolled out after another commit has settled. */
async function whyAfter(paper: PaperFleet, change: Files): Promise<readonly string[]> {
  paper.files = { ...paper.files, ...change };
  await paper.settle();
  return paper.last!.notRolledOut.map(({ why }) => why);
}

describe('after a run back to an earlier snapshot', () => {
  const returned = async (change: Files = {}): Promise<PaperFleet> => {
    const paper = await installed(change);
    expect(await whyAfter(paper, { ...version(2), ...run('web-1') })).toEqual([]);
    expect(await whyAfter(paper, run('web-2', 'quick', ', resourceSnapshotIndex: "0"'))).toEqual([]);
    return paper;
  };
  const missing = ['3 of 3 clusters do not have snapshot 1, and no update run is in progress'];

  it('nothing is missing until the repo changes', async () => {
    const paper = await returned();
    expect(await whyAfter(paper, override('c'))).toEqual([]);
    const again = await returned(override('b'));
    expect(await whyAfter(again, version(2))).toEqual([]);
  });

  it('the same change again is missing after a revert', async () => {
    const paper = await returned();
    expect(await whyAfter(paper, version(1))).toEqual([]);
    expect(await whyAfter(paper, version(2))).toEqual(missing);
    expect(await whyAfter(paper, run('web-3'))).toEqual([]);
  });

  it('a new override is missing', async () => {
    const paper = await returned();
    expect(await whyAfter(paper, override('b'))).toEqual(missing);
  });
});

describe('overrides of an External placement are not rolled out', () => {
  it('before an update run takes them', async () => {
    const paper = await installed();
    expect(await whyAfter(paper, override('b'))).toEqual(['the repo holds other overrides for b1, b2']);
    expect(await whyAfter(paper, run('web-1'))).toEqual([]);
    const { 'override.yaml': _, ...without } = paper.files;
    paper.files = without;
    expect(await whyAfter(paper, {})).toEqual(['the repo holds other overrides for b1, b2']);
  });

  it('unless what clusters get of them is the same', async () => {
    const paper = await installed(override('b'));
    const other = `    - clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {in: a}}}]}\n      jsonPatchOverrides: [{op: replace, path: /spec/replicas, value: 2}]\n`;
    expect(await whyAfter(paper, override('b', undefined, other))).toEqual([]);
    expect(await whyAfter(paper, override('b', '{op: add, path: /metadata/labels, value: {only: x}}'))).toEqual([]);
  });

  it('where one fails', async () => {
    const paper = await installed();
    const failing = override('a', '{op: remove, path: /metadata/annotations/nothing}');
    expect(await whyAfter(paper, failing)).toEqual(['the repo holds other overrides for a1']);
  });

  it('where a cluster gets a label that a rule selects', async () => {
    const paper = await installed(override('c'));
    expect(await whyAfter(paper, { 'clusters/b1.yaml': member('b1', { in: 'c' }) })).toEqual([
      'the repo holds other overrides for b1',
    ]);
  });

  it('where an update run in progress began before them', async () => {
    const paper = await installed();
    expect(await whyAfter(paper, { ...version(2), ...run('web-1', 'steps') })).toEqual([]);
    expect(await whyAfter(paper, override('b'))).toEqual(['the repo holds other overrides for b1, b2']);
  });

  it('which new resources come before', async () => {
    expect(await whyAfter(await installed(), { ...version(2), ...override('b') })).toEqual([
      'the repo holds other resources than snapshot 0',
    ]);
  });
});

it('an update run that is only initialized brings nothing before its file says so', async () => {
  const paper = await installed();
  const initialize = run('web-1', 'quick', ', state: Initialize');
  expect(await whyAfter(paper, { ...version(2), ...initialize })).toEqual([
    '3 of 3 clusters do not have snapshot 1, and no update run is in progress, and update run web-1 is initialized, and starts once its file says state: Run',
  ]);
  expect(await whyAfter(paper, run('web-1'))).toEqual([]);
});

describe('an update run that is not initialized brings nothing', () => {
  it('as long as its strategy is missing', async () => {
    const paper = await installed();
    // Nothing else is missing.
    expect(await whyAfter(paper, run('web-1', 'none'))).toEqual([]);
    const why = 'update run web-1 is not initialized: there is no ClusterStagedUpdateStrategy none yet';
    expect(await whyAfter(paper, version(2))).toEqual([`the repo holds other resources than snapshot 0, and ${why}`]);
    // Another one starts at once.
    expect(paper.last!.notRolledOut[0]!.cannotStart).toBeUndefined();
    expect(await whyAfter(paper, run('web-2'))).toEqual([]);
  });

  it('as long as clusters are missing, and another one would not start either', async () => {
    const paper = new PaperFleet({ ...files, ...placed('{placementType: PickN, numberOfClusters: 4}') });
    expect(await whyAfter(paper, {})).toEqual([
      'nothing is deployed to a1, b1, b2 yet, and no update run can start: the placement is not fully scheduled yet: SchedulingPolicyUnfulfilled',
    ]);
    expect(paper.last!.notRolledOut[0]!.cannotStart).toBe(true);
    paper.files = { ...paper.files, ...run('web-0') };
    expect(await whyAfter(paper, {})).toEqual([
      'nothing is deployed to a1, b1, b2 yet, and update run web-0 is not initialized: the placement is not fully scheduled yet: SchedulingPolicyUnfulfilled',
    ]);
    expect(paper.last!.notRolledOut[0]!.cannotStart).toBe(true);
  });
});
