import type { UpdateRun } from '../../../api/upgrade-run.ts';
import type { GateStatus, GroupUpgrade, MemberUpgrade, StageUpgrade } from '../../../api/upgrade-status.ts';
import { approvedForLater, approvedText } from '../../../engine/gate/approver.ts';
import { approvalBranch, mergeCommand } from '../../../engine/gate/request.ts';
import { formatDuration } from '../../../engine/kernel/duration.ts';
import { formatInstant, parseInstant } from '../../../engine/kernel/instant.ts';
import { sourceOf } from '../../../engine/problem-of.ts';
import { isDone } from '../../../engine/upgrade/tree.ts';
import { isHalted } from '../../../report/upgrades/halted.ts';
import { upgradeTarget, versionChange } from '../../../report/upgrades/progress.ts';
import { fleetAsPlanned } from '../../status/fleet-as-planned.ts';
import type { Status, StatusReader } from '../../status/open-status.ts';
import { refusedText } from '../../status/refused-text.ts';
import { table } from '../../terminal/table.ts';
import { ageSince, fields, indent, sentences, titled } from '../page-text.ts';
import { waitsOfUpgrade } from './waits.ts';

/** What a page of a run shows of its gates. */
interface Asking {
  readonly inPlace: boolean;
  /** Approvals count later. */
  readonly isHalted: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A cluster update run: how far it is, then stages, groups and members with their versions, gates and waits. */
export async function upgradePage(run: UpdateRun, status: Status, reader: StatusReader): Promise<string[]> {
  const { kind, metadata } = run;
  const stages = run.status?.stages ?? [];
  const fleet = isHalted(run) ? await fleetAsPlanned(status, reader) : undefined;
  const file = fleet && sourceOf(fleet, { kind, ...metadata })?.file;
  const refused = run.status && isDone(run.status) ? undefined : refusedText(status);
  return [
    head(run),
    titled('Waits for', sentences([...(refused === undefined ? [] : [refused]), ...waitsOfUpgrade(run, status, file)])),
    ...stages.map((stage) => stageText(stage, { inPlace: status.inPlace, isHalted: isHalted(run), now: status.now })),
  ];
}

function head({ kind, metadata, spec, status }: UpdateRun): string {
  const { state = 'NotStarted', startTime, completedTime, error } = status?.status ?? {};
  const images = status?.nodeImageSelection?.selectedNodeImageVersions.map(({ version }) => version) ?? [];
  return fields([
    ['Name', metadata.name],
    ['Kind', kind],
    ['Type', spec.managedClusterUpdate.upgrade.type],
    ['Target', upgradeTarget({ spec })],
    images.length === 0 ? undefined : ['Images', images.join(', ')],
    ['Strategy', spec.updateStrategyId ?? (spec.strategy ? 'its own' : 'one by one')],
    ['State', error === undefined ? state : `${state}: ${error.message}`],
    ['Attempt', status?.attempt],
    ['Started', startTime],
    completedTime === undefined ? undefined : ['Ended', completedTime],
  ]);
}

function stageText(stage: StageUpgrade, asking: Asking): string {
  const wait = stage.afterStageWaitStatus;
  const lines = [
    ...gateLines('before', stage.beforeGates, asking),
    ...stage.groups.map((group) => groupText(group, asking)),
    ...gateLines('after', stage.afterGates, asking),
    ...(wait
      ? [`soak of ${formatDuration(wait.waitDurationInSeconds * 1000)}: ${wait.status.state}${endOf(wait)}`]
      : []),
  ];
  return [`Stage ${stage.name}: ${stateText(stage)}, ${limitsText(stage)}`, ...lines.map(indent)].join('\n');
}

const limitsText = ({ maxConcurrency, failureCount, maxAllowedFailures }: StageUpgrade | GroupUpgrade): string =>
  `at most ${maxConcurrency} at once, ${failureCount} failed (${maxAllowedFailures} allowed)`;

function endOf({ status, waitDurationInSeconds }: NonNullable<StageUpgrade['afterStageWaitStatus']>): string {
  const since = parseInstant(status.startTime ?? '');
  return status.state !== 'Running' || since === undefined
    ? ''
    : ` until ${formatInstant(since + waitDurationInSeconds * 1000)}`;
}

function groupText(group: GroupUpgrade, asking: Asking): string {
  const { members } = group;
  const done = members.filter(isDone).length;
  const lines = [
    ...gateLines('before', group.beforeGates, asking),
    ...(members.length === 0
      ? []
      : [
          table(
            ['CLUSTER', 'STATE', 'AGE', 'VERSIONS', 'WHY'],
            members.map((member) => memberRow(member, asking.now)),
          ),
        ]),
    ...gateLines('after', group.afterGates, asking),
  ];
  return [
    `Group ${group.name}: ${stateText(group)}, ${done}/${members.length} done, ${limitsText(group)}`,
    ...lines.map(indent),
  ].join('\n');
}

const stateText = ({ status: { state, error } }: StageUpgrade | GroupUpgrade): string =>
  error === undefined ? state : `${state} (${error.message})`;

const memberRow = ({ name, status, message, ...member }: MemberUpgrade, now: number): (string | undefined)[] => [
  name,
  status.state,
  ageSince(status.completedTime ?? status.startTime, now),
  versionChange(member),
  status.error ? `${status.error.code}: ${status.error.message}` : message,
];

/** A gate, and the line to merge where it is open. */
const gateLines = (timing: string, gates: readonly GateStatus[], { inPlace, isHalted }: Asking): string[] =>
  gates.flatMap(({ displayName, type, gateId, absoluteStartTime, approvedBy, status: { state, error } }) => {
    const title = displayName === undefined ? type : `${type} "${displayName}"`;
    const opens = absoluteStartTime !== undefined && state === 'Pending' ? `, opens at ${absoluteStartTime}` : '';
    const isRejected = error?.code === 'ApprovalRejected';
    const isPending = state === 'Pending' && !isRejected;
    const by = isPending ? approvedForLater(approvedBy) : approvedText(approvedBy);
    const isAsked = isPending && by === undefined && type === 'Approval' && gateId !== undefined;
    const why = error === undefined ? '' : ` (${error.message})`;
    const later = isAsked && isHalted ? '; an approval counts once the run continues' : '';
    return [
      `${timing} it: ${title}: ${isRejected ? 'Rejected' : state}${why}${opens}${by === undefined ? '' : `, ${by}`}${later}`,
      ...(isAsked ? [indent(mergeCommand(approvalBranch({ name: gateId }), inPlace))] : []),
    ];
  });
