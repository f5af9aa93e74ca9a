import type { UpdateRun } from '../../api/upgrade-run.ts';
import type { GateStatus, MemberUpgrade, StageUpgrade, UpgradeRunStatus } from '../../api/upgrade-status.ts';
import { formatInstant, parseInstant } from '../../engine/kernel/instant.ts';
import { listUpTo, shortList } from '../../engine/kernel/short-list.ts';
import { isInFlight, isTerminal, membersOf } from '../../engine/upgrade/tree.ts';
import { versionChange } from './progress.ts';

/** Causes of waiting that one line names. */
const mostCauses = 3;

/**
 * What a run does now, what it waits for, and what comes next: `stage dev (1 of 2): upgrading dev-1 (v1.31.8 → v1.32.4); next stage: prod`.
 * `file`: the one that the run is written in, where that is known.
 */
export function upgradeNow({ spec, status }: UpdateRun, file = 'its file'): string {
  const { state, error } = status?.status ?? { state: 'NotStarted' };
  const inFlight = (status?.stages ?? []).flatMap(membersOf).filter(isInFlight);
  switch (state) {
    case 'Failed': {
      const first =
        error?.code === 'ApprovalRejected' ? 'Remove the file that rejects it' : 'Repair or skip what failed';
      return `failed: ${error?.message ?? ''}. ${first}, then write attempt: ${(status?.attempt ?? 1) + 1} in ${file}`;
    }
    case 'Stopping': {
      const why = error === undefined ? 'stopped by its file' : `failing: ${error.message}`;
      return `${why}; upgrades in progress end first: ${shortList(inFlight.map(({ name }) => name))}`;
    }
    case 'Stopped':
      return 'stopped by its file; state: Started continues it';
    case 'NotStarted':
      return spec.state === 'Stopped' ? 'stopped by its file; state: Started starts it' : 'not started';
    default:
      return status === undefined ? '' : inStage(status);
  }
}

function inStage({ stages }: UpgradeRunStatus): string {
  const at = stages.findIndex((stage) => !isTerminal(stage));
  const stage = stages[at];
  if (stage === undefined) return '';
  const next = stages[at + 1];
  return [
    `stage ${stage.name} (${at + 1} of ${stages.length}): ${doings(stage).join('; ')}`,
    ...(next ? [`next stage: ${next.name}`] : []),
  ].join('; ');
}

function doings(stage: StageUpgrade): string[] {
  const members = membersOf(stage);
  const inFlight = members.filter(isInFlight);
  const waits = [
    ...[stage, ...stage.groups].flatMap(({ beforeGates, afterGates }) =>
      [...beforeGates, ...afterGates].flatMap(gateText),
    ),
    ...waitText(stage),
    ...memberWaits(members),
  ];
  return [...(inFlight.length === 0 ? [] : [`upgrading ${upgradingText(inFlight)}`]), ...waits];
}

const upgradingText = (members: readonly MemberUpgrade[]): string =>
  [...Map.groupBy(members, (member) => versionChange(member) ?? '')]
    .map(([change, of]) => `${shortList(of.map(({ name }) => name))}${change === '' ? '' : ` (${change})`}`)
    .join(', ');

function gateText({ type, gateId, absoluteStartTime, status: { state } }: GateStatus): string[] {
  if (state !== 'Pending') return [];
  return [type === 'Approval' ? `waiting for approval ${gateId ?? ''}` : `starts at ${absoluteStartTime ?? ''}`];
}

function waitText({ afterStageWaitStatus: wait }: StageUpgrade): string[] {
  const since = parseInstant(wait?.status.startTime ?? '');
  if (wait?.status.state !== 'Running' || since === undefined) return [];
  return [`clusters are done; soaking until ${formatInstant(since + wait.waitDurationInSeconds * 1000)}`];
}

/** One text for each cause. */
function memberWaits(members: readonly MemberUpgrade[]): string[] {
  const waiting = members.filter(({ status: { state, error } }) => state === 'Pending' && error !== undefined);
  const causes = [...Map.groupBy(waiting, ({ status }) => status.error!.message)].map(
    ([message, of]) => `${shortList(of.map(({ name }) => name))} waiting: ${message}`,
  );
  return causes.length === 0 ? [] : [listUpTo(causes, mostCauses, '; ')];
}
