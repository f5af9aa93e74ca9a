import { expect, it } from 'vitest';
import { configMap, type Files } from '../../forecast/effect-of.ts';
import { AskedRun, gate, rollsBack, runOf, stageOf, strategy } from '../../support/asked-run.ts';
import { deployment, member, placement } from '../../support/paper-fleet.ts';

const config = (guard: string): Files => ({
  'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: ${guard}}\n`,
});
const extra = { 'resources/extra.yaml': configMap('extra', '1'), 'resources/more.yaml': configMap('more', '1') };
const without = Object.fromEntries(Object.keys(extra).map((path) => [path, '']));

/** Run `web-1`, with gates before and after stage `rest`. */
const rollout = (atOnce: string | undefined, annotations = ''): Files => ({
  'steps.yaml': strategy('steps', stageOf('first'), stageOf('rest', `, before${gate}, after${gate}`)).replaceAll(
    'maxConcurrency: 5',
    `maxConcurrency: ${atOnce ?? '100%'}`,
  ),
  'run1.yaml': runOf('web-1', { annotations }),
});

const removalApproval = (digest: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: RemovalApproval\nmetadata: {name: removal}\nspec: {removalDigest: "${digest}"}\n`;

const needs = 'then gitfleet requests an approval of removals, and nothing else rolls out before it is given';

it.each<[string, { atOnce?: string; guard?: string }, string | undefined]>([
  ['of two clusters at once', {}, 'at most 1 cluster may lose something at once, and 2 would'],
  ['of one cluster after the other', { atOnce: '1' }, undefined],
  ['of two objects of a cluster', { guard: '{maxObjectsPerCluster: 2}' }, undefined],
  [
    'of more objects of a cluster than may go',
    { guard: '{maxObjectsPerCluster: 1}' },
    'b, c would lose too many of their objects',
  ],
])('an approval that starts removals %s says what the guard makes of them', async (_, of, why) => {
  const { atOnce, guard: limits = '{maxClusters: 1}' } = of;
  const fleet = await AskedRun.open({ ...config('{}'), ...extra });
  await fleet.commit({ ...rollout(atOnce), ...without });
  await fleet.commit(config(limits));
  const { refusal } = await fleet.facts();
  expect(refusal).toEqual(
    why === undefined ? {} : { starts: `it removes objects, which the guard may refuse (${why}): ${needs}` },
  );
  const { guard } = await fleet.answer('True');
  expect(guard.length > 0).toBe(why !== undefined);
});

it.each<[string, { atOnce?: string }, string | undefined]>([
  ['two clusters at once', {}, 'at most 1 cluster may lose something at once, and 2 would'],
  ['one cluster after the other', { atOnce: '1' }, undefined],
])(
  'a rejection whose rollback removes what the run added from %s says what the guard makes of it',
  async (_, of, why) => {
    const fleet = await AskedRun.open(config('{maxClusters: 1}'));
    await fleet.commit({ ...rollout(of.atOnce, rollsBack), ...extra });
    const text = `a rollback removes what the run added, which the guard may refuse (${why}): ${needs}`;
    const before = await fleet.facts();
    expect(before.refusal).toEqual(why === undefined ? {} : { rollback: text });
    await fleet.answer('True');
    const after = await fleet.facts();
    expect(after.refusal).toEqual(why === undefined ? {} : { rollback: text, rejection: text });
    const { guard } = await fleet.answer('False');
    expect(guard.map(({ rule }) => rule)).toEqual(why === undefined ? [] : ['blast-radius-clusters']);
  },
);

it('an approval of removals for an earlier run does not cover what a run removes beside it', async () => {
  const last = { 'resources/last.yaml': configMap('last', '1') };
  const fleet = await AskedRun.open({ ...config('{maxObjectsPerCluster: 1}'), ...extra, ...last });
  const refused = await fleet.commit({ ...rollout(undefined), ...without });
  const approved = await fleet.commit({ 'approvals/removal.yaml': removalApproval(refused.guard[0]!.removalDigest!) });
  expect([refused, approved].map(({ guard }) => guard.length)).toEqual([1, 0]);
  expect((await fleet.facts()).refusal).toEqual({});
  await fleet.answer('False');
  await fleet.commit({ 'run2.yaml': runOf('web-2'), 'resources/last.yaml': '' });
  expect((await fleet.facts()).refusal?.starts).toContain('b, c would lose too many of their objects');
  const { guard } = await fleet.answer('True');
  expect(guard.map(({ rule }) => rule)).toEqual(['blast-radius-objects', 'blast-radius-objects']);
});

it('an approval of removals covers all steps of a run, and nothing of a later one', async () => {
  const fleet = await AskedRun.open({ ...config('{maxObjectsPerCluster: 1}'), ...extra });
  const refused = await fleet.commit({ ...rollout(undefined), ...without });
  await fleet.commit({ 'approvals/removal.yaml': removalApproval(refused.guard[0]!.removalDigest!) });
  expect((await fleet.facts()).refusal).toEqual({});
  const [, used] = [...fleet.paper.record].find(([path]) => path.startsWith('removals/'))!;
  expect(used).toContain('underWay');
  await fleet.commit({ 'run1.yaml': '' });
  await fleet.commit({ 'run2.yaml': runOf('web-2', { spec: ', resourceSnapshotIndex: "1"' }) });
  expect((await fleet.facts()).refusal?.starts).toContain('b, c would lose too many of their objects');
  const { guard } = await fleet.answer('True');
  expect(guard.map(({ removalDigest }) => removalDigest)).not.toContain(refused.guard[0]!.removalDigest);
  expect(guard).toHaveLength(2);
});

it.each([
  ['that drops other objects', 'web-1'],
  ['whose clusters lose more', 'web-2'],
])('an approval of removals does not cover those of a run %s', async (_, asked) => {
  const fleet = await AskedRun.open({ ...config('{maxObjectsPerCluster: 9}'), ...extra });
  await fleet.commit({ ...rollout(undefined), 'resources/more.yaml': '' });
  await fleet.commit({ 'run1.yaml': runOf('web-1', { spec: ', state: Stop' }) });
  await fleet.commit(config('{maxObjectsPerCluster: 0}'));
  const refused = await fleet.commit({ 'run2.yaml': runOf('web-2'), 'resources/extra.yaml': '' });
  await fleet.commit({ 'approvals/removal.yaml': removalApproval(refused.guard[0]!.removalDigest!) });
  if (asked === 'web-1') {
    await fleet.commit({ 'run2.yaml': runOf('web-2', { spec: ', state: Stop' }) });
    await fleet.commit({ 'run1.yaml': runOf('web-1') });
  }
  const approval = `${asked}-before-rest`;
  expect((await fleet.facts(approval)).refusal?.starts).toContain('b, c would lose too many of their objects');
  const { guard } = await fleet.answer('True', approval);
  expect(guard.map(({ rule }) => rule)).toEqual(['blast-radius-objects', 'blast-radius-objects']);
});

const elsewhere = configMap('other', '1').replace('namespace: web', 'namespace: elsewhere');

it.each<[string, Files, Files, Files, string]>([
  [
    'to an empty snapshot',
    { 'resources/web.yaml': elsewhere },
    { 'resources/web-2.yaml': deployment('web', 'web', 'web:2') },
    {},
    'the snapshot of before the run is empty, and the repo still has some of what goes',
  ],
  [
    'in a repo without resources',
    {},
    { 'resources/extra.yaml': configMap('extra', '1') },
    { 'resources/web.yaml': '', 'resources/extra.yaml': '' },
    'the repo has no resources',
  ],
])('a rejection whose rollback %s looks like a mistake says so', async (_, before, added, after, why) => {
  const fleet = await AskedRun.open(before);
  await fleet.commit({ ...rollout(undefined, rollsBack), ...added });
  await fleet.commit(after);
  expect((await fleet.page()).instructions).toContain(`which the guard may refuse (${why}): ${needs}`);
  const { guard } = await fleet.answer('False');
  expect(guard.map(({ rule }) => rule)).toContain('everything-vanished');
});

/** A run that brings the present version to clusters with label `part: new`, and stops before the others. */
const partly: Files = {
  'parts.yaml': strategy(
    'parts',
    'name: new, labelSelector: {matchLabels: {part: new}}',
    `name: old, labelSelector: {matchLabels: {part: old}}, before${gate}`,
  ),
  'run-part.yaml': runOf('web-p', { steps: 'parts' }),
};
const clusterOf = (name: string, stage: string, part: string): Files => ({
  [`clusters/${name}.yaml`]: member(name, { stage, part }),
});
const parts: Files = {
  ...clusterOf('a', 'first', 'old'),
  ...clusterOf('a2', 'first', 'new'),
  ...clusterOf('b', 'rest', 'old'),
  ...clusterOf('c', 'rest', 'new'),
};

it.each<[string, Files, readonly Files[]]>([
  ['that bring more clusters', {}, [clusterOf('bb', 'rest', 'old')]],
  ['of clusters with other snapshots', parts, [{ ...partly, 'resources/more.yaml': '' }, { 'run-part.yaml': '' }]],
])('an approval of removals is not taken for one of later batches %s', async (_, clusters, before) => {
  const fleet = await AskedRun.open({ ...config('{maxObjectsPerCluster: 9}'), ...extra, ...clusters });
  for (const change of before) await fleet.commit(change);
  await fleet.commit(config('{maxObjectsPerCluster: 0}'));
  const steps = strategy('steps', stageOf('first'), stageOf('rest', `, before${gate}`));
  const refused = await fleet.commit({
    'steps.yaml': steps
      .replaceAll('maxConcurrency: 5', 'maxConcurrency: 1')
      .replace('maxConcurrency: 1', 'maxConcurrency: 5'),
    'run1.yaml': runOf('web-1'),
    'resources/extra.yaml': '',
  });
  await fleet.commit({ 'approvals/removal.yaml': removalApproval(refused.guard[0]!.removalDigest!) });
  expect((await fleet.facts()).refusal?.starts).toContain('would lose too many of');
  expect((await fleet.answer('True')).guard).not.toEqual([]);
});

const isUnderWay = ({ paper }: AskedRun): boolean =>
  [...paper.record].some(([path, text]) => path.startsWith('removals/') && text.includes('underWay'));

it.each([
  ['that is prepared', { spec: ', state: Initialize' }, 'web'],
  ['of another placement', {}, 'other'],
])('an approval of removals ends with its run, also where there is one %s', async (_, spec, placementName) => {
  const fleet = await AskedRun.open({
    ...{ ...config('{maxObjectsPerCluster: 1}'), ...extra },
    'other.yaml': placement('other', '{placementType: PickAll}', '{type: External}'),
    'resources/other.yaml': deployment('other', 'other', 'other:1'),
  });
  const refused = await fleet.commit({ ...rollout(undefined), ...without });
  await fleet.commit({ 'approvals/removal.yaml': removalApproval(refused.guard[0]!.removalDigest!) });
  expect(isUnderWay(fleet)).toBe(true);
  const more = runOf('more', spec).replace('placementName: web', `placementName: ${placementName}`);
  await fleet.commit({ 'more.yaml': more });
  await fleet.answer('False', 'web-1-before-rest');
  expect(isUnderWay(fleet)).toBe(false);
});

it.each<[string, Files, Files]>([
  ['that brings back what is gone', extra, without],
  ['that removes the same', { 'resources/web.yaml': deployment('web', 'web', 'web:9') }, {}],
])('an approval of removals counts for no later run, also after one %s', async (_, second, third) => {
  const fleet = await AskedRun.open({ ...config('{maxObjectsPerCluster: 1}'), ...extra });
  const refused = await fleet.commit({ ...rollout(undefined), ...without });
  const digest = refused.guard[0]!.removalDigest!;
  await fleet.commit({ 'approvals/removal.yaml': removalApproval(digest) });
  await fleet.commit({ 'run1.yaml': runOf('web-1', { spec: ', state: Stop' }) });
  expect(isUnderWay(fleet)).toBe(true);
  await fleet.commit({ 'run2.yaml': runOf('web-2'), ...second });
  if (second === extra) {
    await fleet.commit({ 'run2.yaml': runOf('web-2', { spec: ', state: Stop' }) });
    const again = await fleet.commit({ 'run3.yaml': runOf('web-3'), ...third });
    expect(again.guard.map(({ rule }) => rule)).toEqual(['blast-radius-objects']);
    expect(again.guard[0]!.removalDigest).not.toBe(digest);
    return;
  }
  expect((await fleet.facts('web-2-before-rest')).refusal?.starts).toContain(
    'b, c would lose too many of their objects',
  );
  const { guard } = await fleet.answer('True', 'web-2-before-rest');
  expect(guard).toHaveLength(2);
  expect(guard.map(({ removalDigest }) => removalDigest)).not.toContain(digest);
});

it('an approval of removals does not count again after an older run has brought back what is gone', async () => {
  const named = (name: string): string => stageOf(name, `, before${gate}`);
  const fleet = await AskedRun.open({
    ...extra,
    'clusters/b.yaml': member('b', { stage: 'second' }),
    'clusters/c.yaml': member('c', { stage: 'third' }),
    'steps.yaml': strategy('steps', stageOf('first'), named('second'), named('third')),
  });
  const stopped = (name: string): Files => ({ [`${name}.yaml`]: runOf(name, { spec: ', state: Stop' }) });
  const running = (name: string): Files => ({ [`${name}.yaml`]: runOf(name) });
  await fleet.commit({ ...running('old'), 'resources/web.yaml': deployment('web', 'web', 'web:2') });
  await fleet.commit({ ...stopped('old'), ...config('{maxObjectsPerCluster: 1}') });
  const refused = await fleet.commit({ ...running('web-1'), ...without });
  const digest = refused.guard[0]!.removalDigest!;
  expect((await fleet.commit({ 'approvals/removal.yaml': removalApproval(digest) })).guard).toEqual([]);
  expect((await fleet.answer('True', 'web-1-before-second')).guard).toEqual([]);
  await fleet.answer('False', 'web-1-before-third');
  expect(isUnderWay(fleet)).toBe(false);
  await fleet.commit(running('old'));
  await fleet.answer('True', 'old-before-second');
  await fleet.commit(stopped('old'));
  await fleet.commit(running('web-2'));
  const again = await fleet.answer('True', 'web-2-before-second');
  expect(again.guard.map(({ rule }) => rule)).toEqual(['blast-radius-objects']);
  expect(again.guard[0]!.removalDigest).not.toBe(digest);
});
