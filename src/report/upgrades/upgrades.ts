import type {
  GateStatus,
  MemberUpgrade,
  ScopeStatus,
  StageUpgrade,
  UpgradeRunStatus,
  UpgradeState,
} from '../../api/upgrade-status.ts';
import { shortList } from '../../engine/kernel/short-list.ts';
import { plannedUpgradeRuns } from '../../engine/plan-document.ts';
import { allMembers, isAsked, membersOf } from '../../engine/upgrade/tree.ts';
import type { EventSource, TimelineEntry } from '../event-source.ts';
import { versionChange } from './progress.ts';

/** How cluster update runs go. `status` is the new one, `stageAt` the index of the stage. */
export type UpgradeEvent = { readonly run: string } & (
  | { readonly kind: 'upgrade-run-changed'; readonly was: UpgradeState; readonly status: ScopeStatus }
  | {
      readonly kind: 'upgrade-stage-changed';
      readonly stageAt: number;
      readonly stage: string;
      readonly was: UpgradeState;
      readonly status: ScopeStatus;
    }
  /** `scope`: `stage prod`, `group eu`. */
  | {
      readonly kind: 'upgrade-gate-changed';
      readonly stageAt: number;
      readonly scope: string;
      readonly gate: GateStatus;
    }
  | {
      readonly kind: 'member-changed';
      readonly stageAt: number;
      readonly member: string;
      readonly change: string | undefined;
      readonly status: ScopeStatus;
    }
);

export const upgrades: EventSource<UpgradeEvent> = {
  events: ({ before, plan }) =>
    plannedUpgradeRuns(plan).flatMap(({ name, status }) =>
      upgradeEvents(name, status, before.upgrades.get(name)?.status),
    ),
  sentences: (events) =>
    [...Map.groupBy(events, ({ run }) => run)].flatMap(([run, ofRun]) => {
      const text = sentenceOf(ofRun);
      return text === undefined ? [] : [`${run}: ${text}`];
    }),
  leads: true,
  entries: (event) => {
    const entry = entryOf(event);
    return entry ? [{ subject: event.run, ...entry }] : [];
  },
};

/** What changed since `before`; that is undefined for a new run. */
export function upgradeEvents(
  run: string,
  { status, stages }: UpgradeRunStatus,
  before: UpgradeRunStatus | undefined,
): UpgradeEvent[] {
  const known = new Map((before ? allMembers(before) : []).map((member) => [member.name, member]));
  const members = stages.flatMap((stage, stageAt) =>
    membersOf(stage).flatMap((member): UpgradeEvent[] => {
      const { name, status, operationId } = member;
      const was = known.get(name);
      const isSame = was !== undefined && waitOf(was) === waitOf(member) && was.operationId === operationId;
      if (isSame || isAsked(member) || (status.state === 'NotStarted' && was === undefined)) return [];
      return [{ kind: 'member-changed', run, stageAt, member: name, change: versionChange(member), status }];
    }),
  );
  const gates = stages.flatMap((stage, stageAt) =>
    gateEvents(stage, before?.stages[stageAt]).map((event): UpgradeEvent => ({ ...event, run, stageAt })),
  );
  const ofStages = stages.flatMap(({ name, status }, stageAt): UpgradeEvent[] => {
    const was = before?.stages[stageAt]?.status.state ?? 'NotStarted';
    return status.state === was ? [] : [{ kind: 'upgrade-stage-changed', run, stageAt, stage: name, was, status }];
  });
  const was = before?.status.state ?? 'NotStarted';
  const ofRun: UpgradeEvent[] = status.state === was ? [] : [{ kind: 'upgrade-run-changed', run, was, status }];
  return [...members, ...gates, ...ofStages, ...ofRun];
}

/** The state, of a member that waits with the cause. */
const waitOf = ({ status: { state, error } }: MemberUpgrade): string =>
  state === 'Pending' ? `${state} ${error?.code}` : state;

function gateEvents(stage: StageUpgrade, before: StageUpgrade | undefined) {
  const scopes: readonly (readonly [title: string, now: Gated, was: Gated | undefined])[] = [
    [`stage ${stage.name}`, stage, before],
    ...stage.groups.map((group, at) => [`group ${group.name}`, group, before?.groups[at]] as const),
  ];
  return scopes.flatMap(([scope, now, was]) =>
    (['beforeGates', 'afterGates'] as const).flatMap((timing) =>
      now[timing].flatMap((gate, at) =>
        gate.status.state === (was?.[timing][at]?.status.state ?? 'NotStarted')
          ? []
          : [{ kind: 'upgrade-gate-changed' as const, scope, gate }],
      ),
    ),
  );
}

type Gated = Pick<StageUpgrade, 'beforeGates' | 'afterGates'>;

/** What the run as a whole does comes before what becomes of its members. */
function sentenceOf(events: readonly UpgradeEvent[]): string | undefined {
  const run = events.find((event) => event.kind === 'upgrade-run-changed');
  if (run && !isGoing(run.status)) {
    const { state, error } = run.status;
    return `${words[state]}${error === undefined ? '' : `: ${error.message}`}`;
  }
  const members = events.filter((event) => event.kind === 'member-changed');
  for (const state of ['Failed', 'Running', 'Completed'] as const) {
    const names = members.filter(({ status }) => status.state === state).map(({ member }) => member);
    if (names.length > 0) return `${shortList(names)} ${memberWords[state]}`;
  }
  const stage = events.findLast((event) => event.kind === 'upgrade-stage-changed');
  return stage && `stage ${stage.stage} ${words[stage.status.state]}`;
}

const isGoing = ({ state }: ScopeStatus): boolean => state === 'Running' || state === 'Pending';

function entryOf(event: UpgradeEvent): Omit<TimelineEntry, 'subject'> | undefined {
  switch (event.kind) {
    case 'upgrade-run-changed': {
      const { state, error } = event.status;
      if (state === 'Completed') return { tone: 'good', text: '✓ the upgrade run is complete' };
      if (state === 'Failed')
        return { tone: 'bad', text: `✗ the upgrade run failed${error ? `: ${error.message}` : ''}` };
      return isGoing(event.status) ? undefined : { tone: 'moving', text: words[state] };
    }
    case 'upgrade-stage-changed': {
      const { state } = event.status;
      if (state === 'Pending' || state === 'NotStarted') return undefined;
      return {
        tone: state === 'Completed' ? 'good' : state === 'Failed' ? 'bad' : 'moving',
        text: `stage ${event.stage}: ${words[state]}`,
      };
    }
    case 'upgrade-gate-changed':
      // Approvals and holds show it.
      return undefined;
    case 'member-changed':
      return memberEntry(event);
  }
}

function memberEntry({
  member,
  change,
  status: { state, error },
}: Extract<UpgradeEvent, { readonly kind: 'member-changed' }>): Omit<TimelineEntry, 'subject'> | undefined {
  const versions = change === undefined ? '' : ` (${change})`;
  switch (state) {
    case 'Running':
      return { tone: 'moving', text: `${member} upgrading${versions}` };
    case 'Completed':
      return { tone: 'good', text: `✓ ${member} upgraded${versions}` };
    case 'Failed':
      return { tone: 'bad', text: `✗ ${member} failed: ${error?.message ?? ''}` };
    case 'Skipped':
      return { tone: 'decided', text: `${member} skipped: ${error?.message ?? ''}` };
    default:
      // Holds show what it waits for.
      return undefined;
  }
}

const words: Readonly<Record<UpgradeState, string>> = {
  NotStarted: 'not started',
  Running: 'running',
  Pending: 'waiting',
  Stopping: 'stopping: what is in flight ends first',
  Stopped: 'stopped',
  Skipped: 'skipped',
  Failed: 'failed',
  Completed: 'done',
};

const memberWords = { Failed: 'failed', Running: 'upgrading', Completed: 'upgraded' } as const;
