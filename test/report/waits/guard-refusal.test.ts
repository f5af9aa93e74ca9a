import { expect, it } from 'vitest';
import { stageFacts } from '../../../src/daemon/requests/stage-facts.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { askedGate } from '../../../src/report/approval/approval-page.ts';
import { configMap, type Files } from '../../forecast/effect-of.ts';
import { deployment, member, PaperFleet, placement } from '../../support/paper-fleet.ts';

const staged = 'apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStaged';
const gate = 'StageTasks: [{type: Approval}]';
const config = (guard: string): string =>
  `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {guard: ${guard}}\n`;

/** Stage `first` with one cluster, stage `rest` with two: gates before and after the second. */
function files(run: string, { atOnce = '100%', guard = '{maxClusters: 1}', policy = '' } = {}): Files {
  const stage = (name: string, more: string): string =>
    `{name: ${name}, maxConcurrency: ${atOnce}, labelSelector: {matchLabels: {stage: ${name}}}${more}}`;
  return {
    ...{ 'clusters/a.yaml': member('a', { stage: 'first' }), 'fleet.yaml': config(guard) },
    ...{ 'clusters/b.yaml': member('b', { stage: 'rest' }), 'clusters/c.yaml': member('c', { stage: 'rest' }) },
    'web.yaml': placement('web', '{placementType: PickAll}', '{type: External}'),
    'steps.yaml': `${staged}UpdateStrategy\nmetadata: {name: steps}\nspec: {stages: [${stage('first', '')}, ${stage('rest', run === 'web-0' ? '' : `, before${gate}, after${gate}`)}]}\n`,
    'run.yaml': `${staged}UpdateRun\nmetadata: {name: ${run}${policy}}\nspec: {placementName: web, stagedRolloutStrategyName: steps}\n`,
    'resources/web.yaml': deployment('web', 'web', 'web:1'),
  };
}

const rollsBack = ', annotations: {gitfleet.dev/on-failure: rollback}';
const extra = { 'resources/extra.yaml': configMap('extra', '1'), 'resources/more.yaml': configMap('more', '1') };

const history = { commitsBetween: async () => [], changingMoreThan: async () => [] };

/** A fleet whose run `web-1` waits at its first gate; how pages see a gate, and what plans find once it is answered. */
async function atGate(before: Files, next: Files) {
  const paper = new PaperFleet(before);
  const pass = async (): Promise<Plan> => {
    let plan = await paper.planOn();
    for (let step = 0; step < 6 && plan.guard.length === 0; step++) {
      paper.deliver();
      paper.pass(60);
      plan = await paper.planOn();
    }
    return plan;
  };
  await pass();
  paper.files = next;
  await pass();
  const asked = () => paper.last!.plan.approvals.find(({ answer }) => answer === undefined)!;
  return {
    paper,
    pass,
    facts: async () => {
      const { record } = readRecord(paper.record);
      const { contents } = paper.last!;
      return stageFacts(askedGate(asked(), record)!, { record, contents, config: undefined, history });
    },
    answer: async (answer: 'True' | 'False'): Promise<Plan> => {
      const { object } = asked().file!;
      const text = JSON.stringify(object).replace('"status":"True"', `"status":"${answer}"`);
      paper.files[`approvals/${object.metadata.name}.yaml`] = text;
      return pass();
    },
  };
}

const needs = 'then gitfleet requests an approval of removals, and nothing else rolls out before it is given';

it.each([
  ['of two clusters at once', {}, 'at most 1 cluster may lose something at once, and 2 would'],
  ['of one cluster after the other', { atOnce: '1' }, undefined],
  ['of two objects of a cluster', { guard: '{maxObjectsPerCluster: 2}' }, undefined],
  [
    'of more objects of a cluster than may go',
    { guard: '{maxObjectsPerCluster: 1}' },
    'b, c would lose too many of their objects',
  ],
])('an approval that starts removals %s says what the guard makes of them', async (_, of, why) => {
  const fleet = await atGate({ ...files('web-0'), ...extra }, files('web-1', { ...of, guard: '{}' }));
  Object.assign(fleet.paper.files, files('web-1', of));
  await fleet.pass();
  const { refusal } = await fleet.facts();
  expect(refusal).toEqual(
    why === undefined ? {} : { starts: `it removes objects, which the guard may refuse (${why}): ${needs}` },
  );
  const { guard } = await fleet.answer('True');
  expect(guard.length > 0).toBe(why !== undefined);
});

it.each([
  ['two clusters at once', {}, 'at most 1 cluster may lose something at once, and 2 would'],
  ['one cluster after the other', { atOnce: '1' }, undefined],
])(
  'a rejection whose rollback removes what the run added from %s says what the guard makes of it',
  async (_, of, why) => {
    const next = { ...files('web-1', { ...of, policy: rollsBack }), ...extra };
    const fleet = await atGate(files('web-0', of), next);
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
