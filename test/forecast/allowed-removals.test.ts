import { expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { deployment, PaperFleet, placement } from '../support/paper-fleet.ts';
import { effectOf, type Files, web } from './effect-of.ts';

const api = 'apiVersion: gitfleet.dev/v1alpha1';
const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const files: Files = {
  ...web(),
  'fleet.yaml': `${api}\nkind: FleetConfig\nspec: {guard: {maxClusters: 1}}\n`,
  'pay.yaml': placement('pay', '{placementType: PickAll}', '{type: External}'),
  'resources/pay.yaml': deployment('pay', 'pay', 'pay:1'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: all, labelSelector: {}}]}\n`,
  'run.yaml': `${staged}UpdateRun\nmetadata: {name: pay-1}\nspec: {placementName: pay, stagedRolloutStrategyName: steps}\n`,
};

it('an approval of removals lets nothing go from a cluster that left before, though no run has forgotten it yet', async () => {
  const paper = new PaperFleet(files);
  await paper.settle();
  const left = { ...files, 'clusters/nyc.yaml': '' };
  paper.files = left;
  await paper.settle();
  const gone = { ...left, 'web.yaml': '' };
  paper.files = gone;
  const digest = (await paper.planOn()).guard[0]!.removalDigest!;
  paper.record = new Map([
    ...paper.record,
    ['daemon.yaml', `${api}\nkind: DaemonMemory\naskedRemovals: ["${digest}"]\n`],
  ]);
  const approval = `${api}\nkind: RemovalApproval\nmetadata: {name: all}\nspec: {removalDigest: "${digest}"}\n`;
  const text = effectText(await effectOf(paper, { ...gone, 'approvals/all.yaml': approval }));
  expect(text.title).toBe('approves all: removes 9 objects · 3 of 3 clusters');
  expect(text.rows).toEqual([['web (all)', '9', '-', '-', '3', '-', 'ams, fra, lon']]);
});
