import type { ApprovalRequest } from '../../../api/staged.ts';
import { requestMessage } from '../../gate/approval-text.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import type { PlannedApproval } from '../../plan-document.ts';

/** Whether the request is still open: main neither approves nor rejects the present review. */
export const isUnanswered = ({ status }: PlannedApproval): boolean =>
  !status.conditions.some(({ type }) => type === 'Approved');

/** What an approval request is about. */
export const subjectOf = ({ targetStage, parentStageRollout }: ApprovalRequest['spec']): string =>
  `stage ${targetStage} of run ${parentStageRollout}`;

/**
 * The content of the one file on the branch `gitfleet/approve/<name>`. Merged unchanged it approves; edited to
 * `status: "False"` it rejects, which ends the run.
 */
export function approvalFile(planned: PlannedApproval): ApprovalRequest {
  const { kind, name, namespace, spec, reviewDigest } = planned;
  return {
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { [reviewAnnotation]: reviewDigest },
    },
    spec,
    status: {
      conditions: [
        {
          type: 'Approved',
          status: 'True',
          reason: 'Approved',
          message: requestMessage(subjectOf(spec)),
        },
      ],
    },
  };
}

/** A recorded request in the form that the plan gave it. */
export const asRequested = ({ kind, metadata, spec, status }: ApprovalRequest): PlannedApproval => ({
  kind,
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  spec,
  status: { conditions: status?.conditions ?? [] },
  reviewDigest: metadata.annotations?.[reviewAnnotation] ?? '',
});
