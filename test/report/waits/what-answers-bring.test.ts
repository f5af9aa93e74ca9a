import { expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/api/staged.ts';
import { approvalPage } from '../../../src/cli/kinds/approvals/page.ts';
import type { Plan } from '../../../src/engine/plan-document.ts';
import { forecast } from '../../../src/forecast/forecast.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { effectText } from '../../../src/report/effect/effect-text.ts';
import { forecastParts } from '../../../src/report/forecast/lines.ts';
import { assumptions, effectOf } from '../../forecast/effect-of.ts';
import { AskedRun, gate, rollsBack, runOf, stageOf, strategy } from '../../support/asked-run.ts';
import { upgradeMember, upgradeRun } from '../../support/cluster-upgrades.ts';
import { deployment, placement } from '../../support/paper-fleet.ts';

const first = 'To reject, which returns 1 cluster to the snapshot of before the run (stage first: a) and ends the run';
const stateOf = ({ runs }: Plan, name: string): string | undefined =>
  runs.find((run) => run.name === name)?.status.conditions?.find(({ type }) => type === 'Progressing')?.message;

/** What `describe approval` says. */
function pageOf({ paper }: AskedRun, name: string): string {
  const { record } = readRecord(paper.record);
  const status = { record, inPlace: false, reported: [], pages: new Map() };
  return approvalPage(record.approvals.get(name) as ApprovalRequest, status).join('\n');
}

it('a rejection of a run that is stopped rolls back once it is resumed', async () => {
  const fleet = await AskedRun.atGate();
  await fleet.commit({ 'run1.yaml': runOf('web-1', { annotations: rollsBack, spec: ', state: Stop' }) });
  const { instructions } = await fleet.page();
  expect(instructions).toContain(
    `${first}; not before someone resumes the run, which is stopped: gitfleet resume run web-1`,
  );
  expect(stateOf(await fleet.answer('False'), 'web-1')).toContain('stopped in the rollback of stage first');
});

it('a rejection in a freeze rolls back after it', async () => {
  const fleet = await AskedRun.atGate();
  await fleet.commit({
    'fleet.yaml': `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nmetadata: {name: fleet}\nspec: {freeze: [{name: lunch, schedule: "0 10 * * *", duration: 8h}]}\n`,
  });
  expect((await fleet.page()).instructions).toContain(`${first}; not before freeze lunch ends at`);
  const { holds } = await fleet.answer('False');
  expect(holds.map(({ message }) => message).join()).toContain('rolls back stage first once freeze lunch ends');
});

it('an approval and a rejection of a run that waits for another one bring nothing before that', async () => {
  const fleet = await AskedRun.atGate();
  const run = (spec = '') => ({ 'run1.yaml': runOf('web-1', { annotations: rollsBack, spec }) });
  await fleet.commit(run(', state: Stop'));
  await fleet.commit({ 'run2.yaml': runOf('web-2') });
  await fleet.commit(run());
  const waits = 'not before update run web-2 is over or stopped';
  const page = await fleet.page('web-1-before-rest');
  expect([page.lead[0], page.instructions]).toEqual([
    expect.stringContaining(waits),
    expect.stringContaining(`${first}; ${waits}`),
  ]);
  expect((await fleet.page('web-2-before-rest')).lead[0]).toContain('once the run is over, what waits for it: web-1');
  const { holds } = await fleet.answer('True', 'web-1-before-rest');
  expect(holds.map(({ reason }) => reason)).toContain('OtherRunActive');
});

it('an approval names clusters that a disruption budget holds back, or an upgrade in progress', async () => {
  const fleet = await AskedRun.atGate();
  await fleet.commit({
    'budget.yaml': `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementDisruptionBudget\nmetadata: {name: web, annotations: {gitfleet.dev/budget-scope: all}}\nspec: {minAvailable: 3}\n`,
  });
  expect((await fleet.facts()).waits).toEqual(['held back by the disruption budget of the placement: b, c']);
  const { holds } = await fleet.answer('True');
  expect(holds.flatMap(({ reason, subject }) => (reason === 'RolloutBudget' ? subject.clusterName : []))).toEqual([
    'b',
    'c',
  ]);
  const names = ['a', 'b', 'c'];
  const upgrading = await AskedRun.open(Object.assign({}, ...names.map((name) => upgradeMember(name))));
  const versions = { controlPlane: 'v1.30.9', pools: [{ name: 'np1', kubernetes: 'v1.30.9' }] };
  for (const name of names) upgrading.paper.versions.set(name, { versions });
  await upgrading.commit({
    'steps.yaml': strategy('steps', `name: all, labelSelector: {}, maxConcurrency: 5, before${gate}`),
    'run1.yaml': runOf('web-1'),
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
  });
  Object.assign(upgrading.paper.files, upgradeRun({}));
  await upgrading.pass(2);
  expect((await upgrading.facts()).waits).toEqual(['held back by upgrades of these clusters in progress: a']);
});

it('a cluster that left, or was evicted, returns to nothing', async () => {
  const left = await AskedRun.atGate();
  await left.commit({ 'clusters/a.yaml': '' });
  const page = await left.page();
  expect(page.instructions).toContain(
    `To reject, which ends the run; 1 cluster keeps what it has: a (it left the fleet)`,
  );
  expect(JSON.stringify(page.sections)).toContain('left the fleet since: a');
  await left.answer('False');
  expect(left.paper.record.get('runs/web-1.yaml')).toContain('rolled back 0 of 1 clusters');
  const evicted = await AskedRun.atGate();
  await evicted.commit({
    'evict.yaml':
      'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacementEviction\nmetadata: {name: ev}\nspec: {placementName: web, clusterName: a}\n',
  });
  expect((await evicted.page()).instructions).toContain(
    `ends the run; 1 cluster keeps what it has: a (something else has changed it since)`,
  );
});

it('after the record was lost, no cluster returns to what it had before that', async () => {
  const fleet = await AskedRun.open();
  fleet.paper.record = new Map();
  fleet.paper.restart();
  await fleet.pass();
  await fleet.commit({
    'run1.yaml': runOf('web-1', { annotations: `${rollsBack}, gitfleet.dev/progress-deadline: 5m` }),
    'steps.yaml': strategy('steps', `name: all, labelSelector: {}, maxConcurrency: 10, before${gate}`),
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
  });
  expect((await fleet.page()).lead[2]).toBe(
    `If a cluster fails, the run fails: those that it reached keep what they have, although it requests a rollback: a, b, c (what was there is not recorded any more).`,
  );
  expect((await fleet.facts()).refusal).toEqual({});
});

it.each([
  ['selectors that match nothing', { 'web.yaml': 'wep' }, 'its resource selectors match nothing'],
  ['a repo without resources', { 'resources/web.yaml': '' }, 'the repo has no resources'],
])('an approval that empties clusters by %s says that the guard may refuse it', async (_, change, why) => {
  const fleet = await AskedRun.open();
  const web = placement('web', '{placementType: PickAll}', '{type: External}').replace('name: web}]', 'name: wep}]');
  await fleet.commit({
    'steps.yaml': strategy('steps', stageOf('first', `, before${gate}`), stageOf('rest')),
    'run1.yaml': runOf('web-1'),
    ...('web.yaml' in change ? { 'web.yaml': web } : change),
  });
  expect((await fleet.facts()).refusal?.starts).toContain(why);
  expect((await fleet.answer('True')).guard.map(({ rule }) => rule)).toEqual(['everything-vanished']);
});

it('a change that ends a run which waits itself says of no other one that it follows', async () => {
  const fleet = await AskedRun.atGate({ 'run2.yaml': runOf('web-2'), 'run3.yaml': runOf('web-3') });
  const { paper } = fleet;
  const without = async (path: string): Promise<string> =>
    effectText(await effectOf(paper, { ...paper.files, [path]: '' })).title;
  expect(await without('run2.yaml')).toBe('removes update run web-2 · no change on any cluster');
  expect(await without('run1.yaml')).toContain('removes update run web-1, for which web-2, web-3 wait');
});

it('an approval of a run that was rolled back says what it allowed, and nothing of what may fail', async () => {
  const fleet = await AskedRun.atGate({
    'steps.yaml': strategy('steps', stageOf('first'), stageOf('rest', `, before${gate}, after${gate}`)),
  });
  await fleet.answer('True');
  await fleet.answer('False', 'web-1-after-rest');
  const page = pageOf(fleet, 'web-1-before-rest');
  expect(page).toContain('Approval allowed:\n  stage rest, 2 clusters, at most 5 at once: b, c\n  then the run waits');
  expect(page).toContain('rolled back since: a');
  expect(page).not.toMatch(/If a cluster fails|keep what|progress-deadline|not before/);
});

it('a forecast of a run that is stopped knows that its approval is given', async () => {
  const fleet = await AskedRun.atGate();
  await fleet.commit({ 'run1.yaml': runOf('web-1', { spec: ', state: Stop' }) });
  const needs = async () =>
    forecastParts(forecast(await fleet.paper.input(), assumptions)).flatMap(({ notes }) => notes);
  expect(await needs()).toEqual([expect.stringContaining('needs approval web-1-before-rest, requested at')]);
  await fleet.answer('True');
  expect(await needs()).toEqual([]);
});

/** Once `web-1` has updated a and b, and the gate before the removal from c asks. */
async function atRemoval(): Promise<AskedRun> {
  const pick = (...names: string[]): string =>
    placement('web', `{placementType: PickFixed, clusterNames: [${names}]}`, '{type: External}');
  const fleet = await AskedRun.open({ 'web.yaml': pick('a', 'b', 'c') });
  await fleet.commit({
    'web.yaml': pick('a', 'b'),
    'steps.yaml': strategy('steps', stageOf('first'), stageOf('rest', `, after${gate}`)),
    'run1.yaml': runOf('web-1'),
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
  });
  return fleet;
}

it('an approval whose run is over says what it allowed to remove', async () => {
  const fleet = await atRemoval();
  expect((await fleet.page()).lead[0]).toBe('Merging starts the removal from 1 cluster: c.');
  await fleet.answer('True');
  expect(pageOf(fleet, 'web-1-after-rest')).toContain('Approval allowed:\n  the removal from 1 cluster: c\n');
});

it('a preview of a rejection says when it ends the wait for the approval', async () => {
  const { paper } = await AskedRun.atGate();
  const [asked] = paper.last!.plan.approvals;
  const no = JSON.stringify(asked!.file!.object).replace('"status":"True"', '"status":"False"');
  const { rollout } = effectText(await effectOf(paper, { ...paper.files, 'approvals/web-1-before-rest.yaml': no }));
  expect(rollout.join('\n')).toMatch(/stage rest: needs approval web-1-before-rest, requested at .*, rejected at 2026/);
  expect(rollout.join('\n')).not.toContain('not given');
});

it('a preview of an approval of a stopped run says in its title that the run has to continue first', async () => {
  const fleet = await AskedRun.atGate();
  await fleet.commit({ 'run1.yaml': runOf('web-1', { spec: ', state: Stop' }) });
  const { paper } = fleet;
  const asked = paper.last!.plan.approvals.find(({ answer }) => answer === undefined);
  const given = { ...paper.files, 'approvals/web-1-before-rest.yaml': JSON.stringify(asked!.file!.object) };
  expect(effectText(await effectOf(paper, given)).title).toBe(
    'approves web-1-before-rest: starts rest (2 clusters), once the stopped run continues; nothing else',
  );
});

it('an approval whose run is over names no cluster that left before its end', async () => {
  const fleet = await atRemoval();
  await fleet.commit({ 'clusters/c.yaml': '' });
  await fleet.answer('True');
  expect(fleet.paper.record.get('runs/web-1.yaml')).toContain('c left the fleet: its binding is removed');
  expect(pageOf(fleet, 'web-1-after-rest')).toContain('Approval allowed:\n  the end of the run');
});

it('an approval compares what the clusters have that it starts, not those behind the next gate', async () => {
  const steps = strategy('steps', stageOf('first', `, before${gate}`), stageOf('rest', `, before${gate}`));
  const fleet = await AskedRun.open();
  const second = {
    'steps.yaml': steps,
    'run1.yaml': runOf('web-1'),
    'resources/web.yaml': deployment('web', 'web', 'web:2'),
  };
  await fleet.commit(second);
  await fleet.answer('True', 'web-1-before-first');
  await fleet.answer('False', 'web-1-before-rest');
  await fleet.commit({ 'run2.yaml': runOf('web-2'), 'resources/web.yaml': deployment('web', 'web', 'web:3') });
  expect((await fleet.page('web-2-before-first')).lead[1]).toContain('Placement web: from snapshot 1 to 2.');
  await fleet.answer('True', 'web-2-before-first');
  expect((await fleet.page('web-2-before-rest')).lead[1]).toContain('Placement web: from snapshot 0 to 2.');
});
