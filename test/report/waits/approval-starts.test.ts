import { expect, it } from 'vitest';
import { pauseBehind } from '../../../src/report/waits/approval-starts.ts';
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
