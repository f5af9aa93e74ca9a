import type { ApprovalRequest } from '../../../api/staged.ts';
import type { PlannedApproval } from '../../plan-document.ts';
import { reviewAnnotation } from './answer.ts';
import { question } from './wording.ts';

/** Whether a person is still asked: main says neither yes nor no to what is reviewed now. */
export const isUnanswered = ({ status }: PlannedApproval): boolean =>
  !status.conditions.some(({ type }) => type === 'Approved');

/**
 * What `approvals/<name>.yaml` on the branch `gitfleet/approve/<name>` must hold: merged as it stands it is the yes;
 * edited to `status: "False"` it is the no that ends the run.
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
          message: question(spec),
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
