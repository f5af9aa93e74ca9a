import { placementKey } from '../../api/placement.ts';
import type { RecordEntry } from '../domain.ts';
import { reviewAnnotation } from '../gate/review.ts';
import type { PlannedApproval, RecordDocument } from '../plan-document.ts';
import { directoryOf, objectDocument } from './documents.ts';

/** `approvals/<[ns.]name>.yaml` of all that is asked. */
export const approvalDocuments = (
  approvals: readonly PlannedApproval[],
  digest: (text: string) => string,
): RecordEntry[] =>
  directoryOf(
    'approvals',
    approvals.map((approval) => ({ name: placementKey(approval), document: approvalDocument(approval) })),
    digest,
  );

/** The request as KubeFleet labels it (updaterun/execution.go), with what was reviewed as annotation. */
export const approvalDocument = (approval: PlannedApproval): RecordDocument =>
  objectDocument({
    apiVersion: 'placement.kubernetes-fleet.io/v1',
    kind: approval.kind,
    metadata: {
      name: approval.name,
      ...(approval.namespace ? { namespace: approval.namespace } : {}),
      labels: {
        'kubernetes-fleet.io/targetUpdateRun': approval.spec.parentStageRollout,
        'kubernetes-fleet.io/targetUpdatingStage': approval.spec.targetStage,
        'kubernetes-fleet.io/taskType': taskTypeOf(approval),
        'kubernetes-fleet.io/isLatestUpdateRunApproval': 'true',
      },
      annotations: { [reviewAnnotation]: approval.reviewDigest },
    },
    spec: approval.spec,
    status: approval.status,
  });

const taskTypeOf = ({ name, spec: { parentStageRollout, targetStage } }: PlannedApproval): string =>
  name === `${parentStageRollout}-before-${targetStage}` ? 'beforeStage' : 'afterStage';
