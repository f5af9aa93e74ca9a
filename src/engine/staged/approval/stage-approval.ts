import type { Condition } from '../../../api/meta.ts';
import type { ApprovalRequest } from '../../../api/staged.ts';
import { requestMessage } from '../../gate/approval-text.ts';
import { reviewAnnotation } from '../../gate/review.ts';
import { findCondition } from '../../kernel/condition.ts';
import type { PlannedApproval, RecordDocument, RequestedApproval } from '../../plan-document.ts';
import { objectDocument } from '../../record/documents.ts';
import type { GateTiming } from './stage-gates.ts';

/** The approval of a stage of an update run. */
export interface StageApproval extends RequestedApproval {
  readonly planned: PlannedStageApproval;
  readonly file: { readonly path: undefined; readonly object: ApprovalRequest };
}

interface PlannedStageApproval extends PlannedApproval {
  readonly kind: ApprovalRequest['kind'];
  readonly spec: ApprovalRequest['spec'];
  readonly status: { readonly conditions: readonly Condition[] };
  readonly reviewDigest: string;
}

/** What is requested, with its file and its document. */
export const stageApproval = (planned: PlannedStageApproval, timing: GateTiming, approvedBy?: string): StageApproval =>
  approvalWith(planned, { approvedBy, document: documentOf(planned, timing) });

/** A recorded approval as it was requested. */
export function recordedStageApproval(recorded: ApprovalRequest): StageApproval {
  const { kind, metadata, spec, status } = recorded;
  const planned = {
    kind,
    name: metadata.name,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    spec,
    status: { conditions: status?.conditions ?? [] },
    reviewDigest: metadata.annotations?.[reviewAnnotation] ?? '',
  };
  return approvalWith(planned, { approvedBy: undefined, document: objectDocument(recorded) });
}

/** What an approval request is about. */
export const subjectOf = ({ targetStage, parentStageRollout }: ApprovalRequest['spec']): string =>
  `stage ${targetStage} of run ${parentStageRollout}`;

function approvalWith(
  planned: PlannedStageApproval,
  { approvedBy, document }: Pick<RequestedApproval, 'approvedBy'> & { readonly document: RecordDocument },
): StageApproval {
  const { kind, namespace, spec, status } = planned;
  const approved = findCondition(status.conditions, 'Approved');
  return {
    planned,
    answer: approved && (approved.status === 'True' ? 'approved' : 'rejected'),
    approvedBy,
    subject: {
      kind: kind === 'ClusterApprovalRequest' ? 'ClusterStagedUpdateRun' : 'StagedUpdateRun',
      name: spec.parentStageRollout,
      ...(namespace === undefined ? {} : { namespace }),
      stage: spec.targetStage,
    },
    file: { path: undefined, object: requestFile(planned) },
    document,
  };
}

/** Merged unchanged it approves; edited to `status: "False"` it rejects, which ends the run. */
const requestFile = ({ kind, name, namespace, spec, reviewDigest }: PlannedStageApproval): ApprovalRequest => ({
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
});

/** The request as KubeFleet labels it (updaterun/execution.go), with what was reviewed as annotation. */
const documentOf = (planned: PlannedStageApproval, timing: GateTiming): RecordDocument =>
  objectDocument({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: planned.kind,
    metadata: {
      name: planned.name,
      ...(planned.namespace ? { namespace: planned.namespace } : {}),
      labels: {
        'kubernetes-fleet.io/targetUpdateRun': planned.spec.parentStageRollout,
        'kubernetes-fleet.io/targetUpdatingStage': planned.spec.targetStage,
        'kubernetes-fleet.io/taskType': timing === 'before' ? 'beforeStage' : 'afterStage',
        'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
      },
      annotations: { [reviewAnnotation]: planned.reviewDigest },
    },
    spec: planned.spec,
    status: planned.status,
  });
