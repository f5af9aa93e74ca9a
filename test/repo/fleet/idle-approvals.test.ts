import { expect, it } from 'vitest';
import { idleApprovals, unreviewedApprovals } from '../../../src/repo/fleet/idle-approvals.ts';
import { loadFleet } from '../../../src/repo/fleet/load-fleet.ts';
import { readRecord } from '../../../src/repo/record/read.ts';
import { treeOf } from '../../support/paper-fleet.ts';

const approval = (name: string, stage: string, more = '', answer = 'True'): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1
kind: ClusterApprovalRequest
metadata: {name: ${name}${more}}
spec: {parentStageRollout: web-1, targetStage: ${stage}}
status: {conditions: [{type: Approved, status: "${answer}", reason: Given, message: fine}]}
`;
const reviewed = ', annotations: {gitfleet.dev/review: "sha256:1"}';
const load = (text: string, more = {}) => loadFleet(treeOf({ 'approvals/a.yaml': text, ...more }));
const noRecord = readRecord(new Map()).record;
const begun = {
  ...noRecord,
  runs: new Map([
    [
      'web-1',
      {
        status: { stagesStatus: [{ stageName: 'canary', clusters: [], afterStageTaskStatus: [{ type: 'Approval' }] }] },
      },
    ],
  ]) as never,
};

it.each([
  ['of another name', 'web-1-after-canar', 'canary', noRecord, 'did you mean web-1-after-canary?'],
  ['of a stage that its run does not have', 'web-1-after-canar', 'canar', begun, 'did you mean web-1-after-canary?'],
  ['of another timing', 'web-1-before-canary', 'canary', begun, undefined],
  ['of a run that is not there yet', 'web-1-before-canary', 'canary', noRecord, 'none'],
  ['by the older name', 'web-1-canary', 'canary', begun, 'none'],
])('an approval %s', async (_, name, stage, record, expected) => {
  const [problem] = idleApprovals(await load(approval(name, stage, reviewed)), record);
  if (expected === 'none') return expect(problem).toBeUndefined();
  expect(problem).toMatchObject({
    severity: 'warning',
    file: 'approvals/a.yaml',
    message: `ClusterApprovalRequest ${name}: run web-1 asks for no such approval, so this file has no effect`,
    ...(expected && { fix: expected }),
  });
});

it.each([
  ['without a review', approval('web-1-after-canary', 'canary'), '', 1],
  ['with one', approval('web-1-after-canary', 'canary', reviewed), '', 0],
  ['that rejects', approval('web-1-after-canary', 'canary', '', 'False'), '', 0],
  ['where handwritten ones count', approval('web-1-after-canary', 'canary'), '{approvals: {handWritten: true}}', 0],
])('validate counts an approval %s', async (_, text, config, count) => {
  const file = `apiVersion: gitfleet.dev/v1alpha1\nkind: FleetConfig\nspec: ${config}\n`;
  const fleet = await load(text, config === '' ? {} : { 'fleet.yaml': file });
  expect(unreviewedApprovals(fleet, noRecord).map(({ severity, code }) => [severity, code])).toEqual(
    Array.from({ length: count }, () => ['error', 'approval-without-review']),
  );
});

it.each([
  ['that its run accepted while it counted', 'True', 0],
  ['that its run is waiting for', 'False', 1],
])('validate counts an approval without a review %s', async (_, status, count) => {
  const task = {
    type: 'Approval',
    conditions: [{ type: 'ApprovalRequestApproved', status, reason: 'A', message: '', lastTransitionTime: '' }],
  };
  const stagesStatus = [{ stageName: 'canary', clusters: [], afterStageTaskStatus: [task] }];
  const record = { ...noRecord, runs: new Map([['web-1', { status: { stagesStatus } }]]) as never };
  expect(unreviewedApprovals(await load(approval('web-1-after-canary', 'canary')), record)).toHaveLength(count);
});

it.each([
  ['Completed', 0],
  ['Pending', 1],
])('validate counts a gate without a review whose state is %s', async (state, count) => {
  const gate = `apiVersion: gitfleet.dev/v1alpha1
kind: Gate
metadata: {name: may-before-prod}
spec: {gateType: Approval, target: {updateRunProperties: {name: may, stage: prod, timing: Before}}, state: Completed}
`;
  const stages = [{ name: 'prod', beforeGates: [{ type: 'Approval', status: { state } }], afterGates: [], groups: [] }];
  const record = { ...noRecord, upgrades: new Map([['may', { status: { stages } }]]) as never };
  expect(unreviewedApprovals(await load(gate), record)).toHaveLength(count);
});
