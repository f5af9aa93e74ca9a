import { expect, it } from 'vitest';
import { answerMessage, approverMessage } from '../../../../src/engine/gate/approval-text.ts';
import { approvalFile, subjectOf } from '../../../../src/engine/staged/approval/request-file.ts';

const spec = { parentStageRollout: 'web-1', targetStage: 'canary' };
const file = approvalFile({
  kind: 'ClusterApprovalRequest',
  name: 'web-1-after-canary',
  spec,
  status: { conditions: [] },
  reviewDigest: 'sha256:1234',
});
const [asked] = file.status!.conditions!;

it.each([
  [
    'a yes that was merged as it stood',
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
