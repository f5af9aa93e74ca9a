import { expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../../src/api/staged.ts';
import { answerMessage, approverMessage } from '../../../../src/engine/gate/approval-text.ts';
import {
  recordedStageApproval,
  stageApproval,
  subjectOf,
} from '../../../../src/engine/staged/approval/stage-approval.ts';

const spec = { parentStageRollout: 'web-1', targetStage: 'canary' };
const requested = {
  kind: 'ClusterApprovalRequest' as const,
  name: 'web-1-after-canary',
  spec,
  status: { conditions: [] },
  reviewDigest: 'sha256:1234',
};
const [asked] = stageApproval(requested, 'after').file.object.status!.conditions!;

it.each(['before', 'after'] as const)('a recorded approval %s a stage is the one that was requested', (timing) => {
  const approval = stageApproval({ ...requested, namespace: 'team' }, timing);
  expect(recordedStageApproval(approval.document!.value as unknown as ApprovalRequest)).toEqual(approval);
  expect(approval.document).toMatchObject({
    value: { metadata: { labels: { 'kubernetes-fleet.io/taskType': `${timing}Stage` } } },
  });
});

it.each([
  [
    'an approval that was merged unchanged',
    { ...asked!, status: 'True' },
    undefined,
    'stage canary of run web-1 was approved',
  ],
  ['a no', { ...asked!, status: 'False' }, undefined, 'stage canary of run web-1 was rejected'],
  ['one without a word', { status: 'True' }, undefined, 'stage canary of run web-1 was approved'],
  ['one with words of its own', { status: 'False', message: 'not on a Friday' }, 'not on a Friday', 'not on a Friday'],
] as const)('%s is reported as an answer, not as the request', (_, { status, ...words }, own, told) => {
  const { message } = words as { message?: string };
  expect(approverMessage(message, subjectOf(spec))).toBe(own);
  expect(answerMessage({ status, ...(message === undefined ? {} : { message }) }, subjectOf(spec))).toBe(told);
});
