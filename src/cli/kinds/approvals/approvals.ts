import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import { type RemovalToApprove, removalApprovalObject } from '../../../repo/record/removals-to-approve.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { waitsOfApproval } from '../../../report/waits/waits.ts';
import { ageOf, type Cell, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { approvalPage, removalPage } from './page.ts';

/** What a person is asked: by a run, or for a removal. */
type Asked =
  | { readonly approval: ApprovalRequest; readonly run: StagedUpdateRun | undefined }
  | { readonly removal: RemovalToApprove };

const ofRun =
  (cell: (approval: ApprovalRequest) => Cell) =>
  (asked: Asked): Cell =>
    'removal' in asked ? undefined : cell(asked.approval);

/** KubeFleet's columns of requests, and beside them the removals that a person may allow. */
export const approvals: Listing = listing<Asked>({
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
  describe(asked) {
    if ('removal' in asked)
      return { name: asked.removal.name, isOurs: true, value: removalApprovalObject(asked.removal) };
    const { approval, run } = asked;
    return {
      name: approval.metadata.name,
      namespace: approval.metadata.namespace,
      ...(run ? { placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }) } : {}),
      value: approval,
    };
  },
  page: (asked, status) =>
    'removal' in asked ? removalPage(asked.removal, status) : approvalPage(asked.approval, status),
  waits: (asked) => ('removal' in asked ? [] : waitsOfApproval(asked.approval)),
  columns: [
    { heading: 'UPDATE-RUN', cell: ofRun(({ spec }) => spec.parentStageRollout) },
    { heading: 'STAGE', cell: ofRun(({ spec }) => spec.targetStage) },
    { heading: 'APPROVED', cell: ofRun(({ status }) => statusOf(status?.conditions, 'Approved')) },
    { heading: 'APPROVALACCEPTED', cell: ofRun(({ status }) => statusOf(status?.conditions, 'ApprovalAccepted')) },
    {
      heading: 'AGE',
      cell: (asked, now) =>
        'removal' in asked ? undefined : ageOf(asked.approval.metadata, askedAt(asked.approval, asked.run), now),
    },
    { heading: 'ASKS-FOR', cell: (asked) => ('removal' in asked ? 'removal' : 'stage') },
    { heading: 'ABOUT', wide: true, cell: (asked) => ('removal' in asked ? asked.removal.messages[0] : undefined) },
  ],
});

/** Nobody writes down when an approval was asked for; its task in the run says so. */
const askedAt = ({ metadata, status }: ApprovalRequest, run: StagedUpdateRun | undefined) => {
  const tasks = (run?.status?.stagesStatus ?? []).flatMap(
    ({ beforeStageTaskStatus = [], afterStageTaskStatus = [] }) => [...beforeStageTaskStatus, ...afterStageTaskStatus],
  );
  const task = tasks.find(({ approvalRequestName }) => approvalRequestName === metadata.name);
  return [...timesOf(task?.conditions), ...timesOf(status?.conditions)];
};
