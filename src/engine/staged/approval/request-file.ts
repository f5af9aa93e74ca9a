import type { ApprovalRequest } from '../../../api/staged.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import { question } from '../../gate/wording.ts';
import type { PlannedApproval } from '../../plan-document.ts';

/** Whether an approver is still asked: main neither approves nor rejects what is reviewed now. */
export const isUnanswered = ({ status }: PlannedApproval): boolean =>
  !status.conditions.some(({ type }) => type === 'Approved');

/** What an approval request asks to approve. */
export const subjectOf = ({ targetStage, parentStageRollout }: ApprovalRequest['spec']): string =>
  `stage ${targetStage} of run ${parentStageRollout}`;

/**
 * What `approvals/<name>.yaml` on the branch `gitfleet/approve/<name>` must hold: merged as it stands it approves; edited to
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
          message: question(subjectOf(spec)),
        },
      ],
    },
  };
}

/** A request as it was recorded, as the plan that made it had it. */
export const asAsked = ({ kind, metadata, spec, status }: ApprovalRequest): PlannedApproval => ({
  kind,
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  spec,
  status: { conditions: status?.conditions ?? [] },
  reviewDigest: metadata.annotations?.[reviewAnnotation] ?? '',
});
