import type { Approver } from '../../../api/approver.ts';
import type { ApprovedRemoval } from '../../../api/gitfleet.ts';
import type { Condition } from '../../../api/meta.ts';
import { placementKey } from '../../../api/placement.ts';
import type { ApprovalRequest, StagedUpdateRun } from '../../../api/staged.ts';
import type { UpgradeGate } from '../../../api/upgrade-gate.ts';
import { removalName } from '../../../engine/gate/removal-approval.ts';
import type { FleetRecord } from '../../../engine/input.ts';
import { assertNever } from '../../../engine/kernel/assert.ts';
import { formatInstant } from '../../../engine/kernel/instant.ts';
import { resolveCommit } from '../../../git/resolve-commit.ts';
import {
  type RemovalToApprove,
  removalApprovalObject,
  type UnusedApproval,
} from '../../../repo/record/removals-to-approve.ts';
import type { RequestPage } from '../../../repo/record/summary.ts';
import { titleOf } from '../../../repo/title-of.ts';
import { type ApprovalPage, askedGate, proposalPage as requestForRun } from '../../../report/approval/approval-page.ts';
import { removalCounts, removalPage as requestForRemoval } from '../../../report/approval/removal-page.ts';
import { type Proposed, proposedRuns } from '../../../report/proposed-runs.ts';
import { recordedApproval } from '../../../report/recorded-approval.ts';
import { upgradeBrings } from '../../../report/upgrades/progress.ts';
import { waitsOfApproval } from '../../../report/waits/waits.ts';
import { fleetAsPlanned } from '../../status/fleet-as-planned.ts';
import type { Status, StatusReader } from '../../status/open-status.ts';
import { answeredText, withAnswers } from '../../status/refused-text.ts';
import { namesOfKind } from '../kind-words.ts';
import { ageOf, type Cell, type Listing, listing, statusOf, timesOf } from '../listing.ts';
import { approvalFacts } from './approval-facts.ts';
import { approvalPage, gatePage, isClosed, pageObject, proposalPage, requestOfGate, requestOfStage } from './page.ts';
import { removalFacts, removalPage, unusedRemovalPage, usedRemovalPage } from './removal-pages.ts';

/** A request for approval: of a run, for a run that a profile proposes, or for a removal. */
type Asked =
  | { readonly approval: ApprovalRequest; readonly run: StagedUpdateRun | undefined }
  | { readonly gate: UpgradeGate; readonly askedAt: string | undefined }
  | { readonly proposed: Proposed }
  | { readonly removal: RemovalToApprove }
  /** Of a removal, and given. */
  | { readonly used: ApprovedRemoval }
  | { readonly unused: UnusedApproval };

/** `page`: of its pull request. */
type ApprovalRow = Asked & { readonly page: RequestPage | undefined };

const ofRun =
  (cell: (approval: ApprovalRequest) => Cell, ofGate: (gate: UpgradeGate) => Cell) =>
  (row: ApprovalRow): Cell => {
    if ('approval' in row) return cell(row.approval);
    return 'gate' in row ? ofGate(row.gate) : undefined;
  };

const scopeOf = ({ spec }: UpgradeGate): Cell => {
  const { stage, group } = spec.target.updateRunProperties;
  return group ?? stage;
};

/** A rejection is accepted at once, an approval once its gate is open. */
function answersOf(gate: UpgradeGate): { readonly [Type in (typeof conditionTypes)[number]]?: 'True' | 'False' } {
  const { answer } = recordedApproval(gate);
  if (answer === undefined) return {};
  const isAccepted = gate.status?.state !== 'Pending';
  const status = answer === 'approved' ? 'True' : 'False';
  return { Approved: status, ...(isAccepted && { ApprovalAccepted: status }) };
}

const conditionTypes = ['Approved', 'ApprovalAccepted'] as const;

/** A gate has a state instead. */
function conditionsOf(gate: UpgradeGate): Condition[] {
  const answers = answersOf(gate);
  return conditionTypes.flatMap((type) => {
    const status = answers[type];
    return status === undefined ? [] : [{ type, status, reason: `Gate${gate.status?.state ?? ''}` }];
  });
}

/** KubeFleet's columns of requests, then those of removals that need approval. */
export const approvals: Listing = listing<ApprovalRow>({
  names: [...namesOfKind('approvals'), 'approvalrequest', 'gates', 'gate'],
  clusterNames: ['clusterapprovalrequests', 'clusterapprovalrequest', 'careq'],
  namespacedNames: ['approvalrequests', 'areq'],
  folders: ['approvals', 'runs', 'upgrades', 'profiles', 'removals'],
  conditionTypes,
  items: ({ record, removals, unusedApprovals = [], pages }) => [
    ...[...record.approvals].map(([key, approval]): ApprovalRow => {
      const page = pages?.get(key);
      switch (approval.kind) {
        case 'ClusterApprovalRequest':
        case 'ApprovalRequest': {
          const scope = key.slice(0, key.length - approval.metadata.name.length);
          return { approval, page, run: record.runs.get(scope + approval.spec.parentStageRollout) };
        }
        case 'Gate':
          return { gate: approval, page, askedAt: askedAt(approval, record.upgrades) };
        default:
          return assertNever(approval);
      }
    }),
    ...[...proposedRuns(record)].map(([name, proposed]) => ({ proposed, page: pages?.get(name) })),
    ...removals.map((removal) => ({ removal, page: pages?.get(removal.name) })),
    ...[...record.removals.values()].map((used) => ({ used, page: undefined })),
    ...unusedApprovals.map((unused) => ({ unused, page: undefined })),
  ],
  describe(row) {
    if ('removal' in row) return { name: row.removal.name, isOurs: true, value: removalApprovalObject(row.removal) };
    if ('used' in row) return { name: removalName(row.used.spec.removalDigest), isOurs: true, value: row.used };
    if ('unused' in row) return { name: row.unused.name, isOurs: true, value: unusedObject(row.unused) };
    if ('proposed' in row) return { name: row.proposed.run.metadata.name, isOurs: true, value: row.proposed.run };
    if ('gate' in row) return { name: row.gate.metadata.name, isOurs: true, value: row.gate };
    const { approval, run } = row;
    return {
      name: approval.metadata.name,
      namespace: approval.metadata.namespace,
      ...(run ? { placement: titleOf({ name: run.spec.placementName, namespace: run.metadata.namespace }) } : {}),
      value: approval,
    };
  },
  async details(row, status, reader) {
    const page = await requestOf(row, status, reader);
    return page === undefined ? {} : { page: pageObject(page) };
  },
  async page(row, status, reader) {
    if ('removal' in row) return removalPage(row.removal, status);
    if ('used' in row) return usedRemovalPage(row.used, await timeOf(row.used.status.approvedBy, reader));
    if ('unused' in row) {
      const decided = await timeOf(row.unused.approvedBy, reader);
      return unusedRemovalPage(row.unused, { ...status, decided });
    }
    if ('proposed' in row) return proposalPage(row.proposed, status);
    if ('approval' in row) {
      const { read, facts } = await factsOf(row.approval, reader);
      return approvalPage(row.approval, { ...status, record: read.record }, facts);
    }
    return gatePage(row.gate, status, await membersOf(status, reader));
  },
  waits: (row, status) => ('approval' in row ? waitsOfApproval(row.approval, withAnswers(status)) : []),
  conditions: (row) => ('gate' in row ? conditionsOf(row.gate) : isGiven(row) ? givenConditions : undefined),
  columns: [
    {
      heading: 'UPDATE-RUN',
      cell: ofRun(
        ({ spec }) => spec.parentStageRollout,
        ({ spec }) => spec.target.updateRunProperties.name,
      ),
    },
    { heading: 'STAGE', cell: ofRun(({ spec }) => spec.targetStage, scopeOf) },
    {
      heading: 'APPROVED',
      cell: (row) =>
        isGiven(row)
          ? 'True'
          : ofRun(
              ({ status }) => statusOf(status?.conditions, 'Approved'),
              (gate) => answersOf(gate).Approved,
            )(row),
    },
    {
      heading: 'APPROVALACCEPTED',
      cell: (row) =>
        'used' in row
          ? 'True'
          : ofRun(
              ({ status }) => statusOf(status?.conditions, 'ApprovalAccepted'),
              (gate) => answersOf(gate).ApprovalAccepted,
            )(row),
    },
    {
      heading: 'AGE',
      cell: (row, now) => {
        if ('removal' in row || 'unused' in row) return undefined;
        if ('used' in row) return ageOf(undefined, [row.used.status.at], now);
        if ('proposed' in row) return ageOf(row.proposed.run.metadata, [row.proposed.at], now);
        if ('gate' in row) return ageOf(row.gate.metadata, [row.askedAt], now);
        return ageOf(row.approval.metadata, requestedAt(row.approval, row.run), now);
      },
    },
    { heading: 'TYPE', cell: typeOf },
    { heading: 'PULL-REQUEST', cell: ({ page }) => page?.state },
    { heading: 'URL', wide: true, cell: ({ page }) => page?.url },
    { heading: 'ABOUT', wide: true, cell: aboutOf },
  ],
});

/** A list of approvals needs nothing of what is read here: it is for the one that is described. */
async function factsOf(approval: ApprovalRequest, reader: StatusReader) {
  const read = await reader.read();
  const isAnswered = answeredText(placementKey(approval.metadata), read.notInEffect) !== undefined;
  if (isAnswered || isClosed(approval, askedGate(recordedApproval(approval), read.record)))
    return { read, facts: undefined };
  const fleet = await fleetAsPlanned(read, reader);
  return { read, facts: await approvalFacts(approval, read, { fleet, reader }) };
}

/** What its pull request says; undefined where nothing is to be decided. */
async function requestOf(row: ApprovalRow, status: Status, reader: StatusReader): Promise<ApprovalPage | undefined> {
  if ('used' in row || 'unused' in row) return undefined;
  if ('proposed' in row) return requestForRun(row.proposed, { problems: status.reported });
  if ('removal' in row) return requestForRemoval(row.removal, { problems: status.reported, ...removalFacts(status) });
  if ('approval' in row) {
    const { read, facts } = await factsOf(row.approval, reader);
    return facts && requestOfStage(row.approval, read.record, facts);
  }
  return requestOfGate(row.gate, status, await membersOf(status, reader));
}

async function membersOf(status: Status, reader: StatusReader) {
  const { clusters } = (await reader.read(['clusters'])).record;
  return { fleet: await fleetAsPlanned(status, reader), clusters };
}

/** An approval of a removal that is on the followed branch. */
const isGiven = (row: ApprovalRow): boolean => 'used' in row || 'unused' in row;

const givenConditions: readonly Condition[] = [{ type: 'Approved', status: 'True', reason: 'Approved' }];

const unusedObject = ({ approvedBy, ...approval }: UnusedApproval): object => ({
  ...removalApprovalObject(approval),
  ...(approvedBy && { status: { approvedBy } }),
});

/** When the commit was made that brought an approval; undefined where it is not known here. */
async function timeOf(approver: Approver | undefined, { branches }: StatusReader): Promise<string | undefined> {
  if (approver === undefined) return undefined;
  const oid = await resolveCommit(branches, approver.commit).catch(() => undefined);
  return oid === undefined ? undefined : formatInstant((await branches.objects.commit(oid)).committer.at);
}

function typeOf(row: ApprovalRow): Cell {
  if ('removal' in row || isGiven(row)) return 'removal';
  if ('proposed' in row) return 'run';
  return 'gate' in row ? 'gate' : 'stage';
}

function aboutOf(row: ApprovalRow): Cell {
  if ('proposed' in row) return upgradeBrings(row.proposed.run);
  return 'removal' in row ? (removalCounts(row.removal) ?? row.removal.messages[0]) : undefined;
}

/** A gate has no time of its own; its entry in the run has. */
function askedAt({ metadata, spec }: UpgradeGate, runs: FleetRecord['upgrades']): string | undefined {
  const { stages = [] } = runs.get(spec.target.updateRunProperties.name)?.status ?? {};
  const scopes = stages.flatMap((stage) => [stage, ...stage.groups]);
  const gates = scopes.flatMap(({ beforeGates, afterGates }) => [...beforeGates, ...afterGates]);
  return gates.find(({ gateId }) => gateId === metadata.name)?.status.startTime;
}

/** The request has no time of its own; its task in the run has. */
const requestedAt = ({ metadata, status }: ApprovalRequest, run: StagedUpdateRun | undefined) => {
  const tasks = (run?.status?.stagesStatus ?? []).flatMap(
    ({ beforeStageTaskStatus = [], afterStageTaskStatus = [] }) => [...beforeStageTaskStatus, ...afterStageTaskStatus],
  );
  const task = tasks.find(({ approvalRequestName }) => approvalRequestName === metadata.name);
  return [...timesOf(task?.conditions), ...timesOf(status?.conditions)];
};
