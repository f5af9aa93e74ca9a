import type { ApprovalRequest, StagedUpdateRun } from '../../api/staged.ts';
import { progressText, stagesDone } from '../../engine/staged/progress-text.ts';
import { type RemovalAsked, removalApprovalObject } from '../../repo/record/removals-asked.ts';
import { titleOf } from '../../repo/title-of.ts';
import { ageOf, type Cell, type Listing, listing, statusOf, timesOf } from './listing.ts';

/** KubeFleet's columns (stageupdate_types.go), then how far it is and what it waits for. */
export const runs: Listing = listing<StagedUpdateRun>({
  names: ['runs', 'run', 'updateruns', 'updaterun'],
  clusterNames: ['clusterstagedupdateruns', 'clusterstagedupdaterun', 'csur'],
  namespacedNames: ['stagedupdateruns', 'stagedupdaterun', 'sur'],
  folders: ['runs'],
  items: ({ record }) => [...record.runs.values()],
  describe: (run) => ({
    name: run.metadata.name,
    namespace: run.metadata.namespace,
    placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }),
    value: run,
  }),
  columns: [
    { heading: 'PLACEMENT', cell: ({ spec }) => spec.placementName },
    {
      heading: 'RESOURCE-SNAPSHOT-INDEX',
      cell: ({ spec, status }) => status?.resourceSnapshotIndexUsed ?? spec.resourceSnapshotIndex,
    },
    { heading: 'POLICY-SNAPSHOT-INDEX', cell: ({ status }) => status?.policySnapshotIndexUsed },
    { heading: 'INITIALIZED', cell: ({ status }) => statusOf(status?.conditions, 'Initialized') },
    { heading: 'PROGRESSING', wide: true, cell: ({ status }) => statusOf(status?.conditions, 'Progressing') },
    { heading: 'SUCCEEDED', cell: ({ status }) => statusOf(status?.conditions, 'Succeeded') },
    { heading: 'AGE', cell: ({ metadata, status }, now) => ageOf(metadata, timesOf(status?.conditions), now) },
    { heading: 'STAGES', wide: true, cell: ({ status }) => status && stagesDone(status) },
    { heading: 'STATE', wide: true, cell: ({ status }) => progressText(status) },
  ],
});

/** What a person is asked: by a run, or for a removal. */
export type Asked =
  | { readonly approval: ApprovalRequest; readonly run: StagedUpdateRun | undefined }
  | { readonly removal: RemovalAsked };

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
