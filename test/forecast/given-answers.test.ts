import { expect, it } from 'vitest';
import { effectText } from '../../src/report/effect/effect-text.ts';
import { PaperFleet, placement } from '../support/paper-fleet.ts';
import { effectOf, type Files, web } from './effect-of.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: Cluster';
const run = (name: string): string =>
  `${staged}StagedUpdateRun\nmetadata: {name: ${name}}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`;
const approval = (name: string): string =>
  `${staged}ApprovalRequest\nmetadata: {name: ${name}-after-all}\nspec: {parentStageRollout: ${name}, targetStage: all}\nstatus: {conditions: [{type: Approved, status: "True", reason: Approved}]}\n`;
const config = (maxClusters: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: {guard: {maxClusters: ${maxClusters}}, approvals: {handWritten: true}}\n`;
const files: Files = {
  ...web(),
  'fleet.yaml': config('4'),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'steps.yaml': `${staged}StagedUpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: all, labelSelector: {}, afterStageTasks: [{type: Approval}]}]}\n`,
  'run.yaml': run('web-1'),
};

it('a change that mends fleet.yaml gives no approvals of runs that are over', async () => {
  const paper = new PaperFleet(files);
  await paper.settle();
  const approved = { ...files, 'approvals/web-1.yaml': approval('web-1') };
  paper.files = approved;
  await paper.settle();
  expect(paper.record.get('runs/web-1.yaml')).toContain('UpdateRunSucceeded');
  const next = { ...approved, 'run-2.yaml': run('web-2') };
  paper.files = next;
  await paper.settle();
  paper.files = { ...next, 'fleet.yaml': config('four') };
  await paper.settle();
  const mended = effectText(await effectOf(paper, next));
  expect(mended.title).toBe('no change on any cluster');
  const both = { ...next, 'approvals/web-2.yaml': approval('web-2') };
  paper.files = { ...both, 'fleet.yaml': config('four') };
  await paper.settle();
  expect(effectText(await effectOf(paper, both)).title).toBe(
    'approves web-2-after-all: starts the end of the run; nothing else',
  );
});

it('an approval, a rejection and a removal name the run that starts after the one that they end', async () => {
  const paper = new PaperFleet({ ...files, 'run-2.yaml': run('web-2') });
  await paper.settle();
  const text = effectText(await effectOf(paper, { ...paper.files, 'approvals/web-1.yaml': approval('web-1') }));
  expect(text.title).toBe('approves web-1-after-all: starts the end of the run, for which web-2 waits; nothing else');
  expect(text.rollout[0]).toBe(
    'approves web-1-after-all: starts the end of the run: nothing is left after it; once the run is over, what waits for it: web-2',
  );
  const rejection = approval('web-1').replace('status: "True"', 'status: "False"');
  const rejects = effectText(await effectOf(paper, { ...paper.files, 'approvals/web-1.yaml': rejection }));
  expect(rejects.title).toContain('rejects update run web-1, for which web-2 waits');
  const removes = effectText(await effectOf(paper, { ...paper.files, 'run.yaml': '' }));
  expect(removes.title).toContain('removes update run web-1, for which web-2 waits');
});

it('a change that breaks fleet.yaml says that no approval counts then, where one is asked for', async () => {
  const paper = new PaperFleet(files);
  const broken = { ...files, 'fleet.yaml': config('four') };
  const rollout = async (of = broken) => effectText(await effectOf(paper, of)).rollout;
  const text = 'No approval counts while fleet.yaml is not valid: correct what is reported for it first.';
  await paper.settle();
  expect(await rollout()).toContain(text);
  const other = `${staged}StagedUpdateRun\nmetadata: {name: web-2}\nspec: {}\n`;
  for (const sound of [`${config('4')}---\n${other}`, other])
    expect(await rollout({ ...files, 'fleet.yaml': sound })).not.toContain(text);
  const { forecast } = effectText(await effectOf(paper, { ...broken, 'run-2.yaml': run('web-2') }));
  expect(forecast).toContain('approvals are never given');
  Object.assign(paper.files, { 'approvals/web-1.yaml': approval('web-1') });
  await paper.settle();
  expect(await rollout()).not.toContain(text);
});
