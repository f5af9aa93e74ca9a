import { expect, it } from 'vitest';
import { approvalStarts, pauseBehind } from '../../../src/report/waits/approval-starts.ts';
import { stageTasks } from '../../../src/report/waits/stage-tasks.ts';
import type { Files } from '../../forecast/effect-of.ts';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const freeze = (schedule: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: lunch, schedule: "${schedule}", duration: 1h}]}\n`;
const files: Files = {
  'clusters/a.yaml': member('a', { stage: 'first' }),
  'clusters/b.yaml': member('b', { stage: 'rest' }),
  'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
  'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: first, labelSelector: {matchLabels: {stage: first}}, afterStageTasks: [{type: TimedWait, waitTime: 2h}, {type: Approval}]}, {name: rest, labelSelector: {matchLabels: {stage: rest}}}]}\n`,
  'run.yaml': `${staged}UpdateRun\nmetadata: {name: web-1}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`,
  'resources/web.yaml': deployment('web', 'web', 'web:1'),
};

it.each([
  ['begins before the soak ends', '0 12 * * *', 'freeze lunch ends at 2026-11-20T13:00:00Z'],
  ['ends before the soak', '3 10 * * *', undefined],
])('an approval waits for a freeze that is active once the soak is over: one that %s', async (_, schedule, ends) => {
  const paper = new PaperFleet({ ...files, 'fleet.yaml': freeze(schedule) });
  for (let step = 0; step < 5; step++) {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  }
  const { contents, plan } = paper.last!;
  const run = { ...contents.world.admitted.runs[0]!, status: plan.runs[0]!.status };
  const task = stageTasks(run).find(({ type }) => type === 'Approval')!;
  expect([task.isOpen, pauseBehind(run, task, contents)]).toEqual([true, ends]);
});

it('an approval starts nothing while that of the stage before is withdrawn', async () => {
  const tasks = (when: string) => `${when}StageTasks: [{type: Approval}]`;
  const paper = new PaperFleet({
    ...files,
    'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [{name: first, labelSelector: {matchLabels: {stage: first}}, ${tasks('after')}}, {name: rest, labelSelector: {matchLabels: {stage: rest}}, ${tasks('before')}}]}\n`,
  });
  const starts = () => {
    const { contents, plan } = paper.last!;
    const run = { ...contents.world.admitted.runs[0]!, status: plan.runs[0]!.status };
    const asked = stageTasks(run).filter(({ isOpen }) => isOpen);
    return asked.map((task) => [task.approval, ...approvalStarts(run, task, { isRemovedFrom: () => true })]);
  };
  const pass = async () => {
    await paper.plan();
    paper.deliver();
    paper.pass(60);
  };
  for (let step = 0; step < 5; step++) {
    await pass();
    const after = paper.last!.plan.approvals.find(({ planned }) => planned.name === 'web-1-after-first');
    if (after?.file) paper.files['approvals/after.yaml'] = JSON.stringify(after.file.object);
  }
  const rest = 'stage rest, 1 cluster, at most 1 at once: b';
  expect(starts()).toEqual([['web-1-before-rest', rest]]);
  delete paper.files['approvals/after.yaml'];
  await pass();
  expect(starts()).toEqual([
    ['web-1-after-first', `nothing yet: ${rest}, also waits for approval web-1-before-rest`],
    ['web-1-before-rest', 'nothing yet: the run also waits for approval web-1-after-first'],
  ]);
});
