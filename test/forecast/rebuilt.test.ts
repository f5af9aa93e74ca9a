import { expect, it } from 'vitest';
import type { Manifest } from '../../src/api/meta.ts';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, PaperFleet, placement } from '../support/paper-fleet.ts';
import { effectOf, type Files, web } from './effect-of.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const run = (name: string): string =>
  `${staged}UpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`;
const files: Files = {
  ...web(),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
  'run.yaml': run('web-1'),
};

/** As a server completes it. */
const completed = (object: Manifest): Manifest =>
  object.kind === 'Deployment'
    ? { ...object, spec: { ...(object['spec'] as object), progressDeadlineSeconds: 600 } }
    : object.kind === 'Namespace'
      ? { ...object, spec: { finalizers: ['kubernetes'] } }
      : object;

it('after the record was lost, what servers added to objects is no change', async () => {
  const paper = new PaperFleet(files);
  await paper.settle();
  for (const held of paper.members.values())
    for (const [key, of] of held) held.set(key, { ...of, objects: of.objects.map(completed) });
  paper.record = new Map();
  paper.restart();
  await paper.settle();
  const again = await effectOf(paper, { ...files, 'run-2.yaml': run('web-2') });
  expect(effectText(again).changes.map(({ title }) => title)).toEqual([]);
  const next = { ...files, 'run-2.yaml': run('web-2'), 'resources/web.yaml': deployment('web', 'web', 'web:2') };
  const [change, ...others] = (await effectOf(paper, next)).changes;
  expect(others).toEqual([]);
  expect(change?.diff.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
    '-           image: web:1',
    '+           image: web:2',
  ]);
  const less = {
    ...files,
    'run-2.yaml': run('web-2'),
    'resources/web.yaml': files['resources/web.yaml']!.replace('  replicas: 2\n', ''),
  };
  const [removed] = (await effectOf(paper, less)).changes;
  expect(removed?.diff.split('\n').filter((line) => /^[-+]/.test(line))).toEqual(['-   replicas: 2']);
});

it('after the record was lost, what an override added is removed with it', async () => {
  const override = `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ResourceOverride\nmetadata: {name: size, namespace: web}\nspec:\n  placement: {name: web}\n  resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}]\n  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, jsonPatchOverrides: [{op: add, path: /metadata/labels, value: {size: large}}]}]}\n`;
  const paper = new PaperFleet({ ...files, 'size.yaml': override });
  await paper.settle();
  paper.record = new Map();
  paper.restart();
  await paper.settle();
  const [change] = (await effectOf(paper, { ...files, 'run-2.yaml': run('web-2') })).changes;
  expect(change?.diff).toContain('-     size: large');
});
