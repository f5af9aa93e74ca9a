import type { Timestamp } from '../../api/meta.ts';
import type { UpgradeRunStatus, UpgradeState } from '../../api/upgrade-status.ts';
import { approvedText } from '../../engine/gate/approver.ts';
import { type UpgradeEvent, upgradeEvents } from './upgrades.ts';

/** Something that happened to a cluster update run, as `kubectl describe` would list it. */
interface Happened {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Absent = only the time of the status commit is known. */
  readonly time?: Timestamp | undefined;
}

/** What happened between two versions of a run, stage by stage. */
export const upgradeHappened = (
  name: string,
  before: UpgradeRunStatus | undefined,
  status: UpgradeRunStatus,
): readonly Happened[] =>
  upgradeEvents(name, status, before)
    .sort((a, b) => stageOf(a) - stageOf(b) || orderInStage(a) - orderInStage(b))
    .flatMap((event) => happened(event) ?? []);

/** A run begins before its first stage, and ends after its last one. */
function stageOf(event: UpgradeEvent): number {
  if (event.kind !== 'upgrade-run-changed') return event.stageAt;
  return isBeginning(event.status.state) ? -1 : Infinity;
}

function orderInStage(event: UpgradeEvent): number {
  if (event.kind === 'upgrade-stage-changed') return isBeginning(event.status.state) ? 0 : 3;
  return event.kind === 'upgrade-gate-changed' ? 1 : 2;
}

const isBeginning = (state: UpgradeState): boolean => state === 'Running' || state === 'Pending';

function happened(event: UpgradeEvent): Happened | undefined {
  switch (event.kind) {
    case 'upgrade-run-changed':
      return ofRun(event);
    case 'upgrade-stage-changed':
      return ofStage(event);
    case 'upgrade-gate-changed':
      return ofGate(event);
    case 'member-changed':
      return ofMember(event);
  }
}

type Of<K extends UpgradeEvent['kind']> = Extract<UpgradeEvent, { readonly kind: K }>;

function ofRun({ was, status }: Of<'upgrade-run-changed'>): Happened | undefined {
  const { state, startTime, completedTime, error } = status;
  const why = error === undefined ? '' : `: ${error.message}`;
  switch (state) {
    case 'NotStarted':
      return undefined;
    case 'Running':
    case 'Pending':
      if (was === 'NotStarted')
        return { type: 'Normal', reason: 'RunStarted', message: 'the run started', time: startTime };
      if (was === 'Running' || was === 'Pending') return undefined;
      return { type: 'Normal', reason: 'RunContinued', message: `the run continues, it was ${was}` };
    case 'Stopping':
      return {
        type: error ? 'Warning' : 'Normal',
        reason: 'RunStopping',
        message: `nothing new starts, upgrades in progress end first${why}`,
      };
    case 'Stopped':
      return { type: 'Normal', reason: 'RunStopped', message: `the run is stopped${why}` };
    case 'Failed':
      return { type: 'Warning', reason: 'RunFailed', message: `the run failed${why}`, time: completedTime };
    case 'Skipped':
      return { type: 'Normal', reason: 'RunSkipped', message: `no cluster was upgraded${why}`, time: completedTime };
    case 'Completed':
      return { type: 'Normal', reason: 'RunCompleted', message: 'the run is complete', time: completedTime };
  }
}

/** That it waits is shown by its gates and members. */
function ofStage({ stage, was, status }: Of<'upgrade-stage-changed'>): Happened | undefined {
  const { state, startTime, completedTime, error } = status;
  if (state === 'Running' || state === 'Pending')
    return was === 'NotStarted'
      ? { type: 'Normal', reason: 'StageStarted', message: `stage ${stage} started`, time: startTime }
      : undefined;
  if (state === 'NotStarted') return undefined;
  return {
    type: state === 'Failed' ? 'Warning' : 'Normal',
    reason: `Stage${state}`,
    message: `stage ${stage}: ${state.toLowerCase()}${error === undefined ? '' : `: ${error.message}`}`,
    time: completedTime,
  };
}

function ofGate({ scope, gate }: Of<'upgrade-gate-changed'>): Happened | undefined {
  const { type, gateId = '', absoluteStartTime, approvedBy, status } = gate;
  switch (status.state) {
    case 'NotStarted':
      return undefined;
    case 'Pending': {
      const message =
        type === 'Approval'
          ? `${scope} waits for approval ${gateId}`
          : `${scope} waits for its scheduled start at ${absoluteStartTime ?? ''}`;
      return { type: 'Normal', reason: 'GatePending', message, time: status.startTime };
    }
    case 'Skipped':
      return { type: 'Normal', reason: 'GateSkipped', message: `${scope}: gate ${gateId} is skipped` };
    case 'Completed': {
      const message = `${scope}: gate ${gateId} is open`;
      const by = approvedText(approvedBy);
      return {
        type: 'Normal',
        reason: 'GateCompleted',
        message: by === undefined ? message : `${message}, ${by}`,
        time: status.completedTime,
      };
    }
  }
}

function ofMember({ member, change, status }: Of<'member-changed'>): Happened | undefined {
  const { state, startTime, completedTime, error } = status;
  const versions = change === undefined ? '' : ` (${change})`;
  const why = error === undefined ? '' : `: ${error.message}`;
  switch (state) {
    case 'Running':
      return { type: 'Normal', reason: 'UpgradeStarted', message: `${member}: upgrading${versions}`, time: startTime };
    case 'Pending':
      return { type: 'Normal', reason: 'UpgradePending', message: `${member} waits${why}` };
    case 'Completed':
      return {
        type: 'Normal',
        reason: 'UpgradeCompleted',
        message: `${member}: upgraded${versions}`,
        time: completedTime,
      };
    case 'Failed':
      return { type: 'Warning', reason: 'UpgradeFailed', message: `${member} failed${why}`, time: completedTime };
    case 'Skipped':
      return { type: 'Normal', reason: 'UpgradeSkipped', message: `${member} skipped${why}`, time: completedTime };
    default:
      return undefined;
  }
}
