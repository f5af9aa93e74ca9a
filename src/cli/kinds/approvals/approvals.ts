import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import { type RemovalToApprove, removalApprovalObject } from '../../../repo/record/removals-to-approve.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { waitsOfApproval } from '../../../report/waits/waits.ts';
import { ageOf, type Cell, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { approvalPage, removalPage } from './page.ts';

/** A request for approval: of a run, or for a removal. */
type ApprovalRow =
  | { readonly approval: ApprovalRequest; readonly run: StagedUpdateRun | undefined }
  | { readonly removal: RemovalToApprove };

const ofRun =
  (cell: (approval: ApprovalRequest) => Cell) =>
  (row: ApprovalRow): Cell =>
    'removal' in row ? undefined : cell(row.approval);

/** KubeFleet's columns of requests, then those of removals that need approval. */
export const approvals: Listing = listing<ApprovalRow>({
  names: ['approvals', 'approval', 'approvalrequest'],
  clusterNames: ['clusterapprovalrequests', 'clusterapprovalrequest', 'careq'],
  namespacedNames: ['approvalrequests', 'areq'],
  folders: ['approvals', 'runs'],
  conditionTypes: ['Approved', 'ApprovalAccepted'],
  items: ({ record, removals }) => [
    ...[...record.approvals].map(([key, approval]) => {
      const scope = key.slice(0, key.length - approval.metadata.name.length);
      return { approval, run: record.runs.get(scope + approval.spec.parentStageRollout) };
    }),
    ...removals.map((removal) => ({ removal })),
  ],
  describe(row) {
    if ('removal' in row) return { name: row.removal.name, isOurs: true, value: removalApprovalObject(row.removal) };
    const { approval, run } = row;
    return {
      name: approval.metadata.name,
      namespace: approval.metadata.namespace,
      ...(run ? { placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }) } : {}),
      value: approval,
    };
  },
  page: (row, status) => ('removal' in row ? removalPage(row.removal, status) : approvalPage(row.approval, status)),
  waits: (row) => ('removal' in row ? [] : waitsOfApproval(row.approval)),
  columns: [
    { heading: 'UPDATE-RUN', cell: ofRun(({ spec }) => spec.parentStageRollout) },
    { heading: 'STAGE', cell: ofRun(({ spec }) => spec.targetStage) },
    { heading: 'APPROVED', cell: ofRun(({ status }) => statusOf(status?.conditions, 'Approved')) },
    { heading: 'APPROVALACCEPTED', cell: ofRun(({ status }) => statusOf(status?.conditions, 'ApprovalAccepted')) },
    {
      heading: 'AGE',
      cell: (row, now) =>
        'removal' in row ? undefined : ageOf(row.approval.metadata, requestedAt(row.approval, row.run), now),
    },
    { heading: 'TYPE', cell: (row) => ('removal' in row ? 'removal' : 'stage') },
    { heading: 'ABOUT', wide: true, cell: (row) => ('removal' in row ? row.removal.messages[0] : undefined) },
  ],
});

/** The request has no time of its own; its task in the run has. */
const requestedAt = ({ metadata, status }: ApprovalRequest, run: StagedUpdateRun | undefined) => {
  const tasks = (run?.status?.stagesStatus ?? []).flatMap(
    ({ beforeStageTaskStatus = [], afterStageTaskStatus = [] }) => [...beforeStageTaskStatus, ...afterStageTaskStatus],
  );
  const task = tasks.find(({ approvalRequestName }) => approvalRequestName === metadata.name);
  return [...timesOf(task?.conditions), ...timesOf(status?.conditions)];
};
