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

it('behind the last stage, approval removes what clusters have that the placement leaves', async () => {
  const paper = new PaperFleet(files('web-0', ['a', 'b']));
  const pass = async (): Promise<void> => {
    for (let step = 0; step < 6; step++) {
      await paper.plan();
      paper.deliver();
      paper.pass(60);
    }
  };
  await pass();
  paper.files = files('web-1', ['a'], ', afterStageTasks: [{type: Approval}]');
  await pass();
  const { plan, contents } = paper.last!;
  const { record } = readRecord(paper.record);
  const gate = askedGate(plan.approvals[0]!, record)!;
  const { changes } = await stageFacts(gate, { record, contents, config: undefined, history });
  expect(changes.map(({ action, object, clusters }) => [action, object.kind, clusters])).toEqual([
    ['remove', 'Deployment', ['b']],
    ['remove', 'Namespace', ['b']],
  ]);
});
